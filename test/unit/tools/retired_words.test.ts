import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { OLD_NAMES, retiredWords } from '../../../tools/house/retired_words.ts'

test.each([
  ['const onStrays = 1', ['onStrays']],
  ['// Is told anew.\nconst a = `// told ${askedAt} anew`', ['told', 'anew', 'askedAt']],
  ["const text = 'asked'", []],
  ['const pattern = /told/', []],
  ['/** A window that is none,\n * or stands beside. */', ['that is none', 'stands', 'beside']],
  ['`${`${held}`} held` + dear', ['held', 'dear']],
  ['isMasked, masked', []],
])('finds retired words in names and comments: %s', (text, words) => {
  expect(
    retiredWords(text)
      .map(({ word }) => word)
      .toSorted(),
  ).toEqual(words.toSorted())
})

/** Files that draw tables, which have cells. */
const TABLES = /^(?:src\/(?:web|cli)|test|tools)\/|\/cli|rules_text|report\.ts$/

/** How many each room may still have. Only ever lowered; a room that isn't listed has none. */
const LEFT: Readonly<Record<string, number>> = {
  // Columns of tables of the database.
  'src/features': 10,
  test: 4,
}

test('names and comments have no retired words: `node tools/house.ts --words PATH` lists them', () => {
  const found: Record<string, number> = {}
  for (const path of globSync('{src,handlers,test,tools}/**/*.{ts,tsx,mjs}', { cwd: ROOT_PATH })) {
    const text = readFileSync(join(ROOT_PATH, path), 'utf8')
    if (text.startsWith('// Generated') || path.includes('retired_words')) continue
    const [top, second] = path.split('/')
    const room = top === 'src' ? `src/${second}` : top!
    found[room] = (found[room] ?? 0) + retiredWords(text, TABLES.test(path)).length
  }
  const tooMany = Object.entries(found).filter(([room, count]) => count > (LEFT[room] ?? 0))
  expect(tooMany).toEqual([])
})

test('nothing that users read or call has an old name', () => {
  const found = globSync(
    '{*.md,llms.txt,{src,handlers,migrations,docs,deploy,examples,schemas,templates}/**/*.{ts,tsx,css,md,sql,json,yaml,yml,sh,mjs,py,txt}}',
    { cwd: ROOT_PATH },
  )
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => path !== 'docs/project/renames.md' && !path.includes('node_modules'))
    .flatMap(path => {
      const text = readFileSync(join(ROOT_PATH, path), 'utf8')
      // The glossary's last column has the names that its terms don't have.
      const own = path === 'docs/concepts.md' ? text.replaceAll(/\|[^|\n]*\|$/gm, '|') : text
      return own.split('\n').flatMap((line, index) => {
        const [name] = OLD_NAMES.exec(line) ?? []
        return name === undefined ? [] : [`${path}:${index + 1}: ${name}`]
      })
    })
  expect(found).toEqual([])
})
