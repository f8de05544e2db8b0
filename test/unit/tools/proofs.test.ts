import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { TESTS } from '../../../tools/proofs/tests.ts'

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

test('docs/reliability.md says of each proof what `npm test` asks in its place', () => {
  const table = readFileSync(`${ROOT_PATH}docs/reliability.md`, 'utf8')
    .split('\n## ')
    .find(section => section.startsWith('What is asked where'))!
  expect(Object.keys(TESTS).filter(name => !table.includes(`\`${name}\``))).toEqual([])
})
