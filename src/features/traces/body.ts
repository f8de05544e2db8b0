import { ServiceError, badRequest } from '../../base/errors.ts'
import { gunzip } from '../../base/gunzip.ts'
import { JSON_BOUNDS, excessText, parsePieces } from '../../base/json_pieces.ts'
import { decodeJson, noJson } from './json.ts'
import { type Decoded, Malformed } from './spans.ts'
import { decodeProtobuf } from './protobuf.ts'

/** How an export is written down; its answer is written alike. */
export type Format = 'protobuf' | 'json'

/** The body of an export as it arrived, and what its headers say of it. */
export interface ExportBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: Format
  /** `Content-Encoding`. */
  readonly encoding: string | null
}

export interface Limits {
  /** Most bytes after decompression. */
  readonly maxBytes: number
  readonly maxSpans: number
}

/** 16 MiB, as of every body. Exporters send 512 spans at a time, the Collector 8192. */
export const LIMITS: Limits = { maxBytes: 16 * 1024 * 1024, maxSpans: 20_000 }

/** The format that a `Content-Type` names. Throws 415. */
export function formatOf(contentType: string | null): Format {
  const type = /^[^;]*/
    .exec(contentType ?? '')![0]
    .trim()
    .toLowerCase()
  if (type === 'application/x-protobuf') return 'protobuf'
  if (type === 'application/json') return 'json'
  throw new ServiceError(415, 'Spans must be sent as application/x-protobuf or application/json.')
}

/** Decompresses and decodes an export. Throws 415 for an encoding, 413 for too much, 400 for what is no export. */
export async function readExport(
  body: ExportBody,
  limits: Limits = LIMITS,
  nextTurn: () => Promise<void> | void = () => {},
): Promise<Decoded> {
  const bytes = await plainBytes(body, limits.maxBytes)
  try {
    if (body.format === 'protobuf') return decodeProtobuf(bytes, limits.maxSpans)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const parsed = await parsePieces(text, JSON_BOUNDS, nextTurn).catch((error: unknown) => {
      throw noJson(error)
    })
    if ('excess' in parsed) throw new ServiceError(413, `The body holds ${excessText(parsed.excess)}.`)
    return decodeJson(parsed.value, limits.maxSpans)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const what = error instanceof Malformed ? error.message : 'it is not valid UTF-8'
    throw badRequest(`This is no OTLP export of traces: ${what}.`, error)
  }
}

async function plainBytes({ bytes, encoding }: ExportBody, maxBytes: number): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name !== '' && name !== 'identity' && name !== 'gzip') {
    throw new ServiceError(415, 'Spans must be sent with Content-Encoding gzip, or none.')
  }
  const plain = name === 'gzip' ? await gunzip(bytes, maxBytes, () => tooLarge(maxBytes)) : bytes
  if (plain.length > maxBytes) throw tooLarge(maxBytes)
  return plain
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(413, `The spans are larger than ${maxBytes} bytes; send smaller batches.`)
}
