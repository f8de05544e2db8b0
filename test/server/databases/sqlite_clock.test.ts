import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { logOnly } from '../../../src/ledger/trail/write_logged.ts'
import { keepLedger } from '../../../src/ledger/decide/keep_ledger.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openLibsqlWorker } from '../../../src/sql/libsql/worker.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { confirm, request } from '../../support/services/approvals.ts'
import { eventOf, register, twoReleases } from '../../support/services/builders.ts'
import { bearing, grant, operating } from '../../support/services/credentials.ts'
import {
  SMALL_SAMPLES,
  diff,
  failedChecks,
  ingest,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../support/services/requests.ts'
import { NOON, type ServiceOptions, type TestService, testService } from '../../support/services/service.ts'
import { minute, promotedScene, watchOf } from '../../support/watches/scene.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** A service on SQLite: one clock, of the machine, and nothing to compare it with but what was written. */
const onSqlite = (options: ServiceOptions = {}): Promise<TestService> =>
  testService({ ...options, sharesClock: true })

const TIMED = {
  ...SMALL_SAMPLES,
  promotes_from: { prod: { environment: 'staging', live_for: '1h' } },
  freeze: [{ environment: 'stage', from: '2027-03-01', to: '2027-03-02', reason: 'fair' }],
}
const CLOCK = "this machine's clock says 2026-01-31T"
const BEHIND = expect.stringContaining(CLOCK)

describe('a clock that is behind the newest record', () => {
  test('leaves a freeze in force and live_for unreached, is recorded, explained and told; all else goes on', async () => {
    const service = await onSqlite({ workspace: TIMED })
    await setPolicy(service, {})
    const { baseline, candidate } = await twoReleases(service)
    await ok(promote(service, baseline, { environment: 'staging' }))
    service.clock.now += 2 * HOUR_MS
    await ok(promote(service, baseline, { environment: 'prod' }))
    service.clock.now -= 5 * MINUTE_MS
    expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready', warnings: [BEHIND] })
    const { checks } = await ok(service.call('GET /v1/doctor'))
    expect(checks).toContainEqual({ name: 'clock', ok: true, warning: true, detail: BEHIND })
    const said = () => service.logged.filter(({ message }) => message.startsWith('the clock'))
    expect(said()).toMatchObject([{ level: 'warn', message: expect.stringContaining(CLOCK) }])
    for (const [environment, reason] of [
      [
        'prod',
        new RegExp(`^prod promotes what was live in staging for 1h: for how long .* not known: ${CLOCK}`),
      ],
      [
        'stage',
        new RegExp(`^stage is frozen from 2027-03-01 .*: fair; whether it is over is not known: ${CLOCK}`),
      ],
    ] as const) {
      const { status, body } = await promote(service, baseline, { environment })
      expect([status, body.detail.outcome.policy.reasons]).toEqual([409, [expect.stringMatching(reason)]])
      const explained = await ok(service.call(`GET /v1/actions/${body.detail.outcome.action_id}/explain`))
      expect(explained).toMatchObject({ equal: true })
      expect(explained.limits.at(-1)).toMatchObject({ passed: false, why: expect.stringMatching(reason) })
      const gate = await ok(
        service.call(`GET /v1/gate/bot/${environment}`, { query: { release_id: baseline, window: '1h' } }),
      )
      expect(gate.reasons).toContainEqual(expect.stringMatching(reason))
    }
    await ok(promote(service, baseline))
    await ok(promote(service, candidate))
    await ok(rollback(service, baseline))
    await ok(rollback(service, candidate, { environment: 'prod' }))
    await ok(diff(service, [baseline, candidate]))
    await ingest(service, [eventOf({ release_id: baseline, run_id: 'new' })])
    expect(await failedChecks(service, true)).toEqual([])
    service.clock.now += 5 * MINUTE_MS
    await ok(promote(service, baseline, { environment: 'prod' }))
    await ok(promote(service, baseline, { environment: 'stage' }))
    expect(said().at(-1)).toMatchObject({ level: 'info', message: 'the clock is right again' })
  })

  test('refuses credentials with an end', async () => {
    const service = await onSqlite()
    const ends = bearing(service, await grant(service, 'ends', { role: 'read', expires: '1h' }))
    const stays = bearing(service, await grant(service, 'stays', { role: 'read' }))
    await ok(ends.call('GET /v1/releases'))
    service.clock.now += 2 * HOUR_MS
    expect(await refusal(ends.call('GET /v1/releases'), 401)).toMatch(/expired/)
    await ok(operating(service).call('PUT /v1/policy', { body: {} }))
    // It would be good again by this.
    service.clock.now -= 3 * HOUR_MS
    service.context.memo.tokens.known = undefined
    expect(await refusal(ends.call('GET /v1/releases'), 503)).toMatch(/accept-clock --reason WHY/)
    await ok(stays.call('GET /v1/releases'))
    const made = operating(service).call('POST /v1/tokens', {
      body: { name: 'a', role: 'read', expires: '1d' },
    })
    expect(await refusal(made, 503)).toMatch(/clock is wrong/)
  })

  test('refuses requests with an end, and ends none', async () => {
    const workspace = { ...SMALL_SAMPLES, promotion_requires_approval: true, approval_expires: '1h' }
    const service = await onSqlite({ workspace })
    const { baseline } = await twoReleases(service)
    const { request_id } = await ok(request(service, baseline))
    service.clock.now += 30 * MINUTE_MS
    await setPolicy(service, {})
    service.clock.now -= 20 * MINUTE_MS
    expect(await refusal(confirm(service, request_id), 503)).toMatch(/clock is wrong/)
    expect(await refusal(request(service, baseline), 503)).toMatch(/clock is wrong/)
    await keepLedger(service.context, { version: '1', pace: batch => batch() })
    service.clock.now += 20 * MINUTE_MS
    await ok(confirm(service, request_id))
  })

  test('rolls nothing back by itself, and announces what regressed', async () => {
    const here = await promotedScene(onSqlite, { watch: { for: '10m', auto_rollback: true } })
    await here.service.sql.batch([sql`UPDATE audit_head SET latest_at = ${NOON + DAY_MS}`])
    await minute(here, 60, { latency: 150 })
    expect(await watchOf(here)).toMatchObject({
      state: 'regressed',
      rollback: { action_id: null, passed: false, reasons: [BEHIND] },
    })
    expect(await pointerOf(here.service)).toBe(here.candidate)
  })

  test('decides again once somebody says that it is right', async () => {
    const service = await onSqlite({ workspace: TIMED })
    const release = await register(service)
    service.clock.now += 365 * DAY_MS
    await ok(promote(service, release))
    service.clock.now -= 365 * DAY_MS
    expect((await promote(service, release, { environment: 'stage' })).status).toBe(409)
    // A server that was started since, which never saw the clock move.
    delete service.context.memo.clock.aheadMs
    const actor = { name: 'ann', source: 'cli' } as const
    await logOnly(service.context, { kind: 'clock.accepted', actor, reason: 'it was ahead', details: {} })
    // The time of this one in the trail is that of the decision before it, a year ahead.
    await ok(promote(service, release, { environment: 'staging' }))
    await ok(promote(service, release, { environment: 'stage' }))
    expect(await failedChecks(service, true)).toEqual([])
    const head = sql`SELECT latest_at FROM audit_head`
    expect(await rowsOf(service.sql, head)).toEqual([{ latest_at: service.clock.now }])
  })
})

describe('a clock that was set while the service runs', () => {
  test('back by more than ten minutes decides nothing, although nothing was written since', async () => {
    const service = await onSqlite({ workspace: TIMED })
    const release = await register(service)
    service.clock.now += 2 * DAY_MS
    await ok(service.call('GET /ready'))
    service.clock.now -= DAY_MS
    expect(await ok(service.call('GET /ready'))).toEqual({
      status: 'ready',
      warnings: [
        expect.stringMatching(/, 1440 minutes less than the time since the service was started: set/),
      ],
    })
    expect((await promote(service, release, { environment: 'stage' })).status).toBe(409)
    await ok(promote(service, release))
  })

  test('forward, or by less, is only told', async () => {
    const service = await onSqlite({ workspace: TIMED })
    const release = await register(service)
    service.clock.now += 8 * HOUR_MS
    expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    service.clock.now -= 9 * MINUTE_MS
    await ok(promote(service, release, { environment: 'stage', dry_run: true }))
    // A machine that sleeps counts no time.
    const { elapsed } = service.context
    Object.assign(service.context, { elapsed: () => elapsed() - 8 * HOUR_MS })
    service.clock.now += 8 * HOUR_MS
    expect(await ok(service.call('GET /ready'))).toEqual({
      status: 'ready',
      warnings: [expect.stringMatching(/4[78][90] minutes more than .*: it was set, or the machine slept$/)],
    })
    await ok(promote(service, release, { environment: 'stage' }))
  })
})

test("the thread of a server knows that its clock is the machine's", async () => {
  const db = await openLibsqlWorker({
    path: join(temporaryFolder(), 'a.db'),
    busyTimeoutMs: 1000,
    lockRetryMs: 0,
  })
  onTestFinished(() => db.close())
  await migrate(db, loadMigrations({ dialect: 'sqlite' }), Date.now)
  expect(db.clock.isLocal).toBe(true)
})
