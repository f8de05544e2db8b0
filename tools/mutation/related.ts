import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import type { Area } from './areas.ts'

/** The files of an area that run, from the root. */
export function sourcesOf({ sources }: Area): readonly string[] {
  return filesBelow('src').filter(file => sources.some(source => file.startsWith(source)))
}

/** The tests that import any of these files, also through others: those of the same name first. */
export function testsOf(area: Area, files: readonly string[]): readonly string[] {
  const wanted = new Set(files)
  const related = filesBelow('test/unit').filter(
    file => file.endsWith('.test.ts') && !file.startsWith('test/unit/tools/'),
  )
  return [
    ...related.filter(test => importsAny(test, wanted)).toSorted((a, b) => distance(a) - distance(b)),
    ...(area.tests ?? []),
  ]

  function distance(test: string): number {
    const subject = test.replace('test/unit/', 'src/').replace('.test.ts', '.ts')
    return wanted.has(subject) ? 0 : files.some(file => dirname(file) === dirname(subject)) ? 1 : 2
  }
}

function importsAny(test: string, wanted: ReadonlySet<string>): boolean {
  const [seen, left] = [new Set<string>(), [test]]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (wanted.has(file)) return true
    if (seen.has(file) || !existsSync(join(ROOT_PATH, file))) continue
    seen.add(file)
    left.push(...importsOf(file))
  }
  return false
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT_PATH, file), 'utf8')
  return [
    ...text.matchAll(/^(?!import type|export type).*?(?:\bfrom |\bimport\(|\bimport )'(\.[^']*\.ts)'/gm),
  ].map(([, path]) => relative(ROOT_PATH, join(ROOT_PATH, dirname(file), path!)))
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT_PATH, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
    .toSorted()
}
