import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { benchClient } from '../client.ts'
import { type Figure, type Scenario, median, timesOf } from '../harness.ts'
import { benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { startBenchServer } from '../load.ts'

/** Cases of the largest import, and of a suite that is compared. */
const CASES = { most: 100_000, compared: 10_000 } as const
/** Cases of a request. */
const PART = 1000
/** Suites that are compared for the first time. */
const SUITES = 15

/** Imports of evaluations, and what it costs to compare two of them. */
export const scoresScenario: Scenario = {
  name: 'scores',
  about: 'cases of evaluations over HTTP: imported part by part, compared case by case',
  run: async ({ quick }, report) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const { services, close } = await servedLedger(folder)
    const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
    await fillEvents(services, releases, 0, 500, Date.now())
    await close()
    const server = await startBenchServer('service', folder)
    const client = benchClient(server.url)
    const tell = (figure: Omit<Figure, 'scenario'>): void => report({ scenario: 'scores', ...figure })
    const send = async (release_id: string, suite: string, cases: number): Promise<void> => {
      let import_id: string | undefined
      for (let part = 0; part * PART < cases; part++) {
        const some = Array.from({ length: Math.min(PART, cases - part * PART) }, (_, n) =>
          caseOf(part * PART + n, release_id === releases[1]),
        )
        const at = import_id === undefined ? {} : { import_id, part }
        const body = { release_id, suite, ...at, cases: some }
        import_id = (JSON.parse(await client.call('POST', '/v1/scores/cases', body)) as { import_id: string })
          .import_id
      }
      const parts = Math.ceil(cases / PART)
      await client.call('POST', '/v1/scores', { release_id, suite, import_id, parts })
    }
    try {
      const [most, compared] = quick ? [2000, 1000] : [CASES.most, CASES.compared]
      const times: number[] = []
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        const startedAt = performance.now()
        await send(releases[0], `large-${round}`, most)
        times.push(performance.now() - startedAt)
      }
      const count = (n: number): string => n.toLocaleString('en-US')
      tell({
        what: `import of ${count(most)} cases`,
        value: median(times),
        unit: 'ms',
        target: { atMost: 5000 },
      })
      const suites = Array.from({ length: quick ? 1 : SUITES }, (_, n) => `suite-${n}`)
      for (const suite of suites) for (const release of releases) await send(release, suite, compared)
      const [baseline_release_id, candidate_release_id] = releases
      const diff = (suite: string) =>
        client.call('POST', '/v1/scores/diff', { baseline_release_id, candidate_release_id, suite })
      const first: number[] = []
      for (const suite of suites) {
        const startedAt = performance.now()
        await diff(suite)
        first.push(performance.now() - startedAt)
      }
      const label = `diff of a suite of ${count(compared)} cases`
      tell({ what: `${label}, first asked, p50`, value: median(first), unit: 'ms', target: { atMost: 50 } })
      const again = await timesOf(quick ? 3 : 100, () => diff(suites.at(-1)!))
      tell({ what: `${label}, asked again, p50`, value: median(again), unit: 'ms' })
      const whole = { baseline_release_id, candidate_release_id, window: '7d' }
      const all = await timesOf(quick ? 3 : 20, () => client.call('POST', '/v1/diff', whole))
      tell({ what: `diff of all, with ${suites.length} such suites, p50`, value: median(all), unit: 'ms' })
    } finally {
      client.close()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** One case in twenty fails, and of the candidate another one in a hundred. */
function caseOf(n: number, isCandidate: boolean): object {
  const passed = n % 20 !== 0 && !(isCandidate && n % 100 === 7)
  return {
    id: `refunds/${Math.floor(n / 50)}/case-${n}`,
    passed,
    scores: { faithfulness: ((n * 7919) % 1000) / 1000 },
    duration_ms: 800 + (n % 500),
    tokens: 1200 + (n % 300),
    trace_id: n.toString(16).padStart(32, '0'),
  }
}
