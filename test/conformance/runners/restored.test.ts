import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { type EventOptions, eventOf, importPrices, register } from '../../support/services/builders.ts'
import { temporaryLedger } from '../../support/databases/ledger.ts'
import { temporaryPostgres } from '../../support/databases/postgres.ts'
import { SMALL_SAMPLES, diff, ingest, ok, promote, setPolicy } from '../../support/services/requests.ts'
import { summed } from '../../support/services/segments.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'
import { expectSound } from '../../crash/verify.ts'

describe.each<[string, () => Promise<Sql>]>([
  ['SQLite', temporaryLedger],
  ['PostgreSQL', temporaryPostgres],
])('a server on %s that stays up while its database is restored to an earlier state', (_name, open) => {
  test('stores events for the release that they name', async () => {
    const [lost, restored] = [await open(), await open()]
    const { sql, restore } = switching(lost, restored)
    const service = await testService({ sql })
    const a = await oneRun(service, {})
    // What was committed meanwhile gave A the ids that B has in the restored database.
    restore()
    const b = await oneRun(await testService({ sql: restored, firstId: 100 }), {
      agent: 'other',
      model: 'm2',
    })
    await ingest(service, [
      eventOf({ release_id: a, run_id: 'of A, behind the restore', success: false }),
      eventOf({ release_id: b, run_id: 'of B', agent_id: 'other', model: 'm2' }),
    ])
    const { samples, metrics } = await ok(diff(service, [b, b]))
    expect(samples.candidate_runs).toBe(2)
    expect(metrics.candidate_error_rate).toBe(0)
    await expectSound(restored)
  })

  test('answers the gate by the runs that there are, also where as many ran under another model', async () => {
    const [lost, restored] = [await open(), await open()]
    const { sql, restore } = switching(lost, restored)
    const service = await testService({ sql, workspace: SMALL_SAMPLES })
    const ids = await candidateOf(service, { model: 'm1' })
    const again = await testService({ sql: restored, workspace: SMALL_SAMPLES })
    expect(await candidateOf(again, { model: 'm2' })).toEqual(ids)
    const ask = async (target: TestService) => {
      const query = { release_id: ids[1], window: '48h' }
      const { verdict, metrics } = await ok(target.call('GET /v1/gate/bot/local', { query }))
      return [verdict, metrics.candidate_cost_per_run_usd]
    }
    for (const _ of [1, 2]) expect(await ask(service)).toEqual(['pass', 2])
    restore()
    for (const _ of [1, 2]) expect(await ask(service)).toEqual(['block', 4])
    expect(await ask(again)).toEqual(['block', 4])
  })

  test('compares tenants by the runs that there are, also where as many took twice as long', async () => {
    const [lost, restored] = [await open(), await open()]
    const { sql, restore } = switching(lost, restored)
    const service = await testService({ sql, workspace: SMALL_SAMPLES })
    const ids = await candidateOf(service, { latency: 1000 })
    const again = await testService({ sql: restored, workspace: SMALL_SAMPLES })
    expect(await candidateOf(again, { latency: 2000 })).toEqual(ids)
    const ask = async (target: TestService) => {
      await summed(target)
      const { statistics } = await ok(diff(target, ids, { window: '48h', compare_by: 'tenant' }))
      return statistics.latency_ms.matched?.candidate_mean
    }
    for (const _ of [1, 2]) expect(await ask(service)).toBe(1000)
    restore()
    for (const _ of [1, 2]) expect(await ask(service)).toBe(2000)
    expect(await ask(again)).toBe(2000)
  })

  test('warns within three seconds of events of a release that is no more', async () => {
    const [lost, restored] = [await open(), await open()]
    const { sql, restore } = switching(lost, restored)
    const service = await testService({ sql })
    const release_id = await oneRun(service, {})
    restore()
    service.clock.now += 3000
    const event = eventOf({ release_id, run_id: 'behind the restore' })
    const { warnings } = await ok(service.call('POST /v1/events', { body: { events: [event] } }))
    expect(warnings).toEqual([expect.stringMatching(/is not registered/)])
  })
})

/** A database that is another one from `restore` on. */
function switching(lost: Sql, restored: Sql): { readonly sql: Sql; readonly restore: () => void } {
  let current = lost
  return {
    sql: {
      ...lost,
      query: statement => current.query(statement),
      snapshot: statements => current.snapshot(statements),
      batch: statements => current.batch(statements),
    },
    restore: () => void (current = restored),
  }
}

/** A promoted baseline and a candidate whose ten runs of the day before are like this, by a policy on its cost. */
async function candidateOf(
  service: TestService,
  own: Pick<EventOptions, 'model' | 'latency'>,
): Promise<readonly [string, string]> {
  await importPrices(service)
  const ids = [await register(service), await register(service, { version: '2' })] as const
  for (const [release_id, more] of [
    [ids[0], { latency: 1000 }],
    [ids[1], own],
  ] as const) {
    const events = Array.from({ length: 10 }, (_, index) =>
      eventOf({ release_id, run_id: `${release_id} ${index}`, at: NOON - (20 + index) * HOUR_MS, ...more }),
    )
    await ingest(service, events)
  }
  await ok(promote(service, ids[0], { window: '48h' }))
  await setPolicy(service, { max_cost_per_run_usd: 3 })
  return ids
}

/** A release, and a run of it. */
async function oneRun(service: TestService, { agent = 'bot', model = 'm1' }): Promise<string> {
  await importPrices(service)
  const release_id = await register(service, { agent, model })
  await ingest(service, [eventOf({ release_id, run_id: 'first', agent_id: agent, model })])
  return release_id
}
