import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '../../src/base/time.ts'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'
import { workspaceConfig } from '../../src/runtime/documents.ts'
import { acceptEvent } from '../../src/models/all/parse_event.ts'
import { readEnvironment } from '../../src/runtime/environment.ts'
import { openServices } from '../../src/runtime/node/open.ts'
import { runRetention } from '../../src/features/retention/jobs_retention.ts'
import { rowsOf, sql } from '../../src/sql/port.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { eventOf } from '../support/services/builders.ts'

const RETENTION = { events: '2d', webhook_deliveries: '1d', idempotency_keys: '1d', archive: 'kept' }

test('of two servers on one ledger one removes what is old, archived, and events still come in', async () => {
  const [folder, databaseUrl] = [temporaryFolder(), await temporaryDatabase()]
  const [first, second] = [await serve(folder, databaseUrl), await serve(folder, databaseUrl)]
  await first.store('old', Date.now() - 5 * DAY_MS, 450)
  const runners = [first, second].map(({ services }) => runRetention(services, { folder, firstMs: 1 }))
  onTestFinished(async () => void (await Promise.all(runners.map(runner => runner.stop()))))
  const coming = first.store('new', Date.now(), 50)
  const removed = await Promise.race([first.removed, second.removed])
  await coming
  expect(removed).toEqual({
    run_events: 450,
    aggregates: 0,
    score_cases: 0,
    watch_checks: 0,
    webhook_deliveries: 0,
    idempotency_keys: 0,
  })
  const [row] = await rowsOf(first.services.sql, sql`SELECT count(*) AS n FROM run_events`)
  expect(row).toEqual({ n: 50 })
  const [name, ...others] = readdirSync(join(folder, 'kept'))
  expect(others).toEqual([])
  expect(
    gunzipSync(readFileSync(join(folder, 'kept', name!)))
      .toString()
      .trimEnd()
      .split('\n'),
  ).toHaveLength(450)
})

test('a server that stops leaves the rest to the next', async () => {
  const folder = temporaryFolder()
  const { services, store } = await serve(folder)
  await store('old', Date.now() - 5 * DAY_MS, 2000)
  const runner = runRetention(services, { folder, firstMs: 1 })
  const left = async () =>
    Number((await rowsOf(services.sql, sql`SELECT count(*) AS n FROM run_events`))[0]!.n)
  await expect.poll(left, { timeout: 20_000, interval: 5 }).toBeLessThan(2000)
  await runner.stop()
  expect(await left()).toBeGreaterThan(0)
  await services.sql.batch([sql`UPDATE retention SET lease_until = 0`])
  const next = runRetention(services, { folder, firstMs: 1 })
  await expect.poll(left, { timeout: 20_000 }).toBe(0)
  await next.stop()
})

test('an archive that can not be written keeps nothing else from going', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'kept'), '')
  const { services, store, logged } = await serve(folder)
  await store('old', Date.now() - 5 * DAY_MS, 3)
  await services.sql.batch([
    sql`INSERT INTO idempotency_keys (key, fingerprint, body_json, created_at) VALUES ('k', '', '{}', 0)`,
  ])
  const runner = runRetention(services, { folder, firstMs: 1 })
  const left = async () => (await rowsOf(services.sql, sql`SELECT key FROM idempotency_keys`)).length
  await expect.poll(left).toBe(0)
  await runner.stop()
  expect(logged).toContainEqual(['error', "retention can't remove run_events"])
  expect(await rowsOf(services.sql, sql`SELECT count(*) AS n FROM run_events`)).toEqual([{ n: 3 }])
})

async function serve(folder: string, databaseUrl?: string) {
  let report = (_removed: unknown): void => {}
  const removed = new Promise(resolve => (report = resolve))
  const logged: [level: string, message: string][] = []
  const services = await openServices({
    folder,
    environment: readEnvironment({ SERVICE_DATABASE_URL: databaseUrl }),
    version: '0.0.0-test',
    log: (level, message, fields) => {
      logged.push([level, message])
      if (message === 'removed by retention') report(fields)
    },
    workspace: workspaceConfig({ retention: RETENTION }),
  })
  onTestFinished(() => services.sql.close())
  const store = async (name: string, at: number, count: number): Promise<void> => {
    const events = Array.from({ length: count }, (_, index) =>
      acceptEvent(eventOf({ release_id: `rel_${name}`, run_id: `${name}-${index}`, at: at + index }))!,
    )
    await ingestEvents(services, events)
  }
  return { services, store, removed, logged }
}
