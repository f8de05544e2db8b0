import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { readCode, removalOf } from '../../../tools/house/removal.ts'

/** Lists that name features. Nothing else in `src` does. */
const LISTS = ['src/entry/commands/features.ts', 'src/entry/features.ts', 'src/web/app/features.ts']

const code = readCode()
const features = readdirSync(`${ROOT_PATH}/src/features`, { withFileTypes: true }).filter(entry =>
  entry.isDirectory(),
)

const exported = readFileSync(`${ROOT_PATH}/package.json`, 'utf8')

test.each(features)('$name goes with its folder and at most five lines of the lists', ({ name }) => {
  const { files, lines } = removalOf(name, code)
  const own = `src/features/${name}/`
  expect(files.filter(path => path.startsWith('src/') && !path.startsWith(own))).toEqual([])
  expect(files.some(path => path.startsWith(own))).toBe(true)
  expect(lines.filter(({ path }) => !LISTS.includes(path))).toEqual([])
  expect(lines.length > 0 || exported.includes(`/features/${name}/`)).toBe(true)
  expect(lines.length).toBeLessThanOrEqual(5)
})

test('what names a feature elsewhere is found, and what needs it goes along', () => {
  const file = (path: string, text: string, ...imports: string[]) => ({ path, text, imports })
  const feature = 'src/features/a/feature.ts'
  const core =
    "import { a, b } from '../features/a/feature.ts'\n\nconst all = [\n  a,\n]\nload(() => b())\nother()\n"
  const { files, lines, listed } = removalOf('a', [
    file(feature, ''),
    file('src/features/ab/feature.ts', ''),
    file('src/ledger/core.ts', core, feature),
    file('src/ledger/lazy.ts', "const one = {\n  a: () => import('../features/a/feature.ts'),\n}\n", feature),
    file('src/ledger/again.ts', "export { a } from '../features/a/feature.ts'\n", feature),
    file('handlers/x/a.ts', '', feature),
    file(
      'handlers/index.ts',
      "export const tags = {\n  x: listed({\n    'GET /a': () => import('./x/a.ts'),\n  }),\n}\nexport const routes = {\n  ...tags.x.routes,\n}\n",
      'handlers/x/a.ts',
    ),
    file('test/support/a.ts', '', feature),
    file('test/unit/a.test.ts', '', 'test/support/a.ts'),
    file('test/unit/b.test.ts', '', 'src/ledger/core.ts'),
  ])
  expect(files).toEqual([feature, 'handlers/x/a.ts', 'test/support/a.ts', 'test/unit/a.test.ts'])
  expect(lines.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'src/ledger/core.ts:1',
    'src/ledger/core.ts:4',
    'src/ledger/core.ts:6',
    'src/ledger/lazy.ts:2',
    'src/ledger/again.ts:1',
  ])
  expect(listed.map(({ line }) => line)).toEqual([2, 3, 4, 7])
})
