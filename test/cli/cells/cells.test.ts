import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../../src/base/time.ts'
import { SMALL_SAMPLES, makeWorkspace } from '../../support/processes/cli.ts'
import { PRICES, releaseOf } from '../../support/services/builders.ts'
import { SUMS } from '../../../src/features/cells/rules_sums.ts'

const DECISION = ['--env', 'local', '--window', '2h', '--reason', 'r']

/** Prints one cell a minute of both releases. */
const PROGRAM = `const [from, to, ids, runs] = [Number(process.env.FROM_MS), Number(process.env.TO_MS), process.argv[2].split(','), Number(process.argv[3])]
const zero = Object.fromEntries(['latency_count', 'latency_sum', 'latency_sq', 'input_sum', 'output_sum', 'cached_sum', 'input_sq', 'output_sq', 'cached_sq', 'input_output', 'input_cached', 'output_cached'].map(name => [name, 0]))
for (const release_id of ids) for (let at_ms = from; at_ms < to; at_ms += 60000)
  console.log(JSON.stringify({ cell: 'runs', release_id, environment: 'local', agent_id: 'bot', provider: 'acme', model: 'm1', at_ms, width_s: 60, runs, errors: 0, ...zero }))`

test('engines of service.yaml are pulled, and a decision is verified against them', async () => {
  const { folder, ok, svc, write } = makeWorkspace(SMALL_SAMPLES)
  write('prices.yaml', PRICES)
  write('a/release.yaml', releaseOf({ version: '1' }))
  write('b/release.yaml', releaseOf({ version: '2' }))
  write('policy.yaml', { policy_id: 'lax', require_high_diff_confidence: false })
  await ok('pricing', 'import', 'prices.yaml')
  await ok('policy', 'set', 'policy.yaml')
  const ids = [(await ok('release', 'register', 'a')).trim(), (await ok('release', 'register', 'b')).trim()]
  writeFileSync(join(folder, 'cells.mjs'), PROGRAM)
  const engineOf = (runs: number, delay = '3m') => ({
    ...SMALL_SAMPLES,
    sources: [
      {
        name: 'warehouse',
        engine: 'command',
        command: [process.execPath, join(folder, 'cells.mjs'), ids.join(','), String(runs)],
        delay,
      },
    ],
  })
  write('service.yaml', engineOf(2))
  await ok('release', 'promote', ids[0]!, ...DECISION)
  const pulled = JSON.parse(await ok('cells', 'pull', '--output', 'json'))
  expect(pulled.imports.length).toBeGreaterThan(3)
  const outcome = JSON.parse(await ok('release', 'promote', ids[1]!, ...DECISION, '--output', 'json'))
  expect(await ok('cells', 'verify', outcome.action_id)).toBe('warehouse: as it was decided on')
  // The engine has more of the hour that is running by now.
  write('service.yaml', engineOf(2, '1m'))
  expect(await ok('cells', 'verify', outcome.action_id)).toBe('warehouse: as it was decided on')
  write('service.yaml', engineOf(3))
  const { code, stdout } = await svc('cells', 'verify', outcome.action_id, '--output', 'json')
  expect(code).toBe(1)
  const { changed } = JSON.parse(stdout)
  expect(changed.length).toBeGreaterThan(1)
  expect(changed[0].runs_now).toBeGreaterThan(changed[0].runs_kept)
  const { from, to } = { from: changed[0].hour, to: isoTime(Math.floor(Date.now() / HOUR_MS) * HOUR_MS) }
  await ok('cells', 'pull', '--from', from, '--to', to)
  const { replaced } = JSON.parse(
    (await svc('cells', 'verify', outcome.action_id, '--output', 'json')).stdout,
  )
  expect(replaced.map(({ release_id }: { release_id: string }) => release_id).sort()).toEqual([...ids].sort())
  expect(replaced[0].runs_kept).toBeGreaterThan(replaced[0].runs_decided)
  expect((await svc('cells', 'pull', 'other')).stderr).toContain(
    'service.yaml names no source other (it names warehouse)',
  )
})

