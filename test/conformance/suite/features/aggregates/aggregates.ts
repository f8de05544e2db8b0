import { assert, asyncProperty, integer } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../../src/base/numbers.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../../../../src/base/time.ts'
import {
  type EngineRun,
  aggregatesOf,
  engineRuns,
  headerOf,
  linesOf,
} from '../../../../support/aggregates/aggregates.ts'
import { checkWatches } from '../../../../../src/features/watch/tick.ts'
import { SqlError } from '../../../../../src/sql/port.ts'
import { randomLog } from '../../../../support/databases/random_log.ts'
import { scaled } from '../../../../support/scale.ts'
import { eventOf, importPrices, register, releaseOf } from '../../../../support/services/builders.ts'
import {
  diffOf,
  failedChecks,
  ingest,
  ok,
  promote,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService, sameLedger } from '../../../../support/services/service.ts'
import { summed } from '../../../../support/services/segments.ts'

type Fields = Record<string, unknown>

const CLI = { kind: 'cli', actor: 'test' } as const

/** What the tests of a contract share: services with two releases, and runs of theirs. */
function sceneOf(makeService: MakeService) {
  const NDJSON = { 'content-type': 'application/x-ndjson' }
  const send = (service: TestService, lines: string, query: Record<string, string> = {}) =>
    service.call('POST /v1/aggregates', { body: lines, headers: NDJSON, query })
  const sendOk = (service: TestService, header: Fields, aggregates: readonly Fields[]) =>
    ok(send(service, linesOf(header, aggregates)))

  async function scene() {
    const service = await makeService()
    await importPrices(service)
    const baseline = await register(service, { version: '1' })
    const candidate = await register(service, { version: '2', model: 'm2' })
    return { service, baseline, candidate }
  }

  /** Runs of a release, a minute apart up to noon. */
  const runsOf = (release_id: string, count: number, more: Partial<EngineRun> = {}): EngineRun[] =>
    Array.from({ length: count }, (_, index) => ({
      release_id,
      environment: 'local',
      agent_id: 'bot',
      tenant_id: `t${index % 3}`,
      task_id: 'k1',
      at: NOON - (index + 1) * MINUTE_MS + 17,
      isEnd: true,
      success: index % 10 !== 0,
      latency: 100 + (index % 7) * 10,
      usage: [{ provider: 'acme', model: 'm1', input: 1000 + index, output: 500, cached: 0, written: 0 }],
      scores: {},
      ...more,
    }))
  const ofLastHours = (hours: number) => headerOf(NOON - hours * HOUR_MS, NOON)
  return { NDJSON, send, sendOk, scene, runsOf, ofLastHours }
}

