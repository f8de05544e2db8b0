import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { PATTERNS, countPlain, notTheseWords } from '../../../tools/house/plain_words.ts'
import { withoutCode } from '../../../tools/house/prose.ts'
import { TABLE, textTable, textsOf } from '../../../tools/house/texts.ts'

const read = (path: string): string => readFileSync(join(ROOT_PATH, path), 'utf8')
const table = read(TABLE)
const [head, ...rows] = table
  .trimEnd()
  .split('\n')
  .map(line => line.split('\t'))

test.each([
  ["const a = 'Nothing is live here.'", ['Nothing is live here.']],
  ['throw badRequest(`Unknown release: ${id}` + " is not here")', ['Unknown release: … is not here']],
  ["import a from 'one of the modules'; type B = 'two or three words'", []],
  ['await db.all(sql`SELECT one of two`)', []],
  ["if (kind === 'one of the kinds') run('a-name')", []],
  ['const page = <p>No release is <b>live</b></p>', ['No release is']],
])('finds the texts that people read: %s', (source, texts) => {
  expect(textsOf('a.tsx', source).map(({ text }) => text)).toEqual(texts)
})

test('the table has each text that users see; `node tools/texts.ts` writes it', () => {
  expect(textTable(table)).toBe(table)
})

test('somebody has read each text: the last column says who', () => {
  expect(head).toEqual(['text', 'first in', 'read by'])
  expect(rows.length).toBeGreaterThan(3000)
  expect(rows.filter(([, , by]) => by === undefined || by.trim() === '').map(([text]) => text)).toEqual([])
})

test('expressions for patterns find what they are about', () => {
  const found = countPlain(
    ['Whoever asks is told.', 'It holds at all.', 'a surface', 'Of an hour the later counts.'],
    ['surface'],
  )
  expect(found).toMatchObject({
    'P1 a clause in place of a noun': 1,
    'P10 own English': 2,
    'not this: surface': 1,
  })
  expect(Object.keys(PATTERNS)).toHaveLength(9)
})

const NOT_THESE = notTheseWords(read('docs/concepts.md'))
const glossary = (path: string, text: string): string =>
  path.endsWith('concepts.md') ? text.replaceAll(/\|[^|\n]*\|$/gm, '|') : text
const pages = ['README.md', ...globSync('docs/*.md', { cwd: ROOT_PATH })]
  .map(path => path.replaceAll('\\', '/'))
  .map(path => withoutCode(glossary(path, read(path))))

/** How often texts still have each. Only ever lowered; what isn't listed is there no more. */
const IN_TEXTS: Readonly<Record<string, number>> = {
  'P1 a clause in place of a noun': 60,
  'P2 but for except': 1,
  'P3 a verb without an object': 15,
  'P4 a pronoun without a noun': 47,
  'P5 a sentence that begins with of': 20,
  'P6 a verdict by negation': 67,
  'P10 own English': 16,
  'not this: cells': 1,
  'not this: side': 21,
  'not this: look': 9,
  'not this: attempt': 18,
  'not this: audit trail': 13,
  'not this: undecided': 1,
  'not this: promoted': 42,
  'not this: in force': 17,
  'not this: deployment': 1,
  'not this: canary': 1,
  'not this: eval': 1,
  'not this: tell': 6,
  'not this: pages': 6,
}

/** The same of pages. */
const IN_PAGES: Readonly<Record<string, number>> = {
  'P1 a clause in place of a noun': 25,
  'P3 a verb without an object': 1,
  'P4 a pronoun without a noun': 8,
  'P5 a sentence that begins with of': 2,
  'P6 a verdict by negation': 3,
  'P10 own English': 15,
  'not this: side': 7,
  'not this: look': 9,
  'not this: attempt': 9,
  'not this: promoted': 4,
  'not this: deployment': 2,
  'not this: canary': 2,
  'not this: eval': 1,
  'not this: tell': 6,
  'not this: pages': 7,
}

test.each([
  ['texts of the program', rows.map(([text]) => text!), IN_TEXTS],
  ['pages for users', pages.flatMap(page => page.split('\n')), IN_PAGES],
])('%s have no more of these ways to write than before', (_where, texts, left) => {
  const found = countPlain(texts, NOT_THESE)
  expect(Object.entries(found).filter(([name, count]) => count > (left[name] ?? 0))).toEqual([])
})
