// Generated from src/models/documents by `npm run generate`, and never edited.
import type { BundleFiles } from '../documents/bundle_files.ts'
import { type Fields, everyValue, hasOnly, isFields } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): BundleFiles | undefined {
  return isFields(value) && fits1(value) ? (value as unknown as BundleFiles) : undefined
}

const KNOWN2 = new Set(["bytes","sha256","text"])

function fits1(value: Fields): boolean {
  return (
    everyValue(value, item => isFields(item) && fits2(item))
  )
}

function fits2(value: Fields): boolean {
  return (
    Number.isInteger(value.bytes) && (value.bytes as number) >= 0 && (value.bytes as number) <= 9007199254740991 &&
    typeof value.sha256 === 'string' && /^[0-9a-f]{64}$/.test(value.sha256) &&
    (value.text === undefined || (typeof value.text === 'string' || value.text === null)) &&
    hasOnly(value, KNOWN2)
  )
}
