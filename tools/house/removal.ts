import { parseSync } from 'vite'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { pathOf, readSources } from './imports.ts'

/** A line of a file; the first is 1. */
interface Line {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** What taking out a feature takes. */
export interface Removal {
  /** Files that go: its folder, its handlers, and tests and tools that import one of these. */
  readonly files: readonly string[]
  /** Lines that go elsewhere: they import what goes, or name what they import. */
  readonly lines: readonly Line[]
  /** Lines of lists that go with what they list: endpoints in handlers/index.ts, contracts in the suite. */
  readonly listed: readonly Line[]
}

/** Lists of handlers and of tests. A line of theirs goes with what it lists. */
const LISTS: ReadonlySet<string> = new Set(['handlers/index.ts', 'test/conformance/suite/index.ts'])

/** What goes where it imports something that goes; all else is mended line by line. */
const GOES_ALONG = /^(?:handlers|test|tools|bench)\//

interface Code {
  readonly path: string
  readonly text: string
  /** Files that it imports. */
  readonly imports: readonly string[]
}

/** Whatever tsc looks at, with its imports. */
export function readCode(): readonly Code[] {
  return readSources(ROOT_PATH, ['src', 'handlers', 'test', 'tools', 'bench']).map(
    ({ path, text, imports }) => ({ path, text, imports: imports.map(({ to }) => to) }),
  )
}

/** What taking out a feature takes; of the code alone, not of documents. */
export function removalOf(feature: string, code: readonly Code[]): Removal {
  const files = goneWith(feature, code)
  const rest = code.filter(({ path, imports }) => !files.has(path) && imports.some(to => files.has(to)))
  const cut = rest.flatMap(file => cutIn(file, files))
  return {
    files: [...files],
    lines: cut.filter(({ path }) => !LISTS.has(path)),
    listed: cut.filter(({ path }) => LISTS.has(path)),
  }
}

function goneWith(feature: string, code: readonly Code[]): ReadonlySet<string> {
  const own = new RegExp(`(?:^src|^test/.*)/features/${feature}/`)
  const gone = new Set(code.filter(({ path }) => own.test(path)).map(({ path }) => path))
  for (let size = -1; size !== gone.size;) {
    size = gone.size
    for (const { path, imports } of code) {
      if (GOES_ALONG.test(path) && !LISTS.has(path) && imports.some(to => gone.has(to))) gone.add(path)
    }
  }
  return gone
}

/** The lines that import what goes, or name what they import of it. */
function cutIn({ path, text }: Code, gone: ReadonlySet<string>): readonly Line[] {
  const lines = text.split('\n')
  const cut = new Set<number>()
  const names = new Set<string>()
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length - 1
  const drop = ({ start, end }: Span): void => {
    for (let at = lineAt(start); at <= lineAt(end); at++) cut.add(at)
  }
  const { module } = parseSync(path, text)
  for (const { moduleRequest, entries, ...span } of module.staticImports) {
    if (!gone.has(pathOf(path, moduleRequest.value))) continue
    drop(span)
    for (const { localName } of entries) names.add(localName.value)
  }
  for (const { entries, ...span } of module.staticExports) {
    const from = entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    if (from.some(name => gone.has(pathOf(path, name)))) drop(span)
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const name = text.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    if (gone.has(pathOf(path, name))) drop(moduleRequest)
  }
  for (const [at, line] of lines.entries()) {
    if ((line.match(/[\w$]+/g) ?? []).some(word => names.has(word))) cut.add(at)
  }
  for (const at of emptyTags(lines, cut)) cut.add(at)
  return [...cut].sort((a, b) => a - b).map(at => ({ path, line: at + 1, text: lines[at]! }))
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The lines of a tag in handlers/index.ts all of whose endpoints are cut. */
function emptyTags(lines: readonly string[], cut: ReadonlySet<number>): readonly number[] {
  return lines.flatMap((line, start) => {
    const tag = /^ {2}(\w+): listed\(.*\{$/.exec(line)?.[1]
    if (tag === undefined) return []
    const end = lines.indexOf('  }),', start)
    const isEmpty = lines.slice(start + 1, end).every((_, index) => cut.has(start + 1 + index))
    return isEmpty ? [start, end, lines.indexOf(`  ...tags.${tag}.routes,`)] : []
  })
}
