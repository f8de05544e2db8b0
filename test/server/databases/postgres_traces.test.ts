import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { raw, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { type TestSpan, jsonExport } from '../../support/otlp/exports.ts'
import { call, child, root } from '../../support/otlp/spans.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

/** A lock that only this test knows. */
const GATE = '4711, 1'

test('a call that is remembered while its run is being committed waits for that, and is told that it is late', async () => {
  const url = await temporaryDatabase()
  const db = openPostgres({ url: `${url}?max=6` })
  const holder = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(async () => {
    await holder.end()
    await db.close()
  })
  // Its transactions that store runs end only when the gate is open.
  const slow = await testService({
    sql: {
      ...db,
      batch: (statements, options) => {
        const isOfRuns = statements.some(({ text }) => text.includes('INSERT INTO run_events'))
        const gate = raw(`SELECT pg_advisory_xact_lock(${GATE})`)
        return db.batch(isOfRuns ? [...statements, gate] : statements, options)
      },
    },
  })
  const quick = await testService({ sql: db, firstId: 700_000 })
  await importPrices(slow)
  await register(slow, { version: '1.5.0' })
  await holder.unsafe(`SELECT pg_advisory_lock(${GATE})`)
  const send = (service: typeof slow, spans: readonly TestSpan[]) =>
    ok(service.call('POST /v1/traces', { body: jsonExport({ spans }) }))
  const lateCall = { isOver: false }
  const agent = send(slow, [root(), child(3, call(5, 1))])
  await waiters(1)
  const late = send(quick, [child(2, call(7, 1))])
  // One waits for the gate, the other one for the trace.
  await Promise.race([waiters(2), late.finally(() => (lateCall.isOver = true))])
  await holder.unsafe(`SELECT pg_advisory_unlock(${GATE})`)
  expect(await agent).toEqual({})
  expect((await late).partialSuccess).toMatchObject({ rejectedSpans: '1' })
  expect(await rowsOf(db, sql`SELECT span_id FROM kept_spans`)).toEqual([])

  async function waiters(count: number): Promise<void> {
    for (let found = 0; found < count && !lateCall.isOver;) {
      const [row] = await rowsOf(
        db,
        sql`SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      found = Number(row!.n)
    }
  }
})
