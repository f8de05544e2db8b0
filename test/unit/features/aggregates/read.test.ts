import { expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import type { ServiceError } from '../../../../src/base/errors.ts'
import { HOUR_MS } from '../../../../src/base/time.ts'
import { MOST_BYTES, importAggregates } from '../../../../src/features/aggregates/import.ts'
import { AggregateReader, MOST_AGGREGATES } from '../../../../src/features/aggregates/rules_read.ts'
import { SUMS, impossible } from '../../../../src/features/aggregates/rules_sums.ts'
import { EVERYTHING } from '../../../../src/ledger/world/scope.ts'
import { aggregatesOf, engineRuns, headerOf } from '../../../support/aggregates/aggregates.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { randomLog } from '../../../support/databases/random_log.ts'
import { NOON, testService } from '../../../support/services/service.ts'
import { PART_SUMS } from '../../../../src/ledger/events/parts.ts'
import { ROLLUP_SUMS } from '../../../../src/ledger/events/rollup_sql.ts'
import { SCORE_SUMS } from '../../../../src/ledger/events/score_rows.ts'

const HEADER = JSON.stringify(headerOf(NOON - 96 * HOUR_MS, NOON))

const OPTIONS = {
  actor: { name: 'a', source: 'cli' },
  scope: EVERYTHING,
  source: null,
  allowFewer: false,
  reason: null,
} as const

function readLines(lines: Iterable<string>) {
  const reader = new AggregateReader(NOON)
  let number = 0
  for (const line of lines) if (!reader.line(line, ++number)) break
  return { read: reader.end(), problems: reader.problems, lines: number }
}

function honest(seed: number): string[] {
  const log = randomLog(seededRandom(seed), ['rel_a', 'rel_b'], 500).filter(({ at }) => at < NOON)
  return aggregatesOf(engineRuns(log.map(({ json }) => json))).map(aggregate => JSON.stringify(aggregate))
}

test('honest aggregates are never refused', () => {
  for (const seed of [1, 2, 3]) expect(readLines([HEADER, ...honest(seed)]).problems).toEqual([])
})

/** What an engine gets wrong, done to all aggregates: the share of them that is refused at least, of a hundred. */
const MISTAKES: readonly (readonly [string, number, (aggregate: Record<string, number>) => void])[] = [
  [
    'squares off by one',
    100,
    aggregate => void (aggregate.latency_sq! += aggregate.latency_count === 0 ? 0 : 1),
  ],
  ['squares doubled', 30, aggregate => void (aggregate.input_sq! *= 2)],
  [
    'squares through 32-bit floats',
    30,
    aggregate => void (aggregate.input_sq = Math.fround(aggregate.input_sq!)),
  ],
  [
    'runs without the failed ones',
    0,
    aggregate => void (aggregate.runs = Math.max(1, aggregate.runs! - aggregate.errors!)),
  ],
]

test.each(MISTAKES)('%s: hardly an hour of such aggregates passes', (_, share, spoil) => {
  let [refused, all] = [0, 0]
  for (const line of honest(4)) {
    const aggregate = JSON.parse(line) as Record<string, number> & { aggregate: unknown }
    if (aggregate.aggregate !== 'runs' || aggregate.latency_count === 0) continue
    spoil(aggregate)
    all++
    if (
      impossible(
        'runs',
        SUMS.runs.map(name => aggregate[name]!),
      ) !== undefined
    )
      refused++
  }
  expect(refused).toBeGreaterThan(0)
  expect((100 * refused) / all).toBeGreaterThanOrEqual(share)
})

test('a bin too low, or shifted by one, is refused', () => {
  const lines = honest(5).map(line => {
    const aggregate = JSON.parse(line) as {
      aggregate: string
      bins?: Record<string, number>
      largest?: number
    }
    if (aggregate.aggregate !== 'latency') return line
    const bins = Object.fromEntries(
      Object.entries(aggregate.bins!).map(([bin, n]) => [Number(bin) < 0 ? bin : `${Number(bin) + 1}`, n]),
    )
    return JSON.stringify({ ...aggregate, bins, largest: undefined })
  })
  expect(readLines([HEADER, ...lines]).problems.length).toBeGreaterThan(0)
})

test('texts of digits count as the numbers they are', () => {
  const lines = honest(6)
  const texts = lines.map(line => line.replaceAll(/("\w+_(?:sum|sq|output|cached)":)(\d+)/g, '$1"$2"'))
  expect(readLines([HEADER, ...texts]).read).toEqual(readLines([HEADER, ...lines]).read)
})

test('an hour of many models is checked in a time that grows with its aggregates, not with their square', () => {
  const of = (aggregate: 'runs' | 'parts', model: number, more: object = {}) =>
    JSON.stringify({
      aggregate,
      release_id: 'rel_a',
      environment: 'local',
      agent_id: 'bot',
      provider: 'acme',
      model: `m${model}`,
      at_ms: NOON - HOUR_MS,
      width_s: 3600,
      ...Object.fromEntries(SUMS[aggregate].map((name, index) => [name, index === 0 ? 1 : 0])),
      ...more,
    })
  const lines = Array.from({ length: 20_000 }, (_, model) => [
    of('runs', model),
    of('parts', model),
    of('runs', model, { tenant: 't1' }),
  ])
  const reader = new AggregateReader(NOON)
  for (const [index, line] of [HEADER, ...lines.flat()].entries()) reader.line(line, index + 1)
  // By the clock of the process, which other work doesn't turn.
  const before = process.cpuUsage()
  expect(reader.end()).toMatchObject({ aggregates: 60_000 })
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
})

test('a million aggregates a request are refused before they are read', () => {
  function* endless() {
    yield HEADER
    const [line] = honest(7)
    const aggregate = JSON.parse(line!) as Record<string, unknown>
    for (let n = 0; n < 1_000_000; n++) yield JSON.stringify({ ...aggregate, model: `m${n}` })
  }
  const { problems, lines } = readLines(endless())
  expect(problems.at(-1)!.msg).toContain(`more than ${MOST_AGGREGATES} aggregates`)
  expect(lines).toBeLessThan(MOST_AGGREGATES + 10)
})

test.each([
  ['no JSON', 'x'],
  ['a list', '[]'],
  ['a line without end', 'x'.repeat(70_000)],
  ['a name with half a surrogate pair', '{"aggregates":"v1","source":"a","engine":"\\ud800"}'],
])('%s is refused in words', (_, line) => {
  const { read, problems } = readLines([line])
  expect(read).toBeUndefined()
  expect(problems[0]!.loc.slice(0, 2)).toEqual(['body', 'line 1'])
})

test.each(['environment', 'model', 'provider', 'agent_id'])(
  'an aggregate without %s is refused also where another names it as JavaScript would',
  field => {
    const [line] = honest(8)
    const aggregate = JSON.parse(line!) as Record<string, unknown>
    const named = JSON.stringify({ ...aggregate, [field]: 'undefined' })
    const { problems } = readLines([HEADER, named, JSON.stringify({ ...aggregate, [field]: undefined })])
    expect(problems.map(({ loc }) => loc.slice(1))).toEqual([['line 3', field]])
  },
)

test('a small gzip of many bytes is refused at bounded memory', async () => {
  const { context } = await testService()
  const lines = Buffer.alloc(MOST_BYTES + 1, `${' '.repeat(60_000)}\n`)
  const bytes = new Uint8Array(gzipSync(lines))
  await expect(importAggregates(context, { bytes, encoding: 'gzip' }, OPTIONS)).rejects.toMatchObject({
    status: 413,
  })
  await expect(importAggregates(context, { bytes, encoding: 'br' }, OPTIONS)).rejects.toMatchObject({
    status: 415,
  })
  const cut = { bytes: bytes.slice(0, 100), encoding: 'gzip' }
  await expect(importAggregates(context, cut, OPTIONS)).rejects.toMatchObject({ status: 400 })
})

test.each([
  ['lines', '\n', /more than 200000 lines/],
  ['characters of a line', ' ', /longer than 65536 characters/],
])('a gzip of 60 million %s is refused early, and others get their turn', async (_what, char, message) => {
  const { context } = await testService()
  const bytes = new Uint8Array(gzipSync(Buffer.alloc(60_000_000, char)))
  let turns = 0
  const options = { ...OPTIONS, nextTurn: () => void turns++ }
  await expect(importAggregates(context, { bytes, encoding: 'gzip' }, options)).rejects.toMatchObject({
    detail: [{ msg: expect.stringMatching(message) }],
  })
  expect(turns).toBeGreaterThan(0)
  expect(turns).toBeLessThan(100)
})

test('aggregates are the same in whatever chunks they come', async () => {
  const { context } = await testService()
  const wrong = [HEADER, ...honest(3).map(line => line.replaceAll('acme', '会社')), '{"aggregate":"none"}']
  const bytes = new TextEncoder().encode(wrong.join('\r\n'))
  expect(bytes.length).toBeGreaterThan(3 * 65_536)
  const problemsOf = (body: { bytes: Uint8Array<ArrayBuffer>; encoding: string | null }) =>
    importAggregates(context, body, OPTIONS).catch((error: ServiceError) => error.detail)
  const plain = await problemsOf({ bytes, encoding: null })
  expect(plain).toMatchObject([{ loc: ['body', `line ${wrong.length}`, 'aggregate'] }])
  expect(await problemsOf({ bytes: new Uint8Array(gzipSync(bytes)), encoding: 'gzip' })).toEqual(plain)
})

test('others get their turn between long lines too', async () => {
  const line = JSON.stringify({ aggregate: 'runs', more: Array.from({ length: 20_000 }, () => ({})) })
  const bytes = new TextEncoder().encode([HEADER, ...Array.from({ length: 19 }, () => line)].join('\n'))
  let turns = 0
  const { context } = await testService()
  const options = { ...OPTIONS, nextTurn: () => void turns++ }
  await expect(importAggregates(context, { bytes, encoding: null }, options)).rejects.toMatchObject({
    status: 422,
  })
  expect(turns).toBeGreaterThanOrEqual(1)
})

test('aggregates have the sums of the rollups that they become, in their order, but for those of failed runs', () => {
  const runs = ROLLUP_SUMS.filter(name => !name.startsWith('failed_'))
  expect(SUMS).toEqual({ runs, parts: PART_SUMS, scores: SCORE_SUMS })
})