test('a file is imported hour by hour, with gzip or without, and the same again changes nothing', async () => {
  const { folder, ok, svc, write } = makeWorkspace(SMALL_SAMPLES)
  write('a/release.yaml', releaseOf({ version: '1' }))
  const release_id = (await ok('release', 'register', 'a')).trim()
  const to = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const covers = { from_ms: to - 2 * HOUR_MS, to_ms: to }
  const header = {
    cells: 'v1',
    source: 'here',
    engine: 'sh',
    query_sha256: 'a'.repeat(64),
    as_of: isoTime(to),
    covers,
  }
  const scores = {
    cell: 'runs',
    release_id,
    environment: 'local',
    agent_id: 'bot',
    provider: 'acme',
    model: 'm1',
    width_s: 60,
  }
  const sums = Object.fromEntries(SUMS.runs.map(name => [name, 0]))
  const lines = [header, ...[1, 70].map(back => ({ ...scores, ...sums, runs: 5, at_ms: to - back * 60_000 }))]
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(folder, 'cells.jsonl'), text)
  writeFileSync(join(folder, 'cells.jsonl.gz'), gzipSync(text))
  expect(await ok('cells', 'import', 'cells.jsonl.gz')).toBe(
    '2 cells of 10 runs from here: 2 hours written, 0 cells replaced, 0 removed',
  )
  expect(await ok('cells', 'import', 'cells.jsonl')).toContain('0 hours written')
  expect(await ok('cells', 'sources')).toContain('here')
  writeFileSync(join(folder, 'bad.jsonl'), text.replace('"runs":5', '"runs":0.5'))
  const { code, stderr } = await svc('cells', 'import', 'bad.jsonl')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/line \d\.runs must be a whole number/)])
})

test('queries are printed with their times, tables and releases', async () => {
  const { ok, svc, write } = makeWorkspace(SMALL_SAMPLES)
  const times = ['--from', '2026-11-23T10:00:00Z', '--to', '2026-11-23T11:00:00Z']
  const plain = await ok('cells', 'sql', '--engine', 'duckdb', '--scores', 'judged', ...times)
  expect(plain.match(/^-- (runs|latency|parts|scores)$/gm)).toEqual(['-- runs', '-- latency', '-- scores'])
  expect(plain).toContain('FROM judged WHERE ts_ms >= 1795428000000 AND ts_ms < 1795431600000')
  const ofTraces = ['cells', 'sql', '--engine', 'clickhouse', '--schema']
  const refusals: readonly (readonly [RegExp, ...string[]])[] = [
    [/No release is registered/, ...ofTraces, 'otel'],
    [/known of clickhouse alone/, 'cells', 'sql', '--engine', 'postgres', '--schema', 'otel'],
    [/takes a project/, ...ofTraces, 'langfuse'],
    [/--longest-run must be an age/, ...ofTraces, 'otel', '--longest-run', 'days'],
    [/--parts must name one table/, 'cells', 'sql', '--engine', 'duckdb', '--parts', 'a; DROP TABLE b'],
    [/is no ISO-8601/, 'cells', 'sql', '--engine', 'duckdb', '--from', 'noon'],
  ]
  for (const [text, ...args] of refusals) {
    const { code, stderr } = await svc(...args)
    expect([code, stderr]).toEqual([1, expect.stringMatching(text)])
  }
  write('a/release.yaml', releaseOf({ version: "1'" }))
  const release_id = (await ok('release', 'register', 'a')).trim()
  const traces = await ok(...ofTraces, 'langfuse', '--project', 'p', '--longest-run', '2h', ...times)
  expect(traces).toContain(`WITH [('bot', '1\\'', '${release_id}', 'm1', 'acme')] AS known`)
  expect(traces).toContain("project_id = 'p'")
  expect(traces).not.toMatch(/\{\w+\}/)
})
