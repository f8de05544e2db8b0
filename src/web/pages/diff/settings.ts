import type { ReleaseFiles } from '../../../models/documents/bundle_files.ts'
import type { Release } from '../../../models/documents/release.ts'

/** A field of release.yaml that two releases don't have alike. */
export interface Setting {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Fields by the words that people use for them; others are called by their path. */
const NAMES: Readonly<Record<string, string>> = {
  'metadata.description': 'Description',
  'metadata.created_by': 'Made by',
  'spec.agent.entrypoint': 'Entry point',
  'spec.runtime.provider': 'Provider',
  'spec.runtime.model': 'Model',
  'spec.runtime.temperature': 'Temperature',
  'spec.runtime.max_output_tokens': 'Most output tokens',
  'spec.prompts.system_ref': 'System prompt',
  'spec.prompts.template_refs': 'Prompt templates',
  'spec.tools.manifest_ref': 'Tool manifest',
  'spec.tools.tool_names': 'Tools',
  'spec.routing.strategy': 'Routing',
  'spec.routing.fallback.model': 'Fallback model',
  'spec.pricing_reference.provider': 'Prices of',
  'spec.pricing_reference.pricing_version': 'Price table',
}

/** What every release has of its own, and says nothing of how it runs; and the surface, whose difference is told in words. */
const OWN = /^(?:metadata\.(?:version|name|created_at)$|spec\.surface\b)/

/** What differs between two releases as they are described, in the order of the newer one. */
export function settingsThatDiffer(before: Release, after: Release): Setting[] {
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter(path => !OWN.test(path) && old[path] !== now[path])
    .map(path => ({ name: NAMES[path] ?? path.replace(/^spec\./, ''), before: old[path], after: now[path] }))
}

/** Leaves by path; a list of texts is one leaf, whose order counts. */
function flat(value: unknown, path = ''): Record<string, string> {
  if (value === null || value === undefined) return {}
  if (Array.isArray(value)) return { [path]: value.map(item => textOf(item)).join(', ') }
  if (typeof value !== 'object') return { [path]: textOf(value) }
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`)),
  ) as Record<string, string>
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type File = ReleaseFiles['files'][number]

/** A file that two bundles don't have alike. */
export interface FileChange {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: File | undefined
  readonly after: File | undefined
}

export function filesThatDiffer(before: readonly File[], after: readonly File[]): FileChange[] {
  const [old, now] = [
    new Map(before.map(file => [file.path, file])),
    new Map(after.map(file => [file.path, file])),
  ]
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .filter(path => old.get(path)?.sha256 !== now.get(path)?.sha256)
    .map(path => ({
      path,
      kind: !old.has(path) ? 'added' : now.has(path) ? 'changed' : 'removed',
      before: old.get(path),
      after: now.get(path),
    }))
}
