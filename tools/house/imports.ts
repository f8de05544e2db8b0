import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'vite'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** A source file below `src` or `handlers`. */
export interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly isGenerated: boolean
  readonly imports: readonly Import[]
  /** Packages, modules of Node and virtual modules that it imports. */
  readonly packages: readonly string[]
}

interface Import {
  /** Path of the imported file, relative to the root. */
  readonly to: string
  /** `value` runs with the importer, `lazy` runs when it is called, `type` never runs. */
  readonly kind: 'value' | 'lazy' | 'type'
}

/** All source files of some folders, `src` and `handlers` unless others are given, with their imports of each other. */
export function readSources(
  root = ROOT_PATH,
  folders: readonly string[] = ['src', 'handlers'],
): readonly Source[] {
  const paths = globSync(
    folders.map(folder => `${folder}/**/*.{ts,tsx,mjs}`),
    { cwd: root },
  )
  const known = new Set(paths.map(path => path.replaceAll('\\', '/')))
  return [...known].sort().map(path => {
    const text = readFileSync(join(root, path), 'utf8')
    const { imports, packages } = importsOf(path, text)
    return {
      path,
      text,
      lines: text.split('\n').length - 1,
      isGenerated: isGenerated(text),
      imports: imports.filter(({ to }) => known.has(to)),
      packages,
    }
  })
}

function isGenerated(text: string): boolean {
  return text.startsWith('// Generated')
}

/** What a file imports: of a path relative to the root. */
export function importsOf(path: string, text: string): Pick<Source, 'imports' | 'packages'> {
  const { module } = parseSync(path, text)
  const imports: Import[] = []
  const packages: string[] = []
  const add = (name: string, kind: Import['kind']): void => {
    if (!name.startsWith('.')) packages.push(name)
    else imports.push({ to: pathOf(path, name), kind })
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every(entry => entry.isType)
    add(moduleRequest.value, isType ? 'type' : 'value')
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest != null) add(moduleRequest.value, isType ? 'type' : 'value')
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const name = /^['"`](.+)['"`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1]
    if (name !== undefined) add(name, 'lazy')
  }
  return { imports, packages }
}

/** The path that a relative import of a file names, relative to the root. */
function pathOf(path: string, name: string): string {
  return relative('.', join(dirname(path), name)).replaceAll('\\', '/')
}

/** The files that run because of these ones: what they import as `kinds` say, and what that imports. */
export function behind(
  sources: readonly Source[],
  roots: readonly string[],
  kinds: readonly Import['kind'][] = ['value'],
): ReadonlySet<string> {
  const byPath = new Map(sources.map(source => [source.path, source]))
  const found = new Set<string>()
  const open = [...roots]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const source = byPath.get(path)
    if (source === undefined) throw new Error(`there is no ${path}`)
    if (found.has(path)) continue
    found.add(path)
    open.push(...source.imports.filter(({ kind }) => kinds.includes(kind)).map(({ to }) => to))
  }
  return found
}

/** Groups of folders that import each other in a loop, types and lazy imports included; each has two or more. */
export function folderCircles(sources: readonly Source[]): readonly (readonly string[])[] {
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    const from = dirname(path)
    for (const { to } of imports) {
      if (dirname(to) === from) continue
      arrows.set(from, (arrows.get(from) ?? new Set()).add(dirname(to)))
    }
  }
  return strongComponents(arrows).filter(component => component.length > 1)
}

/** Tarjan, "Depth-first search and linear graph algorithms" (1972). */
function strongComponents(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const components: string[][] = []
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.get(node)!)
    stack.push(node)
    for (const next of arrows.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!))
    }
    if (low.get(node) !== index.get(node)) return
    components.push(stack.splice(stack.indexOf(node)).sort())
  }
  for (const node of arrows.keys()) if (!index.has(node)) visit(node)
  return components
}
