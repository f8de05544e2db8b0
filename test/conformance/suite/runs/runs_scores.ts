import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { DAY_MS } from '../../../../src/base/time.ts'
import { eventOf, importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  diff,
  failedChecks,
  ingest,
  ok,
  promote,
  refusal,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Scores of runs, and of evaluations that are no runs. */
export function runScoresContract(makeService: MakeService): void {
  describe('the scores of runs', () => {
    test('are given back as they came, and a diff without any says nothing of them', async () => {
      const { service, one, two } = await releases(makeService)
      const scores = { faithfulness: 0.123456789, 'tone.polite': -1, 'a-b_c.9': 1e6 }
      await ingest(service, [eventOf({ release_id: one, run_id: 'a' })])
      expect((await ok(diff(service, [one, two]))).statistics).not.toHaveProperty('scores')
      await ingest(service, [
        eventOf({ release_id: one, run_id: 'b', scores }),
        eventOf({ release_id: one, run_id: 'c', scores: {} }),
      ])
      const page = await ok(service.call('GET /v1/runs', { query: { release_id: one, window: '1h' } }))
      expect(page.events.map((event: { scores?: unknown }) => event.scores)).toEqual([
        undefined,
        scores,
        undefined,
      ])
      const { statistics } = await ok(diff(service, [one, two]))
      expect(statistics.scores).toMatchObject([
        { name: 'a-b_c.9', baseline: { estimate: 1e6, low: null, high: null }, candidate: null },
        { name: 'faithfulness', baseline: { estimate: 0.123457 } },
        { name: 'tone.polite', baseline: { estimate: -1 } },
      ])
    })

    test.each<[string, unknown, RegExp]>([
      ['a name in capitals', { Faith: 1 }, /scores\.Faith must be a name of a-z/],
      ['a name with a slash', { 'a/b': 1 }, /must be a name of/],
      ['no number', { a: '1' }, /scores\.a must be a number/],
      ['too large', { a: 1e7 }, /scores\.a must be at most 1000000/],
      ['a list', [1], /scores must be an object/],
      ['null', null, /scores must be an object/],
      [
        'fifty-one',
        Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`s${n}`, 1])),
        /at most 50 scores/,
      ],
      [
        'ten thousand and one',
        Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`s${n}`, 1])),
        /members/,
      ],
    ])('are refused where they are %s', async (_name, scores, message) => {
      const service = await makeService()
      const body = { events: [{ ...eventOf({ release_id: 'r', run_id: 'a' }), scores }] }
      expect(await refusal(service.call('POST /v1/events', { body }), 400)).toMatch(message)
    })

    test('of the event that came first count, of a run_start none', async () => {
      const { service, one, two } = await releases(makeService)
      const given = { release_id: one, run_id: 'a' }
      await ingest(service, [
        eventOf({ ...given, scores: { f: 0.25 } }),
        eventOf({ ...given, scores: { f: 1 } }),
        eventOf({ release_id: one, run_id: 'b', type: 'run_start', scores: { f: 1 } }),
      ])
      await ingest(service, [eventOf({ ...given, scores: { f: 1, g: 1 } })])
      const { statistics } = await ok(diff(service, [one, two]))
      expect(statistics.scores).toMatchObject([
        { name: 'f', baseline: { estimate: 0.25 }, change: { baseline_runs: 1 } },
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('add up to the same in any window, by tenant too, and after a rebuild', async () => {
      const { service, one, two } = await releases(makeService)
      const random = seededRandom(7)
      const log = Array.from({ length: 300 }, (_, index) => ({
        release_id: random() < 0.5 ? one : two,
        run_id: `run-${index}`,
        at: NOON - Math.floor(random() * 3 * DAY_MS),
        tenant_id: random() < 0.5 ? 't1' : 't2',
        scores:
          random() < 0.3 ? undefined : { f: Math.floor(random() * 1000) / 1000, ok: random() < 0.5 ? 1 : 0 },
      }))
      await ingest(
        service,
        log.map(({ scores, ...given }) => eventOf(scores === undefined ? given : { ...given, scores })),
      )
      const compare = async (): Promise<void> => {
        for (let query = 0; query < 20; query++) {
          service.clock.now = NOON - Math.floor(random() * 100_000)
          const minutes = 1 + Math.floor(random() * 4000)
          const tenant_id = random() < 0.3 ? 't2' : null
          const { statistics } = await ok(
            service.call('POST /v1/diff', {
              body: { baseline_release_id: one, candidate_release_id: two, window: `${minutes}m`, tenant_id },
            }),
          )
          const inside = log.filter(
            ({ at, tenant_id: of }) =>
              at >= service.clock.now - minutes * 60_000 &&
              at < service.clock.now &&
              (tenant_id ?? of) === of,
          )
          for (const name of ['f', 'ok'] as const) {
            const found = (statistics.scores ?? []).find((score: { name: string }) => score.name === name)
            for (const [side, id] of [
              ['baseline', one],
              ['candidate', two],
            ] as const) {
              const values = inside
                .filter(event => event.release_id === id)
                .flatMap(event => event.scores?.[name] ?? [])
              expect(found?.change[`${side}_runs`] ?? 0).toBe(values.length)
              const mean = values.reduce((sum, value) => sum + value, 0) / values.length
              if (values.length > 0) expect(found[side].estimate).toBeCloseTo(mean, 9)
            }
          }
        }
      }
      await compare()
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      await compare()
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('the scores of an evaluation', () => {
    test('are no runs: nothing but scores of a diff is other than before', async () => {
      const service = await makeService({ workspace: SMALL_SAMPLES })
      const { baseline, candidate } = await twoReleases(service)
      const before = await ok(diff(service, [baseline, candidate]))
      await imported(service, baseline, [{ pass_rate: 1 }, { pass_rate: 1 }])
      await imported(service, candidate, [{ pass_rate: 1 }, { pass_rate: 0, f: 0.5 }])
      const { statistics, ...after } = await ok(diff(service, [baseline, candidate]))
      const { scores, ...others } = statistics
      expect({ ...after, statistics: others }).toEqual(before)
      expect(scores).toMatchObject([
        { name: 'regression/f', baseline: null, candidate: { estimate: 0.5 } },
        { name: 'regression/pass_rate', baseline: { estimate: 1 }, candidate: { estimate: 0.5 } },
      ])
    })

    test('are those of the newest import, which is stored once; all are listed', async () => {
      const { service, one, two } = await releases(makeService)
      const first = await imported(service, one, [{ f: 0.2 }, { f: 0.4 }])
      expect(first).toMatchObject({
        release_id: one,
        suite: 'regression',
        cases: 2,
        scores: [{ name: 'f', cases: 2, mean: 0.3 }],
      })
      expect(await imported(service, one, [{ f: 0.2 }, { f: 0.4 }])).toEqual(first)
      const second = await imported(service, one, [{ f: 0.9 }])
      const { imports } = await ok(service.call('GET /v1/scores', { query: { release_id: one } }))
      expect(imports).toEqual([second, first])
      const { statistics } = await ok(diff(service, [one, two]))
      expect(statistics.scores).toMatchObject([
        { name: 'regression/f', baseline_import_id: second.import_id, baseline: { estimate: 0.9 } },
      ])
    })

    test('decide, and the decision says by which import', async () => {
      const service = await makeService({ workspace: SMALL_SAMPLES })
      const { baseline, candidate } = await twoReleases(service)
      await ok(promote(service, baseline))
      await setPolicy(service, { min_scores: { 'regression/pass_rate': 0.8 } })
      const blocked = await promote(service, candidate)
      expect([blocked.status, blocked.body.detail.outcome.policy.reasons]).toEqual([
        409,
        [expect.stringMatching(/^too little evidence on score regression\/pass_rate: no data/)],
      ])
      const { import_id } = await imported(
        service,
        candidate,
        Array.from({ length: 50 }, () => ({ pass_rate: 1 })),
      )
      const { action_id } = await ok(promote(service, candidate))
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.evaluation.statistics.scores).toMatchObject([{ candidate_import_id: import_id }])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test.each<[string, object, number, RegExp]>([
      ['of no release', { release_id: 'rel_none' }, 400, /Unknown release: rel_none/],
      ['of a suite with another name', { suite: 'A B' }, 422, /suite/],
      ['of no case', { cases: [] }, 422, /cases/],
      ['of cases without scores', { cases: [{}] }, 400, /No case has a score/],
      ['of more scores than there may be', { cases: manyNames() }, 400, /name 60 scores/],
      ['of unknown fields', { cases: [{ a: 'x' }] }, 422, /"a".*must be a number/],
    ])('are refused where they are %s', async (_name, more, status, message) => {
      const { service, one } = await releases(makeService)
      const body = { release_id: one, suite: 'regression', cases: [{ f: 1 }], ...more }
      const answer = await service.call('POST /v1/scores', { body })
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)])
      expect((await ok(service.call('GET /v1/scores', { query: { release_id: one } }))).imports).toEqual([])
    })
  })
}

function manyNames(): Record<string, number>[] {
  return Array.from({ length: 60 }, (_, index) => ({ [`s${index}`]: 1 }))
}

async function imported(service: TestService, release_id: string, cases: unknown[]) {
  return ok(service.call('POST /v1/scores', { body: { release_id, suite: 'regression', cases } }))
}

async function releases(makeService: MakeService) {
  const service = await makeService({ workspace: SMALL_SAMPLES })
  await importPrices(service)
  const one = await register(service, { version: '1' })
  return { service, one, two: await register(service, { version: '2', model: 'm2' }) }
}
