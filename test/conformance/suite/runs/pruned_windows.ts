import { describe, expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS, isoTime } from '../../../../src/base/time.ts'
import { eventOf, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  decision,
  ingest,
  ok,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { erase, prune } from '../../../support/services/retention.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const TODAY = Math.floor(NOON / DAY_MS) * DAY_MS
/** Begins and ends within minutes, and within ten of them, that have runs on either side. */
const SINCE = TODAY - 2 * DAY_MS + 10 * 60 * MINUTE_MS + 4 * MINUTE_MS + 30_500
const HOURS = 6
const UNTIL = SINCE + HOURS * 60 * MINUTE_MS
const ROUND_SINCE = SINCE + 29_500
const ROUND_UNTIL = UNTIL - 30_500

/** Windows that begin or end where single runs can't be separated any more. */
export function prunedWindowsContract(makeService: MakeService): void {
  describe('a window that begins or ends in pruned time', () => {
    test('is counted by whole minutes, and says so', async () => {
      const { service, ids, times } = await withRuns(makeService)
      const compared = await diff(service, ids)
      expect(compared.samples).toMatchObject(samplesOf(times, SINCE, UNTIL))
      expect(compared).not.toHaveProperty('window_used')
      await prune(service.context, { before: TODAY - DAY_MS })
      const used = { since: isoTime(ROUND_SINCE), until: isoTime(ROUND_UNTIL) }
      const pruned = await diff(service, ids)
      expect(pruned).toMatchObject({
        since: compared.since,
        until: compared.until,
        window_used: used,
        samples: samplesOf(times, ROUND_SINCE, ROUND_UNTIL),
        warnings: [expect.stringContaining(`from ${used.since} to ${used.until}`)],
      })
      const query = {
        baseline_release_id: ids[0],
        candidate_release_id: ids[1],
        window: `${HOURS}h`,
        until: isoTime(UNTIL),
      }
      expect(await ok(service.call('GET /v1/confidence', { query }))).toMatchObject({
        ...samplesOf(times, ROUND_SINCE, ROUND_UNTIL),
        window_used: used,
      })
    })

    test('is counted by ten minutes where percentiles are read, which are then of the same runs', async () => {
      const { service, ids, times } = await withRuns(makeService)
      await prune(service.context, { before: TODAY - DAY_MS })
      const [since, until] = [ROUND_SINCE + 5 * MINUTE_MS, ROUND_UNTIL - 4 * MINUTE_MS]
      const { samples, window_used, statistics } = await diff(service, ids, { tails: true })
      expect(window_used).toEqual({ since: isoTime(since), until: isoTime(until) })
      expect(samples).toMatchObject(samplesOf(times, since, until))
      expect(statistics.latency_percentiles).toMatchObject({ known_since: null })
    })

    test('is the same for diff, gate and decisions, whose evidence keeps it', async () => {
      const { service, ids, times } = await withRuns(makeService)
      await setPolicy(service, { require_high_diff_confidence: false })
      await promote(service, ids[0])
      await prune(service.context, { before: TODAY - DAY_MS })
      // Windows of live releases end now.
      service.clock.now = SINCE + 3 * DAY_MS
      const window = { window: '3d' }
      const used = { since: isoTime(ROUND_SINCE), until: isoTime(service.clock.now) }
      const samples = samplesOf(times, ROUND_SINCE, service.clock.now)
      const body = { baseline_release_id: ids[0], candidate_release_id: ids[1], ...window }
      const compared = await ok(service.call('POST /v1/diff', { body }))
      expect(compared).toMatchObject({ window_used: used, samples })
      const path = `/v1/gate/bot/local`
      for (const _ of ['first', 'again']) {
        const gate = await ok(service.call(`GET ${path}`, { query: { release_id: ids[1], ...window } }))
        expect(gate).toMatchObject({ window_used: used, samples, metrics: compared.metrics })
        expect(gate.warnings).toContainEqual(expect.stringContaining(`from ${used.since}`))
      }
      const outcome = await ok(service.call('POST /v1/promote', { body: decision(ids[1], window) }))
      expect(outcome).toMatchObject({ window_used: used })
      expect(outcome.policy.warnings).toContainEqual(expect.stringContaining(`from ${used.since}`))
      const { evidence } = await ok(service.call(`GET /v1/actions/${outcome.action_id}`))
      expect(evidence).toMatchObject({ window_used: used, evaluation: { metrics: compared.metrics } })
      const explained = await ok(service.call(`GET /v1/actions/${outcome.action_id}/explain`))
      expect(explained).toMatchObject({ window_used: used, equal: true })
    })

    test('is not cut where nothing of its first and last minute is gone', async () => {
      const { service, ids, times } = await withRuns(makeService)
      await prune(service.context, { before: TODAY - DAY_MS })
      const whole = await diff(service, ids, { until: isoTime(ROUND_UNTIL) })
      expect(whole).not.toHaveProperty('window_used')
      expect(whole.samples).toMatchObject(samplesOf(times, ROUND_UNTIL - HOURS * 60 * MINUTE_MS, ROUND_UNTIL))
      const empty = isoTime(TODAY - 2 * DAY_MS + 5 * 60 * MINUTE_MS + 7)
      expect(await diff(service, ids, { until: empty })).not.toHaveProperty('window_used')
    })

    test('is cut after an erasure as well, and may be empty then', async () => {
      const { service, ids } = await withRuns(makeService)
      await erase(service.context, 't1')
      const used = { since: isoTime(ROUND_SINCE), until: isoTime(ROUND_UNTIL) }
      expect(await diff(service, ids)).toMatchObject({ window_used: used })
      const short = await diff(service, ids, { window: '1m', until: isoTime(SINCE + MINUTE_MS) })
      expect(short).toMatchObject({
        window_used: { since: used.since, until: used.since },
        samples: { baseline_runs: 0, candidate_runs: 0 },
      })
    })

    test('that ends now counts the newest minute after an erasure', async () => {
      const service = await makeService({ workspace: SMALL_SAMPLES })
      service.clock.now = UNTIL
      const { baseline, candidate } = await twoReleases(service, 0)
      const runs = (tenant: string, success: boolean) =>
        [baseline, candidate].flatMap(release_id =>
          Array.from({ length: 30 }, (_, index) =>
            eventOf({
              release_id,
              run_id: `${tenant}-${release_id}-${index}`,
              at: UNTIL - 1 - index * 1000,
              tenant_id: tenant,
              success,
            }),
          ),
        )
      await ingest(service, [...runs('t1', true), ...runs('t2', false)])
      await erase(service.context, 't1')
      for (const more of [{}, { tails: true }]) {
        const { samples, window_used, metrics } = await diff(service, [baseline, candidate], more)
        expect([samples, window_used]).toMatchObject([{ baseline_runs: 60, candidate_runs: 60 }, undefined])
        expect(metrics).toMatchObject({ candidate_error_rate: 0.5 })
      }
    })
  })
}

/** Two releases with a run each seven seconds in the minutes around both ends, and one a minute between. */
async function withRuns(makeService: MakeService) {
  const service = await makeService({ workspace: SMALL_SAMPLES })
  const { baseline, candidate } = await twoReleases(service, 0)
  const around = (at: number): number[] =>
    Array.from({ length: 180 }, (_, index) => at - 10 * MINUTE_MS + index * 7000)
  const between = Array.from({ length: 300 }, (_, index) => SINCE + (20 + index) * MINUTE_MS)
  const times = [...around(SINCE), ...between, ...around(UNTIL)]
  const ids = [baseline, candidate] as const
  for (const release_id of ids) {
    const events = times.map((at, index) =>
      eventOf({ release_id, run_id: `${release_id}-${index}`, at, latency: 100 + (index % 50) }),
    )
    await ingest(service, events.slice(0, 400))
    await ingest(service, events.slice(400))
  }
  return { service, ids, times }
}

function samplesOf(times: readonly number[], since: number, until: number) {
  const runs = times.filter(at => at >= since && at < until).length
  return { baseline_runs: runs, candidate_runs: runs }
}

function diff(service: TestService, [baseline, candidate]: readonly [string, string], more: object = {}) {
  const body = { window: `${HOURS}h`, until: isoTime(UNTIL), ...more }
  return ok(
    service.call('POST /v1/diff', {
      body: { baseline_release_id: baseline, candidate_release_id: candidate, ...body },
    }),
  )
}
