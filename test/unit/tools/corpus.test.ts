import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { differences } from '../../../tools/proofs/corpus/compare.ts'
import { normalise } from '../../../tools/proofs/corpus/normalise.ts'

test.each([
  ['ids by their order', 'rel_00000000000b and rel_00000000000a', 'rel_<id 2> and rel_<id 1>'],
  ['hashes', `"${'f0'.repeat(32)}"`, '"<hash 2>"'],
  ['tokens', `rgs_${'f0'.repeat(32)}`, 'rgs_<id 2>'],
  ['secrets', 'whsec_…AB/I', 'whsec_…<secret 2>'],
  ['keys', `${'aB1/'.repeat(10)}aaa=`, '<key 2>'],
  ['folders', '/dev/shm/svc-tests-a1/svc-cli-b2/policy.yaml: none', '<folder 2>/policy.yaml: none'],
  ['the root of the checkout', `${ROOT_PATH}bin/svc.cjs`, '<root>/bin/svc.cjs'],
  ['ports', 'http://127.0.0.1:40123/v1', 'http://127.0.0.1:<port 2>/v1'],
  ['figures to ten digits', '0.1234567890123 and 12.5', '0.123456789 and 12.5'],
  ['fixed times as they are', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
])('writes %s', (_what, text, written) => {
  expect(normalise('GET /v1/releases/rel_00000000000a', text, false)).toEqual([
    'GET /v1/releases/rel_<id 1>',
    written,
  ])
})

test('writes no time of the machine', () => {
  const text = 'bot\t2026-11-30T12:22:57.948Z\nsince 2026-11-29 11:00 UTC, 1796041234567'
  expect(normalise('svc', text, true)[1]).toBe('bot\t<time>\nsince <time>, <time>')
})

test('keeps of a long text the beginning and a digest of all', () => {
  const [, one] = normalise('', 'a'.repeat(9000), false)
  const [, other] = normalise('', `${'a'.repeat(8999)}b`, false)
  expect(one).toHaveLength(625 + '… 9000 characters, 12345678'.length)
  expect(one).not.toBe(other)
})

test('names each change once, with the questions that it is about', () => {
  const entry = (question: string, answer: string): string =>
    JSON.stringify(['sqlite', 'request', question, answer])
  const was = new Set([
    entry('A', 'max 1.0 is exceeded'),
    entry('B', 'max 1.0 is exceeded'),
    entry('C', 'same'),
  ])
  const now = new Set([
    entry('A', 'max 1.1 is exceeded'),
    entry('B', 'max 1.1 is exceeded'),
    entry('C', 'same'),
  ])
  now.add(entry('D', 'new'))
  expect(differences(was, now)).toEqual([
    {
      kind: 'request (sqlite)',
      was: 'max 1.0 is exceeded',
      now: 'max 1.1 is exceeded',
      questions: ['A', 'B'],
    },
    { kind: 'request (sqlite)', was: undefined, now: 'new', questions: ['D'] },
  ])
  expect(differences(was, was)).toEqual([])
})
