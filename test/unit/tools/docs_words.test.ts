import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { PROGRAMS, TESTS } from '../../../tools/proofs/tests.ts'
import { withoutCode, withoutFences, wordsOf, wordsPerSentence } from '../../../tools/house/prose.ts'
import { retiredProse } from '../../../tools/house/retired_words.ts'

const read = (path: string): string => readFileSync(join(ROOT_PATH, path), 'utf8')
/** What people write and read. The reference is generated; decisions are records of their day. */
const pages = globSync('docs/**/*.md', { cwd: ROOT_PATH })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => !/^docs\/(?:reference|decisions)\//.test(path))
  .map(path => ({ path, text: read(path) }))

/** Pages that measurements write. */
const MEASURED = ['docs/project/decisions-quality.md', 'docs/project/clients.md']
const written = pages.filter(({ path }) => !MEASURED.includes(path))
const forUsers = written.filter(({ path }) => !path.startsWith('docs/project/'))

/** Pages for users, their words, and those of all written pages with the help of commands. Only ever lowered. */
const MOST_PAGES = 24
const MOST_WORDS = 15_700
const MOST_PROSE = 30_330

/** Words of a page before its first command, program or file. */
const MOST_BEFORE_CODE = 60

/** Words of a sentence, on average over a page. */
const MOST_PER_SENTENCE = 22

/** Retired words that pages still have. Only ever lowered; a page that isn't listed has none. */
const RETIRED: Readonly<Record<string, number>> = {
  'docs/project/decisions-quality.md': 5,
  'docs/project/reliability.md': 1,
}

test('counts the words of prose, and of its sentences', () => {
  const page = [
    '# A heading',
    'Two [words](path/to/a-page.md). Here `svc policy set` is one of six.',
    '- an item',
    '| a | table |',
    '```sh\nsvc doctor\n```',
    '    svc serve',
  ].join('\n\n')
  expect(wordsOf(page)).toBe(2 + 2 + 8 + 2 + 2 + 2)
  expect(wordsPerSentence(page)).toBe((2 + 6 + 2) / 3)
})

test('finds retired words in prose, and leaves code alone', () => {
  const page = 'It was\nasked.\n\n```\ntold\n```\n\n    held\n\n`anew` and dear'
  expect(retiredProse(withoutCode(page)).map(({ line, word }) => [line, word])).toEqual([
    [2, 'asked'],
    [10, 'dear'],
  ])
})

test('the documentation is no longer than it was', () => {
  expect(written).toHaveLength(pages.length - MEASURED.length)
  const words = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + wordsOf(text), 0)
  expect(forUsers.length).toBeLessThanOrEqual(MOST_PAGES)
  expect(words(forUsers.map(({ text }) => text))).toBeLessThanOrEqual(MOST_WORDS)
  const prose = [...written.map(({ text }) => text), read('docs/reference/cli.md')]
  expect(words(prose)).toBeLessThanOrEqual(MOST_PROSE)
})

test('a page says at once what one has at its end, and shows code', () => {
  const late = forUsers.filter(({ text }) => {
    const [before, code] = text.split(/^(?:```| {4}\S)/m, 2)
    return code === undefined || wordsOf(before!) > MOST_BEFORE_CODE
  })
  expect(late.map(({ path }) => path)).toEqual([])
})

test('sentences are short', () => {
  const long = pages
    .map(({ path, text }) => ({ path, words: wordsPerSentence(text) }))
    .filter(({ words }) => words > MOST_PER_SENTENCE)
  expect(long).toEqual([])
})

test('pages have no retired words', () => {
  const found = pages
    .map(({ path, text }) => ({ path, words: retiredProse(withoutCode(text)) }))
    .filter(({ path, words }) => words.length > (RETIRED[path] ?? 0))
  expect(found).toEqual([])
})

test('links to a heading lead to one', () => {
  const headings = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)]
      .filter(([, to, anchor]) => {
        const target = to === '' ? path : posix.join(posix.dirname(path), to!)
        return headings.get(target)?.has(anchor!) === false
      })
      .map(([link]) => `${path}: ${link}`),
  )
  expect(broken).toEqual([])
})

/** The names by which links reach the headings of a page. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  return new Set(
    [...withoutFences(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('pages name only proofs, scripts and files that there are', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  const known: Readonly<Record<string, (name: string) => boolean>> = {
    'npm run prove -- ': name => name in { ...TESTS, ...PROGRAMS, NAME: '', all: '' },
    'npm run ': name => name in scripts,
    'node tools/': name => existsSync(join(ROOT_PATH, 'tools', name)),
    '`src/': name => name.includes('*') || existsSync(join(ROOT_PATH, 'src', name)),
  }
  const all = globSync(['docs/**/*.md', '*.md', 'bench/*.md'], { cwd: ROOT_PATH })
  const missing = all.flatMap(path => {
    const text = read(path)
    return Object.entries(known).flatMap(([before, isThere]) =>
      [...text.matchAll(new RegExp(`${before}([\\w./*:-]*\\w)`, 'g'))]
        .filter(([, name]) => !isThere(name!))
        .map(([found]) => `${path}: ${found}`),
    )
  })
  expect(missing).toEqual([])
})

test('docs/README.md names each page', () => {
  const index = read('docs/README.md') + read('docs/project/README.md').replaceAll('](', '](project/')
  const missing = pages
    .map(({ path }) => path.slice('docs/'.length))
    .filter(path => path !== 'README.md' && !index.includes(`](${path}`))
  expect(missing).toEqual([])
})

test.each([
  ['send runs from my agent', 'runs.md'],
  ['PostgreSQL', 'production.md'],
  ['back up', 'operating.md#back-up-and-restore'],
  ['upgrade', 'operating.md#upgrade'],
  ['single sign-on', 'access.md#let-people-sign-in'],
  ['3 am', 'on-call.md'],
  ['how sure', 'compare.md'],
  ['disk', 'operating.md#save-disk'],
  ['HTTP API', 'reference/http.md'],
  ['Helm', 'deploy.md#kubernetes'],
  ['message', 'messages.md'],
  ['glossary', 'concepts.md'],
  ['as code', 'policy.md#keep-it-in-git'],
])('docs/README.md leads who looks for "%s" to %s', (question, page) => {
  const lines = read('docs/README.md').split('\n')
  expect(lines.filter(line => line.includes(question) && line.includes(`](${page})`))).not.toEqual([])
})

test('llms.txt begins with a title and a summary, and links to files that exist, each with a line', () => {
  const [title, , summary, ...lines] = read('llms.txt').split('\n')
  expect(title).toMatch(/^# \S/)
  expect(summary).toMatch(/^> \S/)
  const links = lines
    .filter(line => line.startsWith('- '))
    .map(line => /^- \[[^\]]+\]\(([^)]+)\): \S/.exec(line)?.[1])
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(link => link === undefined || !existsSync(join(ROOT_PATH, link)))).toEqual([])
})
