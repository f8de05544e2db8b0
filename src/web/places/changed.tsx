import { Changes, Row } from '../ui/changes.tsx'
import { Loaded } from '../ui/states.tsx'
import { Words } from '../ui/text.tsx'
import { counted } from '../format.ts'
import { type Comparing, useFiles, useRelease } from '../reads.ts'
import type { ReleaseFiles } from '../../models/documents/bundle_files.ts'
import type { Release } from '../../models/documents/release.ts'

/** What is different about the two releases themselves: settings, tools, and the files of their bundles. */
export function WhatChanged({ comparing: { baseline, candidate } }: { comparing: Comparing }) {
  const [before, after] = [useRelease(baseline), useRelease(candidate)]
  return (
    <Loaded known={after} lines={3}>
      {({ artifact_json: now, checksum }) => {
        if (before.data === undefined) return null
        const settings = settingsThatDiffer(before.data.artifact_json, now)
        const isSameBundle = before.data.checksum === checksum
        return (
          <>
            {settings.length === 0 ? (
              <p class="faint">
                {isSameBundle ? 'Nothing: both are the same bundle.' : 'No setting in release.yaml.'}
              </p>
            ) : (
              <Changes what="Setting" sides={['Before', 'Now']}>
                {settings.map(({ name, before: old, after: value }) => (
                  <Row
                    key={name}
                    name={name}
                    cells={[
                      <Side key="old" text={old} other={value} kind="removed" />,
                      <Side key="new" text={value} other={old} kind="added" />,
                    ]}
                    differs
                  />
                ))}
              </Changes>
            )}
            {!isSameBundle && <Files baseline={baseline} candidate={candidate} />}
          </>
        )
      }}
    </Loaded>
  )
}

/** A value; of a list what the other side lacks is highlighted. */
function Side({
  text,
  other,
  kind,
}: {
  text: string | undefined
  other: string | undefined
  kind: 'added' | 'removed'
}) {
  if (text === undefined) return <span class="faint">none</span>
  const items = text.split(', ')
  const others = new Set(other?.split(', '))
  if (items.length + others.size <= 2) return <Words>{text}</Words>
  return (
    <span class="listed">
      {items.map(item =>
        others.has(item) ? (
          <Words key={item}>{item}</Words>
        ) : kind === 'added' ? (
          <ins key={item}>
            <Words>{item}</Words>
          </ins>
        ) : (
          <del key={item}>
            <Words>{item}</Words>
          </del>
        ),
      )}
    </span>
  )
}

function Files({ baseline, candidate }: { baseline: string; candidate: string }) {
  const [before, after] = [useFiles(baseline), useFiles(candidate)]
  return (
    <Loaded known={after} lines={2}>
      {({ files }) => {
        if (before.data === undefined) return null
        const isKnown = files.length > 0 && before.data.files.length > 0
        if (!isKnown) {
          return (
            <p class="faint">Files: changed. Releases that are registered without hashes don't say which.</p>
          )
        }
        const changed = filesThatDiffer(before.data.files, files)
        return (
          <>
            <p class="faint">
              {counted(changed.length, 'file')} of the bundle {changed.length === 1 ? 'differs' : 'differ'}.
            </p>
            <ul class="files">
              {changed.map(file => (
                <li key={file.path}>
                  <FileDiff file={file} />
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Loaded>
  )
}

function FileDiff({ file: { path, kind, before, after } }: { file: FileChange }) {
  const [old, now] = [before === undefined ? '' : before.text, after === undefined ? '' : after.text]
  const title = (
    <>
      <span class={`file-kind ${kind}`}>{kind}</span> <bdi class="mono">{path}</bdi>
    </>
  )
  if (old === null || now === null) {
    return (
      <p>
        {title} <span class="faint">its text was not kept (svc release register --store-files keeps it)</span>
      </p>
    )
  }
  return (
    <details open={old.length + now.length < 4000}>
      <summary>{title}</summary>
      <div class="line-diff mono" tabIndex={0} role="group" aria-label={`Lines of ${path} that differ`}>
        {lineDiff(old, now).map((line, index) => (
          <div key={index} class={line.kind}>
            <span class="hidden">
              {line.kind === 'added' || line.kind === 'removed' ? `${line.kind}: ` : ''}
            </span>
            {line.kind === 'gap' ? <span class="faint">{line.text}</span> : line.text || ' '}
          </div>
        ))}
      </div>
    </details>
  )
}

interface Line {
  readonly kind: 'same' | 'removed' | 'added' | 'gap'
  readonly text: string
}

/** Lines that may differ on each side before they only count as replaced: the comparison takes their product. */
const MOST_COMPARED = 1500
/** Equal lines that are shown around each change. */
const AROUND = 2

/** What it takes to make the new text of the old one, with a few equal lines around each change. */
function lineDiff(before: string, after: string): Line[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (
    end < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end += 1
  }
  const same = (texts: readonly string[]): Line[] => texts.map(text => ({ kind: 'same', text }))
  return folded([
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ])
}

/** By the longest common subsequence of lines. */
function middle(old: readonly string[], now: readonly string[]): Line[] {
  const removed = old.map((text): Line => ({ kind: 'removed', text }))
  const added = now.map((text): Line => ({ kind: 'added', text }))
  if (old.length > MOST_COMPARED || now.length > MOST_COMPARED) return [...removed, ...added]
  const width = now.length + 1
  const common = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i]! })
      i += 1
      j += 1
    } else if (
      j >= now.length ||
      (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push(removed[i]!)
      i += 1
    } else {
      lines.push(added[j]!)
      j += 1
    }
  }
  return lines
}

/** Long runs of equal lines as how many they are. */
function folded(lines: readonly Line[]): Line[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
  const shown: Line[] = []
  for (let index = 0; index < lines.length;) {
    if (isNear[index]) {
      shown.push(lines[index]!)
      index += 1
      continue
    }
    const next = isNear.indexOf(true, index)
    const length = (next < 0 ? lines.length : next) - index
    shown.push({ kind: 'gap', text: `${length} equal ${length === 1 ? 'line' : 'lines'}` })
    index += length
  }
  return shown
}

/** A field of release.yaml that two releases don't have alike. */
interface Setting {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Fields by the words that people use for them; others are called by their path. */
const NAMES: Readonly<Record<string, string>> = {
  'metadata.name': 'Name',
  'metadata.version': 'Version',
  'metadata.created_at': 'Made at',
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

/** What every release has of its own, and says nothing of how it runs; and the capabilities, whose difference is shown in words. */
const OWN = /^(?:metadata\.(?:version|name|created_at)$|spec\.capabilities\b)/

/** What differs between two releases as they are described, in the order of the newer one. */
function settingsThatDiffer(before: Release, after: Release): Setting[] {
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter(path => !OWN.test(path) && old[path] !== now[path])
    .map(path => ({ name: nameOf(path), before: old[path], after: now[path] }))
}

/** What a release says of itself, by the words that people use for it; its capabilities are shown elsewhere. */
export function settingsOf(artifact: Release): Readonly<Record<string, string>> {
  const shown = Object.entries(flat(artifact)).filter(([path]) =>
    /^(?:metadata|spec\.(?!capab)|tags)/.test(path),
  )
  return Object.fromEntries(shown.map(([path, value]) => [nameOf(path), value]))
}

const nameOf = (path: string): string => NAMES[path] ?? path.replace(/^(?:spec|metadata)\./, '')

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
interface FileChange {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: File | undefined
  readonly after: File | undefined
}

function filesThatDiffer(before: readonly File[], after: readonly File[]): FileChange[] {
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
