import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tags } from '../../../handlers/index.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const MOST_FILES = 15
const MOST_LINES = 300

/** What git has, and what it would add. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT_PATH,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && existsSync(join(ROOT_PATH, file)))

test(`no folder holds more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>()
  // The top has what tools want there; of the documents, which are not divided further, docs/README.md is the map.
  for (const folder of files.map(file => dirname(file)).filter(name => !['.', 'docs'].includes(name))) {
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([])
})

test(`no file that is written by hand has more than ${MOST_LINES} lines`, () => {
  const long = files
    .filter(file => /\.(?:[cm]?[jt]sx?|css)$/.test(file))
    .map(file => ({ file, text: readFileSync(join(ROOT_PATH, file), 'utf8') }))
    .filter(({ text }) => !text.startsWith('// Generated') && text.split('\n').length > MOST_LINES + 1)
  expect(long.map(({ file }) => file)).toEqual([])
})

test.for(Object.entries(tags))('the endpoints of the tag %s lie in its folder', ([tag, { routes }]) => {
  for (const load of Object.values(routes)) expect(String(load)).toContain(`/${tag}/`)
})
