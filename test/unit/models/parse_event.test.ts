import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acceptEvent, explainEvent } from '../../../src/models/all/parse_event.ts'
import { problemsText } from '../../../src/models/checks.ts'
import type { Said } from '../../../src/models/model.ts'
import { RunEvent } from '../../../src/models/documents/run_event.ts'
import { eventOf } from '../../support/services/builders.ts'
import { runEvent as anyRunEvent } from '../support/arbitraries.ts'
import { DOCUMENTS } from '../support/documents.ts'
import { valueAt, without, withValue } from '../support/paths.ts'

/** What the model makes of an event; where it is accepted without the model, that is the same. */
async function parsed(value: object) {
  const explained = explainEvent(value)
  const accepted = acceptEvent(value)
  if (accepted !== undefined || 'event' in explained) expect({ event: accepted }).toEqual(explained)
  return explained
}

const minimal = eventOf({ release_id: 'rel_1', run_id: 'run-1' })

describe('api_version', async () => {
  test('is v1, or left out', async () => {
    expect(await parsed(minimal)).toMatchObject({ event: { api_version: 'v1' } })
    expect(await parsed({ ...minimal, api_version: 'v1' })).toMatchObject({ event: { api_version: 'v1' } })
  })

  test.for([
    ['v2', "'v2'"],
    ['V1', "'V1'"],
    ['', "''"],
    ["it's", "'it's'"],
    [null, 'null'],
    [1, '1'],
    [false, 'false'],
    [['v1'], '["v1"]'],
    [{ major: 1 }, '{"major":1}'],
  ] as const)('%j is unsupported and shown as %s', async ([version, shown]) => {
    expect(await parsed({ ...minimal, api_version: version })).toEqual({ unsupported: shown })
  })

  test('is looked at before every other field', async () => {
    expect(await parsed({ api_version: 'v2', run_id: 5 })).toEqual({ unsupported: "'v2'" })
  })

  test('that nests too deeply to be written is named by its type', async () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
    expect(await parsed({ ...minimal, api_version: deep })).toEqual({ unsupported: 'object' })
  })
})

test.each([
  ['labels', { labels: Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`k${n}`, n])) }],
  [
    'usage.tools',
    { usage: { ...(minimal.usage as object), tools: Array.from({ length: 9000 }, () => ({})) } },
  ],
])('of very many faulty %s only the first are listed', async (name, more) => {
  const explained = (await parsed({ ...minimal, ...more })) as { problem: string }
  expect(explained.problem).toContain(name)
  expect(explained.problem).toMatch(/and \d\d more$/)
})

test.each([
  ['labels', { labels: Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, ''])) }],
  [
    'usage.tools',
    {
      usage: {
        ...(minimal.usage as object),
        tools: Array.from({ length: 10_001 }, () => ({ tool_name: '' })),
      },
    },
  ],
])('more %s than an event can hold are refused before they are looked at', async (name, more) => {
  expect(await parsed({ ...minimal, ...more })).toEqual({
    problem: `(run_id "run-1") ${name} has more than 10000 members`,
  })
})

test('a problem names the run and the field', async () => {
  expect(await parsed({ ...minimal, tenant_id: 5 })).toEqual({
    problem: '(run_id "run-1") tenant_id must be a string (was a number)',
  })
})

test.each([
  ['usage.model', 'input_tokens', 'prompt_tokens'],
  ['usage.models[0]', 'output_tokens', 'completion_tokens'],
  ['', 'run_id', 'runId'],
])('in %j a missing %s names %s, which is there', async (place, name, typed) => {
  const used = { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 1 }
  const event = { ...minimal, usage: { model: used, models: [{ ...used }] } }
  const within = place === '' ? '' : `${place}.`
  const misnamed = withValue(without(event, within + name), within + typed, 1)
  const { problem } = (await parsed(misnamed)) as { problem: string }
  expect(problem.split('; ')[0]).toContain(`${within}${name} is required: ${typed} is not its name`)
  const { problem: missing } = (await parsed(without(event, within + name))) as { problem: string }
  expect(missing).not.toContain('is not its name')
})

test('what was meant is looked for only in problems that are named', () => {
  const problems = Array.from({ length: 200 }, (_, index) => ({
    path: ['models', index],
    message: 'is required',
    type: 'missing',
  }))
  let checked = 0
  const text = problemsText(problems, '', problem => (checked++, { ...problem, message: 'is odd' }))
  expect(text).toBe('models[0] is odd; models[1] is odd; models[2] is odd; and 197 more')
  expect(checked).toBe(3)
})

test('a problem of an event without a usable run_id names the field alone', async () => {
  for (const run_id of ['', 5, null]) {
    expect(await parsed({ ...minimal, run_id })).toEqual({
      problem: expect.stringMatching(/^run_id must be /),
    })
  }
})

test('unknown fields are dropped, however they look', async () => {
  const event = { ...minimal, agent: 'x', metrics: { success: true, score: [1] }, '': null }
  expect(await parsed(event)).toEqual(await parsed({ ...minimal, metrics: { success: true } }))
})

test.for([
  ['labels', { note: 'x'.repeat(256_000) }],
  ['labels', { ['x'.repeat(256_000)]: '' }],
  // Fewer characters than the limit, but three bytes each.
  ['labels', { note: '€'.repeat(90_000) }],
  ['metrics.error_type', 'x'.repeat(256_000)],
  ['usage.tools', Array.from({ length: 9000 }, () => ({ tool_name: 'search' }))],
] as const)('an event whose %s make it longer than 256 kB is refused', async ([path, value]) => {
  const event = withValue(DOCUMENTS.RunEvent.document, path, value)
  expect(await parsed(event)).toEqual({ problem: '(run_id "run-1") is longer than 256000 bytes' })
})

test('an event just short of 256 kB is taken', async () => {
  const event = withValue(DOCUMENTS.RunEvent.document, 'labels', { note: 'x'.repeat(255_000) })
  expect(await parsed(event)).toHaveProperty('event')
})

test.for(Object.entries((RunEvent.meta as Said).defaults!))('%s defaults to %j', async ([path, value]) => {
  const field = path.replace('[]', '[0]')
  expect(valueAt(await parsed(without(DOCUMENTS.RunEvent.document, field)), `event.${field}`)).toEqual(value)
})

test('what is given back can be sent again and stays the same', async () => {
  await fc.assert(
    fc.asyncProperty(anyRunEvent, async sent => {
      const first = await parsed(sent)
      expect(first).toHaveProperty('event')
      const given = JSON.parse(JSON.stringify('event' in first ? first.event : null)) as object
      expect(await parsed(given)).toEqual(first)
    }),
  )
})

test('a time that is a number is told how times are written', async () => {
  expect(await parsed({ ...minimal, timestamp: 1_769_860_800 })).toEqual({
    problem:
      '(run_id "run-1") timestamp must be a string (was a number): ISO-8601, such as 2026-01-31T12:00:00Z',
  })
})
