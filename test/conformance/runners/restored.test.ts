import { describe, expect, test } from 'vitest'
import type { Sql } from '../../../src/sql/port.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { temporaryLedger } from '../../support/databases/ledger.ts'
import { temporaryPostgres } from '../../support/databases/postgres.ts'
import { diff, ingest, ok } from '../../support/services/requests.ts'
import { type TestService, testService } from '../../support/services/service.ts'
import { expectSound } from '../../crash/verify.ts'

describe.each<[string, () => Promise<Sql>]>([
  ['SQLite', temporaryLedger],
  ['PostgreSQL', temporaryPostgres],
])('a server on %s that stays up while its database is restored to an earlier state', (_name, open) => {
  test('stores events for the release that they name', async () => {
    const [lost, restored] = [await open(), await open()]
    let current = lost
    const switching: Sql = {
      ...lost,
      query: statement => current.query(statement),
      snapshot: statements => current.snapshot(statements),
      batch: statements => current.batch(statements),
    }
    const service = await testService({ sql: switching })
    const a = await oneRun(service, {})
    // What was committed meanwhile gave A the ids that B has in the restored database.
    current = restored
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
})

/** A release, and a run of it. */
async function oneRun(service: TestService, { agent = 'bot', model = 'm1' }): Promise<string> {
  await importPrices(service)
  const release_id = await register(service, { agent, model })
  await ingest(service, [eventOf({ release_id, run_id: 'first', agent_id: agent, model })])
  return release_id
}
