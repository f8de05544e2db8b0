import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { TESTS } from '../../../tools/proofs/tests.ts'
import { LEFT_OUT, leftOutBy } from '../../support/left_out.ts'

const files = globSync('test/**/*.test.ts', { cwd: ROOT_PATH })
const proofs = Object.entries(TESTS).map(([name, args]) => [name, args.split(' -t ')[0]!.split(' ')] as const)

test.each(proofs)('the proof %s finds all its tests', (_name, parts) => {
  expect(parts.filter(part => !files.some(path => path.includes(part)))).toEqual([])
})

test('each test that has a long form is in a proof', () => {
  const long = files.filter(path => /\bscaled\(|env\.PROVE/.test(readFileSync(ROOT_PATH + path, 'utf8')))
  expect(long.length).toBeGreaterThan(10)
  const found = proofs.flatMap(([, parts]) => parts)
  expect(long.filter(path => !found.some(part => path.includes(part)))).toEqual([])
})

test('docs/project/reliability.md says of each proof what `npm test` asks in its place', () => {
  const table = readFileSync(`${ROOT_PATH}docs/project/reliability.md`, 'utf8')
    .split('\n## ')
    .find(section => section.startsWith('What is asked where'))!
  expect(Object.keys(TESTS).filter(name => !table.includes(`\`${name}\``))).toEqual([])
})

describe('what `npm test` leaves out', () => {
  const left = Object.values(LEFT_OUT).flat()

  test('is there, and each file once', () => {
    expect(left.filter(name => !files.includes(`test/${name}.test.ts`))).toEqual([])
    expect(new Set(left).size).toBe(left.length)
  })

  test.each([
    ['vitest run', []],
    ['vitest run --maxWorkers 2', ['--maxWorkers', '2']],
  ])('is left out by %s', (_command, args) => {
    expect(leftOutBy(['run', ...args])).toEqual(left.map(name => `test/${name}.test.ts`))
  })

  test.each([
    ['a folder', ['test/web']],
    ['a file', ['keyboard.test.ts']],
    ['a part of a name', ['keyboard', '--maxWorkers', '2']],
    ['all', ['test']],
    ['what changed', ['--changed']],
    ['what changed in a folder', ['test/unit', '--changed']],
    ['what changed since a commit', ['--changed', 'HEAD~1']],
  ])('runs where one asks for %s', (_what, args) => {
    expect(leftOutBy(['run', ...args])).toEqual([])
  })

  test('is in docs/project/reliability.md', () => {
    const text = readFileSync(`${ROOT_PATH}docs/project/reliability.md`, 'utf8')
    expect(Object.keys(LEFT_OUT).filter(row => !text.includes(`| ${row} |`))).toEqual([])
  })
})
