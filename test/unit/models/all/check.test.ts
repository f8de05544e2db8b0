import { expect, test } from 'vitest'
import { check } from '../../support/check.ts'
import { pathText, problemsText } from '../../../../src/models/checks.ts'
import { Policy } from '../../../../src/models/documents/policy.ts'
import { PricingTable } from '../../../../src/models/documents/pricing.ts'
import { Release } from '../../../../src/models/documents/release.ts'
import { RunEvent } from '../../../../src/models/documents/run_event.ts'
import { DOCUMENTS } from '../../support/documents.ts'
import { withValue, without } from '../../support/paths.ts'

const event = DOCUMENTS.RunEvent.document

test.for([
  [[], ''],
  [['run_id'], 'run_id'],
  [['usage', 'tools', 0, 'tool_name'], 'usage.tools[0].tool_name'],
  [[3, 'run_id'], '[3].run_id'],
  [['labels', '0'], 'labels.0'],
] as const)('the path %j reads "%s"', ([path, text]) => {
  expect(pathText(path)).toBe(text)
})

test.for([
  [[], ''],
  [['a'], 'a is bad'],
  [['a', 'b', 'c'], 'a is bad; b is bad; c is bad'],
  [['a', 'b', 'c', 'd', 'e'], 'a is bad; b is bad; c is bad; and 2 more'],
] as const)('the problems of %j read "%s"', ([names, text]) => {
  expect(problemsText(names.map(name => ({ path: [name], message: 'is bad', type: 'value' })))).toBe(text)
})

test('a problem of the whole document names the subject where one is given', () => {
  const problems = [{ path: [], message: 'must be an object', type: 'type' }]
  expect(problemsText(problems, 'the document')).toBe('the document must be an object')
  expect(problemsText(problems)).toBe('must be an object')
})

test.for([
  ['usage', undefined, 'is required', 'missing'],
  ['usage.model.input_tokens', 1.5, 'must be an integer (was 1.5)', 'integer'],
  ['usage.model.input_tokens', '10', 'must be a number (was a string)', 'type'],
  ['usage.model.input_tokens', -1, 'must be non-negative (was -1)', 'minimum'],
  ['usage.model.input_tokens', 1e12 + 1, 'must be at most 1000000000000 (was 1000000000001)', 'maximum'],
  ['run_id', '', 'must be non-empty', 'too_short'],
  ['run_id', 'x'.repeat(513), 'must be at most length 512 (was 513)', 'too_long'],
  ['run_id', 'é'.repeat(300), 'must be at most 512 bytes long (was 300 characters)', 'value'],
  ['usage.tools', {}, 'must be an array (was object)', 'type'],
  ['labels', ['a'], 'must be an object (was an array)', 'value'],
  ['metrics.latency_ms', '5', 'must be a number or null (was a string)', 'value'],
  ['metrics.success', 'no', 'must be boolean (was "no")', 'type'],
  [
    'timestamp',
    'noon',
    'must be an ISO-8601 date and time from 1970 on, such as 2026-01-31T12:00:00Z (was "noon")',
    'value',
  ],
  ['agent_id', 'a\0', 'must not contain a NUL character', 'text'],
] as const)('%s with %j: %s', ([path, value, message, type]) => {
  const document = value === undefined ? without(event, path) : withValue(event, path, value)
  const checked = check(RunEvent, document)
  expect(checked).toEqual({ ok: false, problems: [{ path: expect.anything(), message, type }] })
  expect(checked.ok ? '' : pathText(checked.problems[0]!.path)).toBe(path)
})

test('every problem of a document is listed, each on a line of its own', () => {
  const checked = check(Policy, { max_error_rate: 2, min_low_runs: -1.5, retries: 1 })
  expect(checked).toEqual({
    ok: false,
    problems: [
      { path: ['max_error_rate'], message: 'must be at most 1 (was 2)', type: 'maximum' },
      { path: ['min_low_runs'], message: 'must be an integer (was -1.5)', type: 'integer' },
      { path: ['min_low_runs'], message: 'must be non-negative (was -1.5)', type: 'minimum' },
      { path: ['retries'], message: 'is not a known field', type: 'value' },
    ],
  })
})

const many = (count: number, make: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => make(index))
const override = (name: number): object => ({ environment: `e${name}`, max_error_rate: 1 })
const priced = (name: number): object => ({
  model: `m${name}`,
  input_usd_per_1k_tokens: 1,
  output_usd_per_1k_tokens: 1,
})

test.each([
  ['too many', Policy, { overrides: many(201, override) }, ['overrides']],
  [
    'two that exclude each other',
    Policy,
    { overrides: many(60, index => override(index % 59)) },
    ['overrides', 59, 'environment'],
  ],
  [
    'one twice',
    PricingTable,
    { provider: 'p', pricing_version: 'v', entries: many(60, index => priced(index % 59)) },
    ['entries', 59, 'model'],
  ],
] as const)('a long list of which every part is sound, but that holds %s', (_what, model, document, path) => {
  expect(check(model, document)).toMatchObject({ ok: false, problems: [{ path }] })
})

test('a message does not repeat a long value in full', () => {
  const checked = check(RunEvent, { ...event, type: 'x'.repeat(100_000) })
  const [problem] = checked.ok ? [] : checked.problems
  expect(problem!.message).toMatch(/^must be "run_end" or "run_start" \(was "x+…$/)
  expect(problem!.message.length).toBeLessThan(400)
})

test('a document that nests deeper than recursion can follow is refused', () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
  const checked = check(Release, { ...DOCUMENTS.Release.document, deep })
  expect(checked).toMatchObject({
    ok: false,
    problems: [{ message: 'must not be nested more than 64 levels deep', type: 'text' }],
  })
})