/** Imports, whose batches and sizes differ between databases. */
export function aggregateImportsContract(makeService: MakeService): void {
  const { send, sendOk, scene, runsOf, ofLastHours } = sceneOf(makeService)

  describe('aggregates of a source', () => {
    test('make the comparisons that their events make, in every figure that counts failed runs too', async () => {
      await assert(
        asyncProperty(integer(), async seed => {
          const [events, aggregates] = [await scene(), await scene()]
          const ids = [events.baseline, events.candidate] as const
          expect([aggregates.baseline, aggregates.candidate]).toEqual(ids)
          const log = randomLog(seededRandom(seed), ids, 300)
            .filter(({ at }) => at < NOON)
            .map(({ json }) => json)
          // Sums don't tell which runs were under way when a release began: both ran before the windows.
          const earlier = [96, 26].flatMap(hours =>
            ids.map(release_id =>
              eventOf({
                release_id,
                run_id: `${release_id}-${hours}`,
                at: NOON - hours * HOUR_MS + MINUTE_MS,
              }),
            ),
          )
          log.push(...earlier)
          await ingest(events.service, log)
          await summed(events.service)
          const lines = aggregatesOf(engineRuns(log))
          await sendOk(aggregates.service, ofLastHours(4 * 24), lines)
          for (const window of ['3d', '2h']) {
            for (const policy of [{}, { compare_by: 'tenant' }] as { compare_by?: string }[]) {
              const body = { window, tails: true, ...policy }
              const [expected, found] = [
                await diffOf(events.service, ids, body),
                await diffOf(aggregates.service, ids, body),
              ]
              // Aggregates don't tell failed runs apart, which is said.
              expect(expected.statistics.of_succeeded).toBe(true)
              expect(found.statistics.of_succeeded).toBeUndefined()
              expect(found.statistics.warnings).toContainEqual(expect.stringMatching(/failed ones too/))
              const wanted = overAllRuns(expected)
              expect(
                policy.compare_by === 'tenant' ? likeNear(overAllRuns(found), wanted) : overAllRuns(found),
              ).toEqual(wanted)
            }
          }
          expect(await failedChecks(aggregates.service, true)).toEqual([])
          await ok(aggregates.service.call('POST /v1/rollups/rebuild', { body: {} }))
          expect(await failedChecks(aggregates.service, true)).toEqual([])
        }),
        { numRuns: scaled(1, 40), endOnFailure: true },
      )
    })

    test('end the same in any order, and twice', async () => {
      const states = [0, 1, 2].map(state => (id: string) => ({
        header: { ...ofLastHours(2), as_of: isoTime(NOON + state) },
        // A late run, and a corrected model name.
        aggregates: aggregatesOf([
          ...runsOf(id, 100 + state),
          ...runsOf(id, 3, {
            at: NOON - 90 * MINUTE_MS,
            usage: [
              {
                provider: 'acme',
                model: state === 1 ? 'm1' : 'm2',
                input: 5,
                output: 5,
                cached: 0,
                written: 0,
              },
            ],
          }),
        ]),
      }))
      const outcomes = []
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 1, 0, 2],
      ]) {
        const { service, baseline, candidate } = await scene()
        for (const at of order) {
          const { header, aggregates } = states[at]!(baseline)
          const firstHour = aggregates.filter(aggregate => (aggregate.at_ms as number) < NOON - HOUR_MS)
          const covers = { from_ms: NOON - 2 * HOUR_MS, to_ms: NOON - HOUR_MS }
          await sendOk(service, { ...header, covers }, firstHour)
          await sendOk(service, header, aggregates.toReversed())
          expect(await sendOk(service, header, aggregates)).toMatchObject({ unchanged: true })
        }
        outcomes.push(figures(await diffOf(service, [baseline, candidate], { tails: true })))
        expect(await failedChecks(service, true)).toEqual([])
      }
      expect(outcomes[1]).toEqual(outcomes[0])
      expect(outcomes[2]).toEqual(outcomes[0])
    })

    test('of several sources add up; what one does not name any more is gone', async () => {
      const { service, baseline, candidate } = await scene()
      const runs = runsOf(baseline, 100)
      const other = { source: 'clickhouse-us' }
      await sendOk(service, ofLastHours(2), aggregatesOf(runs.slice(0, 60)))
      await sendOk(service, { ...ofLastHours(2), ...other }, aggregatesOf(runs.slice(60)))
      const ids = [baseline, candidate] as const
      expect((await diffOf(service, ids)).samples.baseline_runs).toBe(100)
      const none = linesOf({ ...ofLastHours(2), ...other, as_of: isoTime(NOON + 1) }, [])
      expect(await refusal(send(service, none), 400)).toMatch(/had \d+ runs in the hour .* allow_fewer/)
      expect((await diffOf(service, ids)).samples.baseline_runs).toBe(100)
      expect(await ok(send(service, none, { allow_fewer: 'true', reason: 'a test' }))).toMatchObject({
        hours: 2,
      })
      expect((await diffOf(service, ids)).samples.baseline_runs).toBe(60)
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'aggregates.fewer' } }))
      expect(entries).toMatchObject([{ reason: 'a test', details: { source: 'clickhouse-us' } }])
      expect(await failedChecks(service, true)).toEqual([])
    })
  })
}

