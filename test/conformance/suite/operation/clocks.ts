import { describe, expect, test } from 'vitest'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { confirm, listed, request } from '../../../support/services/approvals.ts'
import { eventOf, importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import { OPERATOR, bearing, grant, operating } from '../../../support/services/credentials.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'
import {
  SMALL_SAMPLES,
  diff,
  failedChecks,
  ingest,
  ok,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]
const PROD = { environment: 'prod' }

/** What time decides is decided by the database's clock, whatever the clocks of servers say. */
export function clocksContract(makeService: MakeService): void {
  describe('live_for', () => {
    const workspace = {
      ...SMALL_SAMPLES,
      promotes_from: { prod: { environment: 'staging', live_for: '24h' } },
    }

    test('is not reached by what a server a day ahead decides elsewhere', async () => {
      const service = await makeService({ workspace })
      await setPolicy(service, {})
      const { baseline, candidate } = await twoReleases(service)
      const other = await register(service, { agent: 'other' })
      await ok(promote(service, candidate, { environment: 'staging' }))
      service.clock.ahead = 25 * HOUR_MS
      await ok(promote(service, other))
      service.clock.ahead = 0
      service.clock.now += 1000
      // What took its place carries the time of the decision before it.
      await ok(promote(service, baseline, { environment: 'staging' }))
      service.clock.now += 1000
      const { status, body } = await promote(service, candidate, PROD)
      expect([status, body.detail.outcome.policy.reasons]).toEqual([
        409,
        [
          `prod promotes what was live in staging for 24h: ${candidate} was live there for 0 min at a time ` +
            '(promotes_from)',
        ],
      ])
      const { action_id } = body.detail.outcome
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is reached by the time of the database, also where the server that looks is behind', async () => {
      const service = await makeService({ workspace })
      const release = await register(service)
      await ok(promote(service, release, { environment: 'staging' }))
      service.clock.now += 24 * HOUR_MS
      service.clock.ahead = -9 * MINUTE_MS
      await ok(promote(service, release, PROD))
    })

    test('counts what a version noted that knew only the clock of its server', async () => {
      const service = await makeService({ workspace })
      const release = await register(service)
      await ok(promote(service, release, { environment: 'staging' }))
      await tamper(service.sql, 'actions', sql`UPDATE actions SET decided_at = NULL`)
      service.clock.now += 23 * HOUR_MS
      expect((await promote(service, release, PROD)).status).toBe(409)
      service.clock.now += HOUR_MS
      await ok(promote(service, release, PROD))
    })
  })

  describe('a freeze', () => {
    const freeze = [{ environment: 'prod', from: '2026-01-31T12:00:00Z', to: '2026-02-01', reason: 'fair' }]

    test.each([
      { ahead: 9 * MINUTE_MS, now: NOON - 1, status: 200 },
      { ahead: -9 * MINUTE_MS, now: NOON, status: 409 },
    ])(
      'goes by the time of the database, the server being $ahead ms ahead',
      async ({ ahead, now, status }) => {
        const service = await makeService({ workspace: { freeze } })
        service.clock.now = NOON - HOUR_MS
        const release = await register(service)
        Object.assign(service.clock, { ahead, now })
        const answer = await promote(service, release, PROD)
        expect(answer.status).toBe(status)
        const [row] = await rowsOf(service.sql, sql`SELECT action_id, record_json, decided_at FROM actions`)
        const { evidence } = JSON.parse(String(row!.record_json))
        const at = new Date(now).toISOString()
        expect([row!.decided_at, evidence.gates.clock]).toEqual([now, { at }])
        const { equal, limits } = await ok(service.call(`GET /v1/actions/${row!.action_id}/explain`))
        expect([equal, limits[0].value, limits[0].passed]).toEqual([true, at, status === 200])
        expect(await failedChecks(service, true)).toEqual([])
      },
    )
  })

  describe('a server whose clock is off', () => {
    const workspace = {
      ...SMALL_SAMPLES,
      freeze: [{ environment: 'prod', from: '2026-03-01', to: '2026-03-02', reason: 'fair' }],
      promotes_from: { stage: 'local', prod2: { environment: 'local', live_for: '1h' } },
      environments: ['local', 'prod', 'prod2', 'stage'],
    }
    const BOTH =
      "the server's clock says 2026-01-31T12:11:00.000Z and the database's 2026-01-31T12:00:00.000Z: " +
      'set the wrong one (NTP)'

    test('warns from a minute on, in the log, where it is ready, and to the doctor', async () => {
      const service = await makeService({ workspace })
      const release = await register(service)
      const checked = async () => {
        const { checks } = await ok(service.call('GET /v1/doctor'))
        return checks.find(({ name }: { name: string }) => name === 'clock')
      }
      service.clock.ahead = MINUTE_MS
      expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
      expect(await checked()).toEqual({ name: 'clock', ok: true, detail: 'says 2026-01-31T12:00:00.000Z' })
      service.clock.ahead = 5 * MINUTE_MS
      const warning = expect.stringMatching(
        /server's clock says .*12:05:00.000Z and the database's .*12:00:00/,
      )
      expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready', warnings: [warning] })
      expect(await checked()).toEqual({ name: 'clock', ok: true, warning: true, detail: warning })
      const said = service.logged.filter(({ message }) => message.startsWith('the clock'))
      expect(said).toMatchObject([{ level: 'warn', message: expect.stringContaining('12:05') }])
      await ok(promote(service, release, PROD))
      service.clock.ahead = 0
      expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    })

    test('decides nothing by time from ten minutes on, and says both times; all else goes on', async () => {
      const service = await makeService({ workspace })
      await setPolicy(service, {})
      const { baseline, candidate } = await twoReleases(service)
      service.clock.ahead = 11 * MINUTE_MS
      const problem = `This depends on the time, and the clock is wrong: ${BOTH}.`
      for (const environment of ['prod', 'prod2']) {
        expect(await refusal(promote(service, baseline, { environment }), 503)).toBe(problem)
        expect(await refusal(promote(service, baseline, { environment, dry_run: true }), 503)).toBe(problem)
        const query = { release_id: baseline, window: '1h' }
        expect(await refusal(service.call(`GET /v1/gate/bot/${environment}`, { query }), 503)).toBe(problem)
      }
      expect((await promote(service, baseline, { environment: 'prod' })).headers.get('retry-after')).toBe(
        '60',
      )
      await ok(promote(service, baseline))
      await ok(promote(service, candidate))
      await ok(promote(service, candidate, { environment: 'stage' }))
      await ok(rollback(service, baseline))
      await ok(diff(service, [baseline, candidate]))
      await ingest(service, [eventOf({ release_id: baseline, run_id: 'new' })])
      service.clock.ahead = 0
      await ok(promote(service, baseline, PROD))
      // Nor does it keep anybody from going back.
      service.clock.ahead = 11 * MINUTE_MS
      await ok(rollback(service, baseline, PROD))
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('a credential with an end', () => {
    test('has it by the time of the database', async () => {
      const service = await makeService()
      service.clock.ahead = 9 * MINUTE_MS
      const body = { name: 'ci', role: 'read', expires: '1h' }
      const made = await ok(service.call('POST /v1/tokens', { body, peer: OPERATOR }))
      expect([made.created_at, made.expires_at]).toEqual([
        '2026-01-31T12:00:00.000Z',
        '2026-01-31T13:00:00.000Z',
      ])
      const caller = bearing(service, made.token)
      service.clock.now += HOUR_MS - 10_000
      await ok(caller.call('GET /v1/releases'))
      const states = async () => {
        const { tokens } = await ok(operating(service).call('GET /v1/tokens'))
        return tokens.map(({ state }: { state: string }) => state)
      }
      expect(await states()).toEqual(['live'])
      service.clock.ahead = -9 * MINUTE_MS
      service.clock.now += 10_000
      expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/expired/)
      expect(await states()).toEqual(['expired'])
    })

    test('ends between two looks at the ledger, too', async () => {
      const service = await makeService()
      const caller = bearing(service, await grant(service, 'ci', { role: 'read', expires: '1h' }))
      service.clock.now += HOUR_MS - 2000
      await ok(caller.call('GET /v1/releases'))
      // Less than what is read of tokens is believed for.
      service.clock.now += 2000
      expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/expired/)
    })

    test('opens nothing, and none is made, where the clocks are apart; others are as good as before', async () => {
      const service = await makeService()
      const ends = bearing(service, await grant(service, 'ends', { role: 'read', expires: '30d' }))
      const stays = bearing(service, await grant(service, 'stays', { role: 'read' }))
      service.clock.now += DAY_MS
      service.clock.ahead = -11 * MINUTE_MS
      expect(await refusal(ends.call('GET /v1/releases'), 503)).toMatch(
        /the clock is wrong: the server's clock/,
      )
      await ok(stays.call('GET /v1/releases'))
      const make = (body: object) =>
        operating(service).call('POST /v1/tokens', { body: { role: 'read', ...body } })
      expect(await refusal(make({ name: 'a', expires: '1d' }), 503)).toMatch(/clock is wrong/)
      await ok(make({ name: 'b' }))
      const rotate = (body: object) => operating(service).call('POST /v1/tokens/stays/rotate', { body })
      expect(await refusal(rotate({ overlap: '1h' }), 503)).toMatch(/clock is wrong/)
      await ok(rotate({ overlap: '0m' }))
      await ok(operating(service).call('DELETE /v1/tokens/ends'))
      expect(await refusal(ends.call('GET /v1/releases'), 401)).toMatch(/revoked/)
    })

    test('notes its use also where another server noted one a year ahead', async () => {
      const service = await makeService()
      const caller = bearing(service, await grant(service, 'ci', { role: 'read' }))
      await service.sql.batch([sql`UPDATE tokens SET last_used_at = ${NOON + 365 * DAY_MS}`])
      await ok(caller.call('GET /v1/releases'))
      const used = async () => (await ok(operating(service).call('GET /v1/tokens'))).tokens[0].last_used_at
      await expect.poll(used).toBe('2026-01-31T12:00:00.000Z')
    })
  })

  describe('a promotion request with an end', () => {
    const workspace = { ...SMALL_SAMPLES, promotion_requires_approval: true, approval_expires: '1h' }

    test('has the same end in its answer as in the ledger, by the time of the database', async () => {
      const service = await makeService({ workspace })
      const { baseline } = await twoReleases(service)
      service.clock.ahead = 9 * MINUTE_MS
      const made = await ok(request(service, baseline))
      expect(made.expires_at).toBe('2026-01-31T13:00:00.000Z')
      expect(await listed(service)).toMatchObject([{ expires_at: made.expires_at, status: 'pending' }])
      // PostgreSQL's own clock goes on as well.
      service.clock.now += 59 * MINUTE_MS
      expect(await listed(service)).toMatchObject([{ status: 'pending' }])
      service.clock.ahead = -9 * MINUTE_MS
      service.clock.now += MINUTE_MS
      expect(await refusal(confirm(service, made.request_id), 400)).toMatch(/expired at 2026-01-31T13:00/)
    })

    test('is neither made nor confirmed nor ended where the clocks are apart', async () => {
      const service = await makeService({ workspace })
      const { baseline } = await twoReleases(service)
      const { request_id } = await ok(request(service, baseline))
      service.clock.ahead = -3 * DAY_MS
      expect(await refusal(request(service, baseline), 503)).toMatch(/clock is wrong/)
      expect(await refusal(confirm(service, request_id), 503)).toMatch(/clock is wrong/)
      service.clock.now += 2 * HOUR_MS
      expect(await refusal(confirm(service, request_id), 503)).toMatch(/clock is wrong/)
      await keepLedger(service.context, { version: '1', pace: batch => batch() })
      const stored = sql`SELECT status FROM promotion_requests`
      expect(await rowsOf(service.sql, stored)).toEqual([{ status: 'pending' }])
      service.clock.ahead = 0
      await keepLedger(service.context, { version: '1', pace: batch => batch() })
      expect(await rowsOf(service.sql, stored)).toEqual([{ status: 'cancelled' }])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('without an end is confirmed by a server whose clock is off', async () => {
      const service = await makeService({ workspace: { ...workspace, approval_expires: null } })
      const { baseline } = await twoReleases(service)
      service.clock.ahead = -3 * DAY_MS
      const { request_id } = await ok(request(service, baseline))
      await ok(confirm(service, request_id))
    })
  })

  test('the hourly hash of run events is not put off by a server that is a day ahead', async () => {
    const service = await makeService()
    await importPrices(service)
    const release_id = await register(service)
    const hour = async (ahead: number, run_id: string) => {
      await ingest(service, [eventOf({ release_id, run_id })])
      service.clock.ahead = ahead
      await keepLedger(service.context, { version: '1', pace: batch => batch() })
      service.clock.now += HOUR_MS
    }
    await hour(25 * HOUR_MS, 'a')
    await hour(0, 'b')
    await hour(0, 'c')
    const digests = sql`SELECT count(*) AS n FROM audit_log WHERE kind = 'events.digest'`
    expect(await rowsOf(service.sql, digests)).toEqual([{ n: 3 }])
    expect(await failedChecks(service, true)).toEqual([])
  })
}
