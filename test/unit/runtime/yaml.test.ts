import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseYaml, plainMap } from '../../../src/runtime/yaml.ts'
import { scaled } from '../../support/scale.ts'

test.for([
  ['default_environment: prod\n', { default_environment: 'prod' }],
  ['# limits\n\nmax_error_rate: 0.05\nmin_low_runs: 10', { max_error_rate: 0.05, min_low_runs: 10 }],
  ['require_high_diff_confidence: false\n', { require_high_diff_confidence: false }],
] as const)('%j is plain', ([text, value]) => {
  expect(plainMap(text)).toEqual(value)
})

test.for([
  '',
  '# nothing\n',
  'a: b # c\n',
  'a: b\r\n',
  'a: b \n',
  ' a: b\n',
  'a: b\n c\n',
  'a: b: c\n',
  'a:\n',
  'a: null\n',
  'null: a\n',
  'true: a\n',
  'a: Yes\n',
  'a: 010\n',
  'a: 1e3\n',
  'a: 1.\n',
  'a: -1\n',
  'a: 9999999999\n',
  'a: "b"\n',
  'a: &b c\n',
  'a: [b]\n',
  '--- \na: b\n',
  'a: b\n---\nc: d\n',
  '%YAML 1.1\na: b\n',
  'a: b\na: c\n',
  'a: b\tc\n',
  'a: é\n',
])('%j is left to the parser', text => {
  expect(plainMap(text)).toBeUndefined()
})

test('what is plain means what the parser says', async () => {
  const parts = [
    'a',
    'b',
    '_',
    '-',
    ':',
    ' ',
    ': ',
    '\n',
    '#',
    '# ',
    '0',
    '1',
    '7',
    '.',
    'true',
    'false',
    'null',
    'a: b\n',
  ]
  const more = [
    'no',
    'y',
    'on',
    'e',
    'x',
    'o',
    'inf',
    '~',
    '"',
    "'",
    '[',
    '{',
    '&',
    '*',
    '!',
    '|',
    '>',
    '%',
    '\t',
    '\r',
  ]
  let plain = 0
  assert(
    property(array(constantFrom(...parts, ...more), { maxLength: 12 }), drawn => {
      const text = `k: ${drawn.join('')}`
      const found = plainMap(text)
      if (found === undefined) return
      plain += 1
      expect(found).toEqual(parse(text))
    }),
    { numRuns: scaled(20_000, 1_000_000) },
  )
  expect(plain).toBeGreaterThan(100)
  await expect(parseYaml('a: b\na: c\n', 'x.yaml')).rejects.toThrow('keys must be unique')
})

test('a line with an error at each of its characters is refused in time that grows with its length', async () => {
  const begun = process.cpuUsage()
  await expect(parseYaml('!a '.repeat(150_000), 'f.yaml')).rejects.toThrow(
    'f.yaml, line 1, column 4: A node can have at most one tag',
  )
  expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(8)
})
