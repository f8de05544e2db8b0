import { describe, expect, test } from 'vitest'
import { sql } from '../../src/sql/port.ts'
import { PRICES, eventOf } from '../support/services/builders.ts'
import { killedAnywhere } from './killed_checks.ts'
import { PLACES } from './places.ts'
import { type Place, call, open } from './programs/support.ts'
import { registered } from './registered.ts'
import { expectSound } from './verify.ts'

describe.each(PLACES)('on %s', (_name, makePlace) => {
  test('a check that is killed between any two statements ends in exactly one rollback', async () => {
    await killedAnywhere({
      what: 'watches',
      laterMs: 60_000,
      prepare: async () => {
        const place = await makePlace()
        const { baseline, watch_id } = await regressed(place)
        return { place, check: () => expectOneRollback(place, baseline, watch_id) }
      },
    })
  })
})

/** A ledger with a watch that is due and will find its release half as slow again. */
async function regressed(place: Place): Promise<{ baseline: string; watch_id: string }> {
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  const policy = { require_high_diff_confidence: false, watch: { for: '1h', auto_rollback: true } }
  await call(services, 'PUT /v1/policy', policy)
  await call(services, 'POST /v1/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['rollback.succeeded', 'watch.regressed', 'watch.rollback_blocked'],
  })
  const [baseline, candidate] = (await registered(services, ['1', '2'])) as [string, string]
  await ingest(baseline, 250, -600_000, 100)
  for (let day = 1; day <= 4; day++) await ingest(baseline, 60, 1000 - day * 86_400_000, 100)
  await promote(baseline)
  const { watch_id } = await promote(candidate)
  await ingest(candidate, 60, 1000, 150)
  await services.sql.close()
  return { baseline: baseline, watch_id: watch_id! }

  async function ingest(release_id: string, count: number, fromNow: number, latency: number): Promise<void> {
    const events = Array.from({ length: count }, (_, index) =>
      eventOf({
        release_id,
        run_id: `${release_id}-${fromNow}-${index}`,
        at: Date.now() + fromNow + index * 100,
        latency: latency + 3 * (index % 7),
      }),
    )
    expect((await call(services, 'POST /v1/events', { events })).status).toBe(200)
  }

  async function promote(release_id: string): Promise<{ watch_id?: string }> {
    const body = { release_id, environment: 'local', window: '1h', reason: 'ready' }
    return (await call(services, 'POST /v1/promote', body)).body
  }
}

async function expectOneRollback(place: Place, baseline: string, watchId: string): Promise<void> {
  const services = await open(place)
  const actions = await expectSound(services.sql)
  expect(actions.map(({ action, actor }) => [action, actor])).toEqual([
    ['promote', 'test'],
    ['promote', 'test'],
    ['rollback', 'watch'],
  ])
  const [watch, checks, deliveries, pointers] = await services.sql.snapshot([
    sql`SELECT state, checks, rollback_json FROM watches WHERE watch_id = ${watchId}`,
    sql`SELECT number FROM watch_checks WHERE watch_id = ${watchId}`,
    sql`SELECT event FROM webhook_deliveries ORDER BY event`,
    sql`SELECT release_id FROM promoted_pointers`,
  ])
  expect(watch!.rows).toMatchObject([{ state: 'rolled_back', checks: 1 }])
  expect(JSON.parse(String(watch!.rows[0]!.rollback_json))).toMatchObject({
    action_id: actions.at(-1)!.action_id,
    passed: true,
  })
  expect(checks!.rows).toEqual([{ number: 1 }])
  expect(deliveries!.rows).toEqual([{ event: 'rollback.succeeded' }, { event: 'watch.regressed' }])
  expect(pointers!.rows).toEqual([{ release_id: baseline }])
  await services.sql.close()
}
