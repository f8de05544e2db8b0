import { describe, expect, onTestFinished, test } from 'vitest'
import { type Extras, type Sql, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { expectSound } from '../crash/verify.ts'
import { PRICES, eventOf, importPrices, register } from '../support/services/builders.ts'
import { type CuttingProxy, cuttingProxy } from '../support/databases/cutting_proxy.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { decision, ingest, ok, promote, rollback, setPolicy } from '../support/services/requests.ts'
import { type TestService, testService } from '../support/services/service.ts'

interface Fixture {
  /** Reaches the database through the proxy. */
  readonly service: TestService
  readonly proxy: CuttingProxy
  /** Reaches it directly. */
  readonly direct: Sql
  readonly releases: readonly [string, string]
}

type Operation = (fixture: Fixture) => Promise<{ id: unknown }>

/** Each change, and the table and column where it is found by what its answer calls itself. */
const CHANGES: readonly (readonly [name: string, table: string, column: string, operate: Operation])[] = [
  ['a registration', 'releases', 'release_id', async ({ service }) => ({ id: await register(service) })],
  [
    'an import of prices',
    'pricing_imports',
    'import_id',
    async ({ service }) => {
      const body = { table: PRICES, replace: true, reason: 'again' }
      return { id: (await ok(service.call('POST /v1/pricing', { body }))).import_id }
    },
  ],
  [
    'a policy',
    'policy_history',
    'policy_id',
    async ({ service }) => {
      await setPolicy(service, { policy_id: 'strict', max_error_rate: 0.1 })
      return { id: 'strict' }
    },
  ],
  [
    'a promotion',
    'actions',
    'action_id',
    async ({ service, releases }) => ({ id: (await ok(promote(service, releases[0]))).action_id }),
  ],
  [
    'a rollback',
    'actions',
    'action_id',
    async ({ service, releases }) => {
      await ok(promote(service, releases[0], { environment: 'prod' }))
      const answer = await rollback(service, releases[1], { environment: 'prod' })
      expect([200, 409]).toContain(answer.status)
      return { id: answer.body.action_id ?? answer.body.detail.outcome.action_id }
    },
  ],
  [
    'a promotion request',
    'promotion_requests',
    'request_id',
    async ({ service, releases }) => ({ id: await request(service, releases[0]) }),
  ],
  [
    'a confirmation',
    'actions',
    'action_id',
    async ({ service, releases, proxy }) => {
      const request_id = await request(service, releases[0])
      proxy.cutAt('COMMIT\0', 'answer')
      const body = { request_id, approval_reason: 'fine' }
      return { id: (await ok(service.call('POST /v1/promote/confirm', { body }))).action_id }
    },
  ],
  [
    'a cancellation',
    'promotion_requests',
    'request_id',
    async ({ service, releases, proxy }) => {
      const request_id = await request(service, releases[0])
      proxy.cutAt('COMMIT\0', 'answer')
      const body = { request_id, reason: 'not now' }
      const cancelled = await ok(service.call('POST /v1/promote/cancel', { body }))
      expect(cancelled).toMatchObject({ request_id, status: 'cancelled', resolution_reason: 'not now' })
      return { id: request_id }
    },
  ],
]

describe.each(['answer', 'message'] as const)('when the %s of a commit is lost', what => {
  test.each(CHANGES)('%s is recorded once and answered', async (_name, table, column, operate) => {
    const fixture = await makeFixture()
    fixture.proxy.cutAt('COMMIT\0', what)
    const { id } = await operate(fixture)
    expect(fixture.proxy.cuts).toBeGreaterThan(0)
    const names = { table: { text: table, params: [] }, column: { text: column, params: [] } }
    const [row] = await rowsOf(
      fixture.direct,
      sql`SELECT count(*) AS n FROM ${names.table} WHERE ${names.column} = ${String(id)}`,
    )
    expect(row).toEqual({ n: 1 })
    await expectSound(fixture.direct)
  })
})

test.each(['answer', 'message'] as const)(
  'when the %s of a commit of several decisions is lost, each is recorded once and answered',
  async what => {
    const { service, proxy, direct, releases } = await makeFixture()
    await setPolicy(service, {})
    // What the first decisions load may take longer than a transaction may pause.
    const before = [await ok(promote(service, releases[0])), await ok(promote(service, releases[1]))]
    const { sql: db } = service.context
    const transaction: Extras['transaction'] = (lock, use) =>
      db.extras!.transaction!(lock, async send => {
        await use(send)
        if (proxy.cuts === 0) proxy.cutAt('COMMIT\0', what)
      })
    Object.assign(service.context, { sql: { ...db, extras: { ...db.extras, transaction } } })
    const headers = { 'idempotency-key': 'once' }
    const answers = await Promise.all([
      ...[0, 1, 0, 1, 0].map(index => promote(service, releases[index]!)),
      ...[0, 1].map(() => service.call('POST /v1/promote', { body: decision(releases[1]), headers })),
    ])
    expect(proxy.cuts).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const answered = [...before, ...answers.map(({ body }) => body)].map(({ action_id }) => action_id)
    expect(answered.at(-1)).toBe(answered.at(-2))
    const recorded = (await expectSound(direct)).map(({ action_id }) => action_id)
    expect(recorded).toHaveLength(8)
    expect(new Set(recorded)).toEqual(new Set(answered))
  },
)

test('an ingest whose answer is lost answers 503, and sent again completes without counting twice', async () => {
  const { service, proxy, direct, releases } = await makeFixture()
  const events = [1, 2, 3].map(n => eventOf({ release_id: releases[0], run_id: `run-${n}` }))
  await ingest(service, [eventOf({ release_id: releases[0], run_id: 'before' })])
  proxy.cutAt('COMMIT\0', 'answer')
  const lost = await service.call('POST /v1/events', { body: { events } })
  expect(lost.status).toBe(503)
  expect(lost.headers.get('retry-after')).toBe('1')
  expect(lost.body.detail).toMatch(/lost/)
  expect(await ingest(service, events)).toMatchObject({ inserted: 0, skipped: 3 })
  expect((await ok(service.call('GET /v1/metrics'))).counters.run_events_total).toBe(4)
  await expectSound(direct)
})

async function makeFixture(): Promise<Fixture> {
  const url = await temporaryDatabase()
  const proxy = await cuttingProxy(url)
  const direct = open(url)
  // One connection, and the text of a statement in each message, so that the cut falls where it is meant to.
  const service = await testService({
    sql: open(`${proxy.url}?max=1&prepare=false`),
    workspace: { promotion_requires_approval: false },
  })
  await importPrices(service)
  const releases = [await register(service), await register(service, { version: '2' })] as const
  return { service, proxy, direct, releases }
}

/** Asks for a promotion as in a workspace that demands it. */
async function request(service: TestService, release_id: string): Promise<string> {
  const { workspace } = service.context
  Object.assign(service.context, { workspace: { ...workspace, promotion_requires_approval: true } })
  const body = { release_id, environment: 'local', window: '1h', reason: 'please' }
  return (await ok(service.call('POST /v1/promote/request', { body }))).request_id
}

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
