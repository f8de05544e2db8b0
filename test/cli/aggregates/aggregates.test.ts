import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../../src/base/time.ts'
import { SMALL_SAMPLES, makeWorkspace } from '../../support/processes/cli.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { SUMS } from '../../../src/features/aggregates/rules_sums.ts'

test('a file is imported hour by hour, with gzip or without, and the same again changes nothing', async () => {
  const { folder, ok, svc, write } = makeWorkspace(SMALL_SAMPLES)
  write('a/release.yaml', releaseOf({ version: '1' }))
  const release_id = (await ok('release', 'register', 'a')).trim()
  const to = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const covers = { from_ms: to - 2 * HOUR_MS, to_ms: to }
  const header = {
    aggregates: 'v1',
    source: 'here',
    engine: 'sh',
    query_sha256: 'a'.repeat(64),
    as_of: isoTime(to),
    covers,
  }
  const scores = {
    aggregate: 'runs',
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
  writeFileSync(join(folder, 'aggregates.jsonl'), text)
  writeFileSync(join(folder, 'aggregates.jsonl.gz'), gzipSync(text))
  expect(await ok('aggregates', 'import', 'aggregates.jsonl.gz')).toBe(
    '2 aggregates of 10 runs from here: 2 hours written, 0 aggregates replaced, 0 removed',
  )
  expect(await ok('aggregates', 'import', 'aggregates.jsonl')).toContain('0 hours written')
  expect(await ok('aggregates', 'sources')).toContain('here')
  writeFileSync(join(folder, 'bad.jsonl'), text.replace('"runs":5', '"runs":0.5'))
  const { code, stderr } = await svc('aggregates', 'import', 'bad.jsonl')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/line \d\.runs must be a whole number/)])
})