/** Sums of runs that an engine elsewhere has. */
export function aggregatesContract(makeService: MakeService): void {
  const { NDJSON, send, sendOk, scene, runsOf, ofLastHours } = sceneOf(makeService)

  describe('an import', () => {
    test('ends the same after a kill at any batch, once the same is sent again', async () => {
      const { service, baseline, candidate } = await scene()
      const aggregates = aggregatesOf(runsOf(baseline, 300))
      const header = { ...headerOf(NOON - 80 * HOUR_MS, NOON), as_of: isoTime(NOON) }
      await sendOk(service, header, aggregates)
      const whole = figures(await diffOf(service, [baseline, candidate], { tails: true, window: '5d' }))
      for (const failing of [1, 2, 3, 4]) {
        const other = await scene()
        let left = failing
        const db = other.service.sql
        const dying = await sameLedger(other.service, {
          ...db,
          batch: (...given) =>
            given[0].some(({ text }) => text.includes('aggregate_writes')) && left-- === 1
              ? Promise.reject(new SqlError('unavailable', 'killed'))
              : db.batch(...given),
        })
        expect((await send(dying, linesOf(header, aggregates))).status).toBe(left < 1 ? 503 : 200)
        expect(await failedChecks(other.service, true)).toEqual([])
        await sendOk(other.service, header, aggregates)
        const ids = [other.baseline, other.candidate] as const
        expect(figures(await diffOf(other.service, ids, { tails: true, window: '5d' }))).toEqual(whole)
      }
    })
  })

  describe('a day of a release', () => {
    test('is fed by events or by sources, never by both', async () => {
      const { service, baseline, candidate } = await scene()
      await sendOk(service, ofLastHours(2), aggregatesOf(runsOf(baseline, 50)))
      const late = [
        eventOf({ release_id: baseline, run_id: 'a', at: NOON - 1 }),
        eventOf({ release_id: baseline, run_id: 'b', at: NOON - 25 * HOUR_MS }),
        eventOf({ release_id: candidate, run_id: 'c', at: NOON - 1 }),
      ]
      expect(await ok(service.call('POST /v1/events', { body: { events: late } }))).toMatchObject({
        inserted: 2,
        skipped: 1,
        fed_by: ['clickhouse-eu'],
        warnings: [expect.stringContaining('clickhouse-eu sums')],
      })
      expect((await diffOf(service, [baseline, candidate])).samples).toMatchObject({
        baseline_runs: 50,
        candidate_runs: 1,
      })
      const ofEvents = linesOf({ ...ofLastHours(2), source: 'duckdb' }, aggregatesOf(runsOf(candidate, 5)))
      expect(await refusal(send(service, ofEvents), 400)).toContain('has run events on 2026-01-31')
      // A day earlier the baseline has an event.
      const earlier = headerOf(NOON - 30 * HOUR_MS, NOON - 24 * HOUR_MS)
      const before = linesOf(
        earlier,
        aggregatesOf(runsOf(baseline, 5).map(run => ({ ...run, at: run.at - DAY_MS }))),
      )
      expect(await refusal(send(service, before), 400)).toContain('has run events on 2026-01-30')
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('says where its runs are, where single runs are needed', async () => {
      const { service, baseline, candidate } = await scene()
      const run_url = 'https://traces.internal/?release={release}&from={from_ms}&to={to_ms}'
      const runs = [...runsOf(baseline, 100), ...runsOf(candidate, 100)]
      await sendOk(service, { ...ofLastHours(2), run_url }, aggregatesOf(runs))
      const ids = { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h' }
      const text = await refusal(service.call('POST /v1/diff', { body: { ...ids, tenant_id: 't1' } }), 400)
      expect(text).toContain(
        `kept as sums by clickhouse-eu; they are at https://traces.internal/?release=${candidate}`,
      )
      expect(
        await refusal(
          service.call('POST /v1/diff/groups', { body: { ...ids, by: 'tenant', metric: 'error_rate' } }),
          400,
        ),
      ).toContain('kept as sums by clickhouse-eu')
      const list = await ok(service.call('GET /v1/runs', { query: { release_id: baseline, window: '1h' } }))
      expect(list).toMatchObject({ matched_total: 0, warnings: [expect.stringContaining('traces.internal')] })
      const clustered = await diffOf(service, [baseline, candidate], { cluster_by: 'session' })
      expect(clustered.statistics.error_rate.inconclusive_because).toBe('not_comparable')
      expect(clustered.statistics.warnings).toContainEqual(
        expect.stringContaining("can't be grouped by session"),
      )
    })
  })

  describe('who may send aggregates', () => {
    test('is an admin, and a token for their source, which is good for nothing else', async () => {
      const { service, baseline, candidate } = await scene()
      const make = async (name: string, role: string, more = {}) => {
        const made = await ok(service.call('POST /v1/tokens', { body: { name, role, ...more }, peer: CLI }))
        return { ...NDJSON, authorization: `Bearer ${made.token}` }
      }
      const admin = await make('boss', 'admin')
      const own = await make('feeder', 'ingest', { source: 'clickhouse-eu' })
      const others = [await make('events', 'ingest'), await make('deploys', 'write')]
      const body = linesOf(ofLastHours(2), aggregatesOf(runsOf(baseline, 5)))
      for (const headers of others)
        expect(await refusal(service.call('POST /v1/aggregates', { body, headers }), 403)).toBe(
          'This token may not send aggregates. That needs a token for their source, or the role admin.',
        )
      await ok(service.call('POST /v1/aggregates', { body, headers: own }))
      const foreign = linesOf({ ...ofLastHours(2), source: 'duckdb' }, aggregatesOf(runsOf(candidate, 5)))
      const text = await refusal(service.call('POST /v1/aggregates', { body: foreign, headers: own }), 403)
      expect(text).toContain('aggregates of clickhouse-eu only')
      const fewer = { query: { allow_fewer: 'true' }, headers: own, body }
      expect(await refusal(service.call('POST /v1/aggregates', fewer), 403)).toContain('needs the role admin')
      const event = { events: [eventOf({ release_id: candidate, run_id: 'a' })] }
      const authorization = { authorization: own.authorization }
      expect((await service.call('POST /v1/events', { body: event, headers: authorization })).status).toBe(
        403,
      )
      expect((await service.call('GET /v1/aggregates/sources', { headers: authorization })).status).toBe(403)
      await ok(service.call('POST /v1/aggregates', { body: foreign, headers: admin }))
      const { sources } = await ok(
        service.call('GET /v1/aggregates/sources', { headers: { authorization: admin.authorization } }),
      )
      expect(sources).toMatchObject([
        {
          source: 'clickhouse-eu',
          created_by: 'feeder',
          covered_until: isoTime(NOON),
          feeds: [{ release_id: baseline, environment: 'local', from: '2026-01-31' }],
        },
        { source: 'duckdb', created_by: 'boss', releases: 1 },
      ])
    })
  })

  test('a source takes no aggregates of others away by whom is for some agents alone', async () => {
    const { service, baseline } = await scene()
    const other = await register(service, { agent: 'other' })
    const runs = [...runsOf(baseline, 20), ...runsOf(other, 30, { agent_id: 'other' })]
    await sendOk(service, ofLastHours(1), aggregatesOf(runs))
    const make = async (name: string, more: object) => {
      const body = { name, agents: ['bot'], ...more }
      const { token } = await ok(service.call('POST /v1/tokens', { body, peer: CLI }))
      return { ...NDJSON, authorization: `Bearer ${token}` }
    }
    const feeder = await make('feeder', { role: 'ingest', source: 'clickhouse-eu' })
    const boss = await make('boss', { role: 'admin' })
    const later = { ...ofLastHours(1), as_of: isoTime(NOON + 1000) }
    const body = linesOf(later, aggregatesOf(runsOf(baseline, 50)))
    const query = { allow_fewer: 'true', reason: 'gone' }
    for (const call of [{ headers: feeder }, { headers: boss, query }]) {
      const text = await refusal(service.call('POST /v1/aggregates', { body, ...call }), 403)
      expect(text).toContain('these hours have aggregates of other sources')
    }
    const none = {
      ...headerOf(NOON - 3 * HOUR_MS, NOON - 2 * HOUR_MS),
      run_url: 'https://elsewhere.internal/',
    }
    for (const headers of [feeder, boss]) {
      const text = await refusal(
        service.call('POST /v1/aggregates', { body: linesOf(none, []), headers }),
        403,
      )
      expect(text).toContain('feeds others too, and this import names another engine, query or run_url')
    }
    const own = linesOf({ ...later, source: 'own' }, aggregatesOf(runsOf(baseline, 50)))
    await ok(service.call('POST /v1/aggregates', { body: own, headers: boss }))
  })

  describe('windows', () => {
    test.each([
      [60, NOON - HOUR_MS, NOON - MINUTE_MS],
      [3600, NOON - 2 * HOUR_MS, NOON - HOUR_MS],
    ])('of aggregates %d s wide end at whole ones', async (width_s, since, until) => {
      const { service, baseline, candidate } = await scene()
      const runs = [...runsOf(baseline, 200), ...runsOf(candidate, 200)]
      await sendOk(service, ofLastHours(4), aggregatesOf(runs, { width_s, segments: false }))
      const body = { window: width_s === 60 ? '1h' : '2h', until: isoTime(NOON - 30_500) }
      const found = await diffOf(service, [baseline, candidate], body)
      expect(found.window_used).toEqual({ since: isoTime(since), until: isoTime(until) })
      expect(found.samples.baseline_runs).toBe(
        runs.filter(run => run.release_id === baseline && run.at >= since && run.at < until).length,
      )
      expect(await diffOf(service, [baseline, candidate], body)).toEqual(found)
    })

    test('that ended where a source did reach further once it does', async () => {
      const { service, baseline, candidate } = await scene()
      const until = NOON + 30 * MINUTE_MS
      service.clock.now = until
      const runs = (at: number) =>
        aggregatesOf([...runsOf(baseline, 20, { at }), ...runsOf(candidate, 20, { at })], { segments: false })
      const compare = () => diffOf(service, [baseline, candidate], { window: '2h', until: isoTime(until) })
      await sendOk(service, headerOf(NOON - HOUR_MS, NOON), runs(NOON - MINUTE_MS))
      const ofBoth = { since: isoTime(NOON - 90 * MINUTE_MS), until: isoTime(NOON) }
      for (const _ of [1, 2]) {
        const { window_used, samples } = await compare()
        expect([window_used, samples.baseline_runs]).toEqual([ofBoth, 20])
      }
      await sendOk(service, headerOf(NOON, until), runs(NOON + MINUTE_MS))
      for (const _ of [1, 2]) {
        const { window_used, samples } = await compare()
        expect([window_used, samples.baseline_runs]).toEqual([undefined, 40])
      }
    })
  })

  describe('a decision', () => {
    test('keeps its sources as evidence, and waits for one that is behind', async () => {
      const { service, baseline, candidate } = await scene()
      const runs = [...runsOf(baseline, 100), ...runsOf(candidate, 100)]
      await ok(promote(service, baseline, { window: '2h' }))
      await setPolicy(service, {})
      await sendOk(service, ofLastHours(2), aggregatesOf(runs))
      const passed = await ok(promote(service, candidate, { window: '2h' }))
      const { evidence } = await ok(service.call(`GET /v1/actions/${passed.action_id}`))
      expect(evidence.evaluation.candidate.sources).toEqual([
        {
          source: 'clickhouse-eu',
          engine: 'ClickHouse 26.9',
          query_sha256: 'f'.repeat(64),
          covered_until: isoTime(NOON),
          oldest_as_of: isoTime(NOON),
          newest_as_of: isoTime(NOON),
          imports: 1,
          aggregates: expect.any(Number),
          runs: 100,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ])
      service.clock.now = NOON + 30 * MINUTE_MS
      const gate = await ok(
        service.call('GET /v1/gate/bot/local', { query: { release_id: baseline, window: '2h' } }),
      )
      expect(gate).toMatchObject({
        verdict: 'inconclusive',
        reasons: [expect.stringContaining('clickhouse-eu')],
      })
      const blocked = await promote(service, baseline, { window: '2h' })
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome.policy.reasons).toEqual([
        expect.stringMatching(
          /too little evidence on what clickhouse-eu sums: its aggregates reach to 2026-01-31T12:00/,
        ),
      ])
      const explained = await ok(
        service.call(`GET /v1/actions/${blocked.body.detail.outcome.action_id}/explain`),
      )
      expect(explained).toMatchObject({ equal: true })
    })
  })

  describe('limits on tools', () => {
    test.each([
      [{ max_tool_calls_increase_pct: 0.5 }, /no data against max_tool_calls_increase_pct/],
      [{ max_undeclared_tool_calls: 0 }, /not measured: clickhouse-eu keeps runs as sums/],
    ])('block promotions of what is kept as sums, which say nothing of tools: %j', async (policy, reason) => {
      const { service, baseline } = await scene()
      const artifact = releaseOf({ version: '3' })
      const declaring = { ...artifact, spec: { ...artifact.spec, tools: { tool_names: ['search'] } } }
      const body = { artifact: declaring, checksum: 'b'.repeat(64) }
      const { release_id } = await ok(service.call('POST /v1/releases', { body }))
      await ok(promote(service, baseline, { window: '2h' }))
      await sendOk(
        service,
        ofLastHours(2),
        aggregatesOf([...runsOf(baseline, 100), ...runsOf(release_id, 100)]),
      )
      await setPolicy(service, policy)
      const blocked = await promote(service, release_id, { window: '2h' })
      expect(blocked.status).toBe(409)
      const { action_id, policy: judged } = blocked.body.detail.outcome
      expect(judged.reasons).toEqual([expect.stringMatching(reason)])
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      await setPolicy(service, {})
      await ok(promote(service, release_id, { window: '2h' }))
    })
  })

  describe('how far a source is behind', () => {
    test('is in /metrics, and past an hour the doctor warns', async () => {
      const { service, baseline } = await scene()
      const metrics = async () => {
        const { text } = await service.call('GET /metrics')
        return text.split('\n').filter((line: string) => line.startsWith('service_aggregates_behind_seconds'))
      }
      const warnings = async () => {
        const { checks } = await ok(service.call('GET /v1/doctor'))
        return checks.filter(({ name }: Fields) => name === 'aggregate_sources')
      }
      expect(await metrics()).toEqual([])
      const now = Date.now()
      const [late, current] = [now - 3 * HOUR_MS, now].map(at => Math.floor(at / MINUTE_MS) * MINUTE_MS)
      service.clock.now = now
      for (const [source, to] of [
        ['late', late!],
        ['current', current!],
      ] as const) {
        const from = Math.floor(to / HOUR_MS) * HOUR_MS - HOUR_MS
        const runs = runsOf(baseline, 1, { at: from + 1 })
        await sendOk(service, headerOf(from, to, { source }), aggregatesOf(runs))
      }
      const [first, second] = await metrics()
      expect(
        Number(/^service_aggregates_behind_seconds\{source="late"\} (\S+)$/.exec(first!)![1]),
      ).toBeGreaterThanOrEqual(10_800)
      expect(
        Number(/^service_aggregates_behind_seconds\{source="current"\} (\S+)$/.exec(second!)![1]),
      ).toBeLessThan(600)
      expect(await warnings()).toEqual([
        {
          name: 'aggregate_sources',
          ok: true,
          warning: true,
          detail: expect.stringContaining(`the aggregates of late reach to ${isoTime(late!)}`),
        },
      ])
    })
  })

  describe('what watches and splits', () => {
    test('is inconclusive where a source is behind, and refused where single runs are counted', async () => {
      const { service, baseline, candidate } = await scene()
      await setPolicy(service, { max_error_rate_increase: 0.1, watch: { for: '2h' } })
      await ok(promote(service, baseline, { window: '2h' }))
      await sendOk(
        service,
        ofLastHours(4),
        aggregatesOf([...runsOf(baseline, 200), ...runsOf(candidate, 200)]),
      )
      const plan = { release_id: candidate, environment: 'local', reason: 'a test', steps: '50%:1h' }
      expect(await refusal(service.call('POST /v1/rollouts', { body: plan }), 400)).toContain(
        'is fed by sums of clickhouse-eu',
      )
      await ok(promote(service, candidate, { window: '2h' }))
      service.clock.now = NOON + 2 * HOUR_MS
      await checkWatches(service.context)
      const { watches } = await ok(service.call('GET /v1/watches'))
      expect(watches.find((watch: Fields) => watch.release_id === candidate)).toMatchObject({
        state: 'inconclusive',
        ended_because: expect.stringContaining('its aggregates reach to 2026-01-31T12:00'),
      })
    })
  })

  describe('what no runs add up to', () => {
    const spoilt: readonly (readonly [string, string, (aggregate: Fields) => void])[] = [
      [
        'latency in seconds',
        'latency_sum',
        aggregate => void (aggregate.latency_sum = Math.round((aggregate.latency_sum as number) / 1000)),
      ],
      [
        'latency 3 % too high',
        'latency_s',
        aggregate => void (aggregate.latency_sum = Math.ceil((aggregate.latency_sum as number) * 1.03) + 1),
      ],
      [
        'squares off by one',
        'latency_sq',
        aggregate => void (aggregate.latency_sq = (aggregate.latency_sq as number) + 1),
      ],
      [
        'more errors than runs',
        'errors',
        aggregate => void (aggregate.errors = (aggregate.runs as number) + 1),
      ],
      ['a negative sum', 'input_sum', aggregate => void (aggregate.input_sum = -1)],
      ['half a run', 'runs', aggregate => void (aggregate.runs = 0.5)],
      ['a product beyond its factors', 'input_output', aggregate => void (aggregate.input_output = 1e15)],
      ['outside what is covered', 'at_ms', aggregate => void (aggregate.at_ms = NOON)],
      [
        'a bucket off its width',
        'at_ms',
        aggregate => void (aggregate.at_ms = (aggregate.at_ms as number) + 1),
      ],
      [
        'an overlapping width',
        'width_s',
        aggregate => void Object.assign(aggregate, { width_s: 3600, at_ms: NOON - HOUR_MS }),
      ],
    ]
    test.each(spoilt)('is refused by line and field, and nothing is stored: %s', async (_, field, spoil) => {
      const { service, baseline, candidate } = await scene()
      const aggregates = aggregatesOf(runsOf(baseline, 50), { segments: false })
      const at = aggregates.findIndex((aggregate, index) => index > 3 && aggregate.aggregate === 'runs')
      spoil(aggregates[at]!)
      const places = await unprocessableAt(send(service, linesOf(ofLastHours(2), aggregates)))
      expect(places).toContainEqual([
        'body',
        expect.stringMatching(/^line \d+$/),
        expect.stringContaining(field),
      ])
      expect((await diffOf(service, [baseline, candidate])).samples.baseline_runs).toBe(0)
    })

    test.each([
      ['ahead of the clock', { as_of: isoTime(NOON + HOUR_MS) }, 'as_of'],
      ['an end behind as_of', { as_of: isoTime(NOON - 1) }, 'covers.to_ms'],
      [
        'half an hour at its start',
        { covers: { from_ms: NOON - 90 * MINUTE_MS, to_ms: NOON } },
        'covers.from_ms',
      ],
      ['no header', { aggregates: undefined }, 'aggregates'],
    ])('is refused in a header: %s', async (_, more, field) => {
      const { service } = await scene()
      const places = await unprocessableAt(send(service, linesOf({ ...ofLastHours(2), ...more }, [])))
      expect(places).toEqual([['body', 'line 1', field]])
    })

    test('is refused of an unknown release, and of the release of another agent', async () => {
      const { service, baseline } = await scene()
      const unknown = linesOf(ofLastHours(2), aggregatesOf(runsOf('rel_none', 5)))
      expect(await unprocessableAt(send(service, unknown))).toEqual([['body', 'line 2', 'release_id']])
      const foreign = linesOf(ofLastHours(2), aggregatesOf(runsOf(baseline, 5, { agent_id: 'other' })))
      expect(await unprocessableAt(send(service, foreign))).toEqual([['body', 'line 2', 'agent_id']])
    })
  })
}

/** The figures of a report without those that leave failed runs out where sums tell them apart. */
function overAllRuns(report: object): unknown {
  const { statistics, ...others } = figures(report) as Fields & { statistics: Fields }
  return {
    ...without(others, ['summary']),
    statistics: without(statistics, [
      'cost_per_run_usd',
      'latency_ms',
      'segment_regressions',
      'of_succeeded',
      'warnings',
    ]),
  }
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** What a diff says, but for when, and ids of tenants and tasks, which depend on the order of arrival. */
function figures(report: object): unknown {
  const { segments = [] } = report as { segments?: { id: number; kind: string; name: string }[] }
  const names = new Map(segments.map(({ id, kind, name }) => [id, `${kind} ${name}`]))
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      key === 'evaluated_at' || key === 'segments'
        ? undefined
        : key === 'segment'
          ? (names.get(value as number) ?? value)
          : value,
    ),
  )
}

/**
 * A report with the numbers of another one where they differ by no more than 10⁻⁹ of the largest number next to them, as an
 * estimate does with its interval: sums over tenants are added up in the order of their ids.
 */
function likeNear(found: unknown, wanted: unknown, largest = 0): unknown {
  if (typeof found === 'number' && typeof wanted === 'number')
    return Math.abs(found - wanted) <= 1e-9 * Math.max(Math.abs(wanted), largest) ? wanted : found
  if (Array.isArray(found)) return found.map((value, index) => likeNear(value, (wanted as unknown[])[index]))
  if (typeof found !== 'object' || found === null) return found
  const numbers = Object.values((wanted ?? {}) as Fields).filter(value => typeof value === 'number')
  const size = Math.max(0, ...numbers.map(Math.abs))
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) => [key, likeNear(value, (wanted as Fields)?.[key], size)]),
  )
}
