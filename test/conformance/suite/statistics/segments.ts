import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../../src/base/time.ts'
import { raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import type { DiffReport } from '../../../../src/models/answers/diff.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import {
  diffCall,
  diffOf,
  failedChecks,
  ingest,
  ok,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { erase } from '../../../support/services/retention.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { summed } from '../../../support/services/segments.ts'

/** Tenants and tasks: how runs are summed by them, how releases are compared by them, and for whom one is worse. */
export function segmentContract(makeService: MakeService): void {
  describe('a comparison by tenant', () => {
    // One tenant, whose runs take twice as long, sends most of the candidate's.
    const busy = { tenants: 10, busy: true, slowOf: 9 } as const

    test('is the same before and after its hours are summed', async () => {
      const { service, ids } = await served(makeService, busy)
      const before = await diffOf(service, ids, { compare_by: 'tenant' })
      await summed(service)
      expect(await rowsOf(service.sql, sql`SELECT id FROM segments_unsummed`)).toEqual([])
      const after = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(figures(after)).toEqual(figures(before))
    })

    test('that a server remembers is what another one reads, also behind late runs and an erasure', async () => {
      const { service, ids } = await served(makeService, busy)
      await summed(service)
      const compared = async (of: TestService) => {
        const report = await diffOf(of, ids, { compare_by: 'tenant' })
        return [figures(report), report.statistics.segment_regressions]
      }
      const first = await compared(service)
      expect(await compared(service)).toEqual(first)
      const late = Array.from({ length: 300 }, (_, index) =>
        eventOf({
          release_id: ids[1],
          run_id: `late-${index}`,
          tenant_id: 'tenant-1',
          at: NOON - 11 * HOUR_MS + index * 60_000,
          latency: 2000 + index,
        }),
      )
      await ingest(service, late)
      for (const isSummed of [false, true]) {
        if (isSummed) await summed(service)
        const now = await compared(service)
        expect(now).not.toEqual(first)
        expect(now).toEqual(await compared(await makeService({ sql: service.sql })))
      }
      await erase(service.context, 'tenant-9')
      expect(await compared(service)).toEqual(await compared(await makeService({ sql: service.sql })))
    })

    test('that a server remembers is what another one reads, also of the hours that follow', async () => {
      const { service, ids } = await served(makeService, busy)
      await summed(service)
      const compared = async (of: TestService, window: string) => {
        const report = await diffOf(of, ids, { compare_by: 'tenant', window })
        return [figures(report), report.statistics.segment_regressions]
      }
      // The stretches of 40 hours are of two hours, so that the first and the last one are cut.
      for (const window of ['6h', '40h']) {
        const first = await compared(service, window)
        for (let hour = 0; hour < 3; hour++) {
          service.clock.now += HOUR_MS
          const fresh = await makeService({ sql: service.sql })
          fresh.clock.now = service.clock.now
          expect(await compared(service, window)).toEqual(await compared(fresh, window))
        }
        if (window === '6h') expect(await compared(service, window)).not.toEqual(first)
      }
    })

    test('reads no more of its sums behind a late run than those of the hour of that run', async () => {
      const { service, ids } = await served(makeService, busy)
      await summed(service)
      const at = NOON - 5.5 * HOUR_MS
      const late = eventOf({ release_id: ids[1], run_id: 'late', tenant_id: 'tenant-1', at, latency: 2000 })
      const segmentRegressions = async (of: TestService) =>
        (await diffOf(of, ids)).statistics.segment_regressions
      expect(await segmentRegressions(service)).toBeDefined()
      const others = sql`bucket <> ${Math.floor(at / HOUR_MS)}`
      const tables = ['rollup_tenant_hours', 'segment_hours']
      await service.sql.batch(tables.map(table => sql`DELETE FROM ${raw(table)} WHERE ${others}`))
      await ingest(service, [late])
      const remembered = await segmentRegressions(service)
      expect(remembered).toBeDefined()
      const fresh = await makeService({ sql: service.sql })
      expect(await segmentRegressions(fresh)).toBeUndefined()
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await segmentRegressions(fresh)).toEqual(remembered)
    })

    test('is remembered behind another policy, and behind tenants of another agent', async () => {
      const { service, ids } = await served(makeService, busy)
      await summed(service)
      const compared = async (of: TestService) => {
        const report = await diffOf(of, ids, { compare_by: 'tenant' })
        return [figures(report), report.statistics.segment_regressions]
      }
      const first = await compared(service)
      await setPolicy(service, { require_high_diff_confidence: false })
      // Nobody removes sums so: what is read of them now shows what is not remembered.
      await service.sql.batch([
        raw(
          `INSERT INTO segments (agent_id, environment, kind, name) VALUES ('other', 'local', 'tenant', 'new')`,
        ),
        raw('DELETE FROM rollup_tenant_hours'),
      ])
      expect(await compared(service)).toEqual(first)
      // The hours that are over are packed, so that another server reads no rows either.
      expect(await compared(await makeService({ sql: service.sql }))).toEqual(first)
      await service.sql.batch([raw('UPDATE segment_hours SET size = NULL')])
      expect(await compared(await makeService({ sql: service.sql }))).not.toEqual(first)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await compared(await makeService({ sql: service.sql }))).toEqual(first)
    })

    test('does not wait for many events that are not summed yet: it says that they will be', async () => {
      const { service, ids } = await served(makeService, busy)
      // As many lists as a server that stores single events comes to within seconds. These add none.
      await service.sql.batch([
        raw(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 201)
          INSERT INTO segments_unsummed (first_seq, last_seq, first_hour, last_hour, stored_at, seqs)
          SELECT u.first_seq, u.first_seq, u.first_hour, u.last_hour, u.stored_at, '[]'
          FROM (SELECT * FROM segments_unsummed ORDER BY id LIMIT 1) AS u CROSS JOIN n`),
      ])
      const behind = await diffOf(service, ids)
      expect(behind.statistics).not.toHaveProperty('segment_regressions')
      expect(behind.statistics.warnings).toContainEqual(
        expect.stringMatching(
          /^not all runs of these hours are summed by tenant and task: new ones are within/,
        ),
      )
      await summed(service)
      const { statistics } = await diffOf(service, ids)
      expect(statistics.segment_regressions).toBeDefined()
      expect(statistics.warnings).not.toContainEqual(expect.stringMatching(/^not all runs/))
    })

    test('holds where a tenant is busier, which by time looks like a change and is said to be one of the mix', async () => {
      const { service, ids } = await served(makeService, busy)
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 })
      const byTime = await diffOf(service, ids)
      expect(byTime.statistics.latency_ms.verdict).toBe('worse')
      expect(byTime.statistics.warnings).toEqual([
        expect.stringMatching(
          /^the releases have different shares of tenants, which alone moves the latency by \+\d/,
        ),
      ])
      const byTenant = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(byTenant.statistics).toMatchObject({
        compare_by: 'tenant',
        compared: { by: 'tenant', left_out: { candidate: { share: 0, largest: [] } } },
        latency_ms: { verdict: 'no_difference', matched: { by: 'tenant' } },
        warnings: [],
      })
    })

    test('decides promotions where the policy says so, and says in the evidence that it did', async () => {
      const { service, ids } = await served(makeService, busy)
      await ok(promote(service, ids[0]))
      const policy = { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 }
      await setPolicy(service, policy)
      expect(await promote(service, ids[1], { window: '12h' })).toMatchObject({ status: 409 })
      await setPolicy(service, { ...policy, compare_by: 'tenant' })
      const promoted = await ok(promote(service, ids[1], { window: '12h' }))
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      const { evidence } = actions.find(
        ({ action_id }: { action_id: string }) => action_id === promoted.action_id,
      )
      expect(evidence.evaluation.statistics).toMatchObject({ compare_by: 'tenant' })
      expect(JSON.stringify(evidence)).not.toContain('tenant-9')
    })

    test('is none by time either where each side has tenants of its own: a decision names the ways out', async () => {
      const { service, ids } = await served(makeService, { tenants: 10, apart: true })
      await ok(promote(service, ids[0]))
      const policy = { require_high_diff_confidence: false, max_latency_increase_pct: 0.3 }
      await setPolicy(service, policy)
      const apart =
        "none of the candidate's runs are of tenants that the baseline served too, so a difference may be one of " +
        'tenants: run both releases for the same tenants at once, or start a rollout by run or session'
      expect((await diffOf(service, ids)).statistics).toMatchObject({
        compare_by: 'time',
        latency_ms: { inconclusive_because: 'not_comparable', matched: { by: 'common_time', units: 0 } },
        warnings: [apart],
      })
      const blocked = await promote(service, ids[1], { window: '12h' })
      expect([blocked.status, blocked.body.detail.outcome.policy]).toMatchObject([
        409,
        {
          reasons: [
            expect.stringMatching(
              /on latency_ms: not comparable yet against .*; the two releases served different tenants\)$/,
            ),
          ],
          warnings: [apart],
        },
      ])
      // There is no estimate to go by, but the policy may say that the runs were made on purpose.
      await setPolicy(service, { ...policy, on_inconclusive: 'estimate' })
      expect(await promote(service, ids[1], { window: '12h' })).toMatchObject({ status: 409 })
      await setPolicy(service, { ...policy, compare_by: 'window' })
      expect(await promote(service, ids[1], { window: '12h', dry_run: true })).toMatchObject({ status: 200 })
      expect((await diffOf(service, ids, { compare_by: 'window' })).statistics.warnings).toContainEqual(
        expect.stringContaining('tenants that the baseline served too'),
      )
    })

    test('is none where each side has tenants of its own: it names the ways out', async () => {
      const { service, ids } = await served(makeService, { tenants: 10, apart: true })
      const { statistics } = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(statistics.latency_ms).toMatchObject({
        verdict: 'inconclusive',
        inconclusive_because: 'not_comparable',
      })
      expect(statistics.compared!.left_out).toMatchObject({ candidate: { share: 1 }, baseline: { share: 1 } })
      expect(statistics.warnings).toEqual([
        expect.stringMatching(
          /^none of the candidate's runs are of tenants that the baseline served .* rollout/,
        ),
      ])
    })

    test('claims nothing where not all runs are summed, nor does a limit on segment regressions, until a rebuild sums them', async () => {
      const { service, ids } = await served(makeService, { tenants: 6, slowFor: 4 })
      await ok(promote(service, ids[0]))
      await summed(service)
      const tables = ['tenant', 'part_tenant', 'task', 'part_task'].map(name => `rollup_${name}_hours`)
      await service.sql.batch(
        [...tables, 'segments', 'segment_hours'].map(table => raw(`DELETE FROM ${table}`)),
      )
      expect((await failedChecks(service, true)).map(([name]) => name)).toContain('rollups')
      const { statistics } = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(statistics).toMatchObject({
        compare_by: 'tenant',
        latency_ms: { inconclusive_because: 'not_comparable', matched: { by: 'tenant', units: 0 } },
        warnings: [
          expect.stringMatching(/^not all runs of these hours are summed by tenant and task.*rebuild/),
        ],
      })
      expect(statistics).not.toHaveProperty('segment_regressions')
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_segment_latency_increase_pct: 0.1,
      })
      const reasons = async () =>
        (await promote(service, ids[1], { window: '12h' })).body.detail.outcome.policy.reasons
      expect(await reasons()).toEqual([
        expect.stringMatching(/^too little evidence on latency_ms: no data against max_segment/),
      ])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await failedChecks(service, true)).toEqual([])
      expect(await reasons()).toEqual([expect.stringMatching(/^candidate latency_ms of tenant \d+ /)])
    })

    test('goes by time where a filter is on, and says so', async () => {
      const { service, ids } = await served(makeService, { tenants: 3 })
      const { statistics } = await diffOf(service, ids, { compare_by: 'task', tenant_id: 'tenant-1' })
      expect(statistics.compare_by).toBe('time')
      expect(statistics.warnings).toContainEqual(
        expect.stringMatching(/^runs are separated by task only without a filter/),
      )
    })
  })

  test('a comparison by tenant goes by time over more than 35 days, and says so', async () => {
    const { service, ids } = await served(makeService, { tenants: 3 })
    const { statistics } = await diffOf(service, ids, { compare_by: 'tenant', window: '36d' })
    expect(statistics.compare_by).toBe('time')
    expect(statistics.warnings).toContainEqual(
      expect.stringMatching(/^runs are separated by tenant only over a window of up to 35 days/),
    )
  })

  describe('a segment regression', () => {
    const hot = { tenants: 6, slowFor: 4 } as const

    test('is named, with how much worse it is, where the whole is unchanged', async () => {
      const { service, ids } = await served(makeService, hot)
      const { statistics, segments, summary } = await diffOf(service, ids)
      expect(statistics.segment_regressions).toMatchObject({
        groups: 6,
        found_in_all: 1,
        found: [{ kind: 'tenant', metric: 'latency_ms' }],
      })
      const [spot] = statistics.segment_regressions!.found
      expect(spot!.relative_change!.low).toBeGreaterThan(0.2)
      expect(segments).toEqual([{ id: spot!.segment, kind: 'tenant', name: 'tenant-4' }])
      expect(summary).toMatch(/is slower for tenant tenant-4, by about \d+ ms/)
    })

    test('blocks by its own limit alone, and only where it is proven to exceed it', async () => {
      const { service, ids } = await served(makeService, hot)
      await ok(promote(service, ids[0]))
      const policy = { require_high_diff_confidence: false }
      await setPolicy(service, { ...policy, max_segment_latency_increase_pct: 0.9 })
      expect(await promote(service, ids[1], { window: '12h', dry_run: true })).toMatchObject({ status: 200 })
      await setPolicy(service, { ...policy, max_segment_latency_increase_pct: 0.1 })
      const blocked = await promote(service, ids[1], { window: '12h' })
      expect(blocked.status).toBe(409)
      expect(JSON.stringify(blocked.body)).toMatch(
        /candidate latency_ms of tenant \d+ \+\d.* exceeds max_segment_latency_increase_pct \+10.0 %/,
      )
    })

    test('is not looked for in a diff of one tenant, nor is its limit asked', async () => {
      const { service, ids } = await served(makeService, hot)
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_segment_latency_increase_pct: 0.1,
      })
      const one = await diffOf(service, ids, { tenant_id: 'tenant-1' })
      expect(one.statistics).not.toHaveProperty('segment_regressions')
      expect(one.statistics).toMatchObject({ limits: [], warnings: [] })
      expect(one.policy).toMatchObject({ passed: true, reasons: [] })
    })

    test('is named by a gate whose policy limits it', async () => {
      const { service, ids } = await served(makeService, hot)
      await ok(promote(service, ids[0]))
      await setPolicy(service, { max_segment_latency_increase_pct: 0.1 })
      const gate = await ok(
        service.call('GET /v1/gate/bot/local', { query: { release_id: ids[1], window: '12h' } }),
      )
      expect(gate).toMatchObject({
        verdict: 'block',
        summary: expect.stringContaining('for tenant tenant-4'),
      })
    })

    test('is named to who may read this agent in this environment alone', async () => {
      const { service, ids } = await served(makeService, hot)
      const isNamed = async (name: string, more: object) => {
        const reader = bearing(service, await grant(service, name, { role: 'read', ...more }))
        return JSON.stringify((await diffCall(reader, ids)).body).includes('tenant-4')
      }
      expect(await isNamed('all', {})).toBe(true)
      expect(await isNamed('own', { agents: ['bot'], environments: ['local'] })).toBe(true)
      expect(await isNamed('other', { agents: ['other'] })).toBe(false)
      expect(await isNamed('elsewhere', { environments: ['prod'] })).toBe(false)
    })

    test('is told to who may read alone, where a token is configured', async () => {
      const tokens = { main: 'main-token', read: 'read-token' }
      const { service, ids } = await served(makeService, hot, tokens)
      const body = { compare_by: 'tenant' }
      const stranger = (await diffCall(service, ids, body)).body as Record<string, unknown>
      expect(stranger).not.toHaveProperty('segments')
      expect(stranger.statistics).not.toHaveProperty('segment_regressions')
      expect(JSON.stringify(stranger)).not.toMatch(/tenant-\d|left_out/)
      await ok(
        service.call('PUT /v1/policy', {
          headers: { authorization: `Bearer ${tokens.main}` },
          body: { require_high_diff_confidence: false, max_segment_latency_increase_pct: 0.1 },
        }),
      )
      const limited = JSON.stringify((await diffCall(service, ids, body)).body)
      expect(limited).toContain('latency_ms of a tenant')
      expect(limited).not.toMatch(/tenant-\d|tenant \d|segment_regressions/)
    })
  })
}

/** What is compared, without ids: those are given when an hour is summed. */
function figures({ statistics: { latency_ms, cost_per_run_usd, error_rate } }: DiffReport): unknown {
  return { latency_ms, cost_per_run_usd, error_rate }
}

interface Served {
  readonly tenants: number
  /** The last tenant sends most of the candidate's runs. */
  readonly busy?: boolean
  /** Whose runs take longer on both sides. */
  readonly slowOf?: number
  /** For whom the candidate is slower. */
  readonly slowFor?: number
  /** Whether each side has tenants of its own. */
  readonly apart?: boolean
}

/** Two releases that ran at once for ten hours for some tenants. */
async function served(
  makeService: MakeService,
  { tenants, busy = false, slowOf, slowFor, apart = false }: Served,
  tokens?: Readonly<Record<string, string>>,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: 1500 }, (_, index) => {
      const last = busy && side === 1 && index % 5 < 3
      const tenant = last ? tenants - 1 : (Math.floor(index / 5) * 7 + (index % 5)) % tenants
      const slow = (tenant === slowOf ? 2 : 1) * (side === 1 && tenant === slowFor ? 1.5 : 1)
      return eventOf({
        release_id,
        run_id: `${side}-${index}`,
        tenant_id: `tenant-${apart ? tenant + side * tenants : tenant}`,
        at: NOON - 11 * HOUR_MS + Math.floor(((index + 0.5) * 10 * HOUR_MS) / 1500),
        latency: Math.round((500 + ((index * 91 + side * 13) % 97)) * slow),
      })
    })
    for (let from = 0; from < events.length; from += 500)
      await ingest(service, events.slice(from, from + 500))
  }
  if (tokens === undefined) return { service, ids }
  const guarded = await makeService({ sql: service.sql, tokens })
  return { service: guarded, ids }
}
