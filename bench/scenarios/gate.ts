import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchClient } from '../client.ts'
import { sumEvents } from '../../src/runtime/keep.ts'
import { type Figure, type Scenario, median, percentile, timesOf } from '../harness.ts'
import { benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { load, startBenchServer } from '../load.ts'

/** Controllers that ask, each over a connection of its own. */
const CONTROLLERS = 100
/** Calls whose median is reported; a server has compiled its functions after some 200. */
const CALLS = 501
/** Windows, so that as many questions differ. */
const QUESTIONS = 10

/** With a limit on a change, for which tenants and tasks are read too. */
const POLICY = { require_high_diff_confidence: false, max_cost_increase_pct: 0.2 }

/** What it costs to ask the gate, by one and by many who ask the same or not. */
export const gateScenario: Scenario = {
  name: 'gate',
  about: `GET /v1/gate over HTTP, one client, then ${CONTROLLERS} without a pause`,
  run: async ({ quick, size }, report) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const { services, close } = await servedLedger(folder)
    const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
    const events = quick ? 1000 : size
    await fillEvents(services, releases, 0, events / 2, Date.now())
    // The server of the bench has no upkeep of its own.
    await sumEvents(services)
    await close()
    const server = await startBenchServer('service', folder)
    const client = benchClient(server.url)
    try {
      const tell = (figure: Omit<Figure, 'scenario'>): void => report({ scenario: 'gate', ...figure })
      const label = `of ${events.toLocaleString('en-US')} events`
      const [baseline, candidate] = releases
      await client.call('PUT', '/v1/policy', POLICY)
      await client.call('POST', '/v1/promote', {
        release_id: baseline,
        environment: 'local',
        window: '7d',
        reason: 'bench',
      })
      const path = (window: string): string => `/v1/gate/bench/local?window=${window}&release_id=${candidate}`
      requireEvidence(await client.call('GET', path('7d')))
      const alone = await timesOf(quick ? 3 : CALLS, () => client.call('GET', path('7d')))
      const diff = { baseline_release_id: baseline, candidate_release_id: candidate, window: '7d' }
      const diffs = await timesOf(quick ? 3 : CALLS, () => client.call('POST', '/v1/diff', diff))
      tell({ what: 'the diff of the same, p50', value: median(diffs), unit: 'ms' })
      tell({ what: `one asks, p50, ${label}`, value: median(alone), unit: 'ms', target: { atMost: 5 } })
      const seconds = quick ? 0.2 : 5
      const same = await load({ url: server.url + path('7d') }, CONTROLLERS, seconds)
      const rate = same.length / seconds
      tell({ what: 'all ask the same', value: rate, unit: 'req/s', target: { atLeast: 1000 } })
      tell({ what: 'all ask the same, p99', value: percentile(same, 0.99), unit: 'ms' })
      const windows = Array.from({ length: QUESTIONS }, (_, index) => `${index + 1}d`)
      const mixed = await Promise.all(
        windows.map(window => load({ url: server.url + path(window) }, CONTROLLERS / QUESTIONS, seconds)),
      )
      const answered = mixed.reduce((sum, times) => sum + times.length, 0)
      tell({ what: `${QUESTIONS} questions by ten each`, value: answered / seconds, unit: 'req/s' })
    } finally {
      client.close()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Throws where a gate did not judge the limit by the runs of both releases. */
function requireEvidence(gate: string): void {
  const { statistics } = JSON.parse(gate) as {
    statistics: { limits: { baseline_runs: number; candidate_runs: number }[] } | null
  }
  const judged = statistics?.limits.filter(limit => limit.baseline_runs > 0 && limit.candidate_runs > 0)
  if (judged?.length !== 1) throw new Error(`the gate judged no limit by runs: ${gate}`)
}
