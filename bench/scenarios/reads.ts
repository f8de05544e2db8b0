import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'
import { sumEvents } from '../../src/runtime/keep.ts'
import type { Services } from '../../src/runtime/services.ts'
import { benchClient } from '../client.ts'
import { type Figure, type Scenario, median, requireSegmentRegressions, timesOf } from '../harness.ts'
import { benchEvent, benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { startBenchServer } from '../load.ts'
import { promoteRate } from './promote_rate.ts'

type Report = (figure: Omit<Figure, 'scenario'>) => void

/** What reads and decisions cost over HTTP as the ledger grows. */
export const readsScenario: Scenario = {
  name: 'reads',
  about: 'over HTTP, one client, 7 days, events per side growing, p50',
  run: async ({ quick, size }, report) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const { services, close } = await servedLedger(folder)
    const server = await startBenchServer('service', folder)
    const client = benchClient(server.url)
    try {
      const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
      const sizes = quick ? [500, 1000] : [10_000, 100_000, 1_000_000, 10_000_000].filter(n => n <= size)
      let smallest: number | undefined
      let filled = 0
      for (const count of sizes) {
        await fillEvents(services, releases, filled, count, Date.now())
        // The server of the bench has no upkeep of its own.
        await sumEvents(services)
        filled = count
        const label = `${count.toLocaleString('en-US')} per side`
        const tell: Report = figure => report({ scenario: 'reads', ...figure })
        const ms = await timeReads({ client, releases, count, label, rounds: quick ? 3 : 51, tell })
        if (smallest !== undefined) {
          const value = ms - smallest
          tell({ what: `diff, ${label}, above the smallest`, value, unit: 'ms', target: { atMost: 2 } })
        }
        smallest ??= ms
      }
      const burst = quick ? 500 : 100_000
      await addBurst(services, releases, burst)
      for (const [what, value] of Object.entries(await timeBurst(client, releases, quick ? 3 : 51))) {
        const label = `${what}, ${burst.toLocaleString('en-US')} more per side a moment ago`
        report({ scenario: 'reads', what: label, value, unit: 'ms', target: { atMost: 5 } })
      }
      await promoteRate(services, client, quick, figure => report({ scenario: 'reads', ...figure }))
    } finally {
      client.close()
      await server.stop()
      await close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Adds events of this moment: as many may come within the minute in which they are looked at. */
async function addBurst(services: Services, releases: readonly string[], count: number): Promise<void> {
  const now = Date.now()
  for (let start = 0; start < count; start += 500) {
    const events = releases.flatMap(release =>
      Array.from({ length: 500 }, (_, index) => benchEvent(release, start + index, now)),
    )
    await ingestEvents(services, events)
  }
}

async function timeBurst(
  client: Timing['client'],
  [baseline, candidate]: Timing['releases'],
  rounds: number,
): Promise<Record<string, number>> {
  const diff = { baseline_release_id: baseline, candidate_release_id: candidate, window: '7d' }
  const runs = `/v1/runs?release_id=${baseline}&window=7d&limit=100`
  return {
    diff: median(await timesOf(rounds, () => client.call('POST', '/v1/diff', diff))),
    'newest 100 runs': median(await timesOf(rounds, () => client.call('GET', runs))),
  }
}

interface Timing {
  readonly client: ReturnType<typeof benchClient>
  readonly releases: readonly [string, string]
  readonly count: number
  readonly label: string
  readonly rounds: number
  readonly tell: Report
}

/** Times each read in turn with a constant from the same server; returns the p50 of a diff. */
async function timeReads({ client, releases, count, label, rounds, tell }: Timing): Promise<number> {
  const [baseline, candidate] = releases
  const diff = { baseline_release_id: baseline, candidate_release_id: candidate, window: '7d' }
  const runs = `release_id=${baseline}&window=7d`
  const behind = Math.min(500_000, count / 2)
  await client.call('PUT', '/v1/policy', { require_high_diff_confidence: false })
  const calls: Record<
    string,
    readonly [atMost: number | undefined, call: (round: number) => Promise<unknown>]
  > = {
    'GET /health, the limit': [undefined, () => client.call('GET', '/health')],
    diff: [5, () => client.call('POST', '/v1/diff', diff)],
    // Its events are read one by one, and it has ten times as many in a ledger of ten times as many.
    'diff of a tenant': [
      count <= 1_000_000 ? 5 : undefined,
      round => client.call('POST', '/v1/diff', { ...diff, tenant_id: `tenant-${Math.abs(round) % 1000}` }),
    ],
    promote: [
      6,
      round =>
        client.call('POST', '/v1/promote', {
          release_id: releases[Math.abs(round) % 2],
          environment: 'local',
          window: '7d',
          reason: 'bench',
        }),
    ],
    'newest 100 runs': [6, () => client.call('GET', `/v1/runs?${runs}&limit=100`)],
    [`100 runs behind ${behind.toLocaleString('en-US')}`]: [
      6,
      () => client.call('GET', `/v1/runs?${runs}&limit=100&offset=${behind}`),
    ],
    'export of 500': [10, () => client.call('GET', `/v1/runs/export?${runs}&limit=500`)],
    'GET /v1/metrics': [5, () => client.call('GET', '/v1/metrics')],
    'GET /metrics': [5, () => client.call('GET', '/metrics')],
    'GET /v1/doctor': [undefined, () => client.call('GET', '/v1/doctor')],
  }
  requireSegmentRegressions(await client.call('POST', '/v1/diff', diff), count)
  const p50s: Record<string, number> = {}
  for (const [what, [atMost, call]] of Object.entries(calls)) {
    const value = median(await timesOf(rounds, call))
    p50s[what] = value
    tell({
      what: `${what}, ${label}`,
      value,
      unit: 'ms',
      ...(atMost === undefined ? {} : { target: { atMost } }),
    })
  }
  if (count <= 1_000_000)
    await timeGroups({ client, releases, count, label, rounds: Math.min(rounds, 5), tell })
  return p50s.diff!
}

/** Which groups a difference comes from: the events of both sides are read. */
async function timeGroups({ client, releases, count, label, rounds, tell }: Timing): Promise<void> {
  const [baseline, candidate] = releases
  const target = { atMost: count <= 100_000 ? 150 : 1500 }
  for (const by of ['tenant', 'task', 'model', 'error']) {
    const body = { baseline_release_id: baseline, candidate_release_id: candidate, window: '7d', by }
    const times = await timesOf(rounds, () => client.call('POST', '/v1/diff/groups', body))
    tell({ what: `cost by ${by}, ${label}`, value: median(times), unit: 'ms', target })
  }
}
