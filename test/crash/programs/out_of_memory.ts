import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { openServices } from '../../../src/runtime/node/open.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { inBackground } from '../../../src/sql/deadline.ts'
import { SqlError, raw } from '../../../src/sql/port.ts'
import { type Place, acknowledge, call, input } from './support.ts'

/** Makes the thread of the ledger run out of memory, in a read and in a write, and says what comes of it and after it. */
const { place } = input<{ place: Place }>()
const services = await openServices({
  folder: place.folder,
  environment: readEnvironment({}),
  version: '0.0.0-test',
  log: (level, message) => acknowledge({ level, message }),
  ownThread: true,
  workspace: workspaceConfig({}),
})
const { sql } = services

// Two gigabytes of text.
const HUGE = raw(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
  SELECT hex(randomblob(10000)) AS h FROM n`,
)
const NOTE = raw('UPDATE retention SET lease_until = 0 WHERE id = 1')

async function reportOutcome(name: string, work: Promise<unknown>): Promise<void> {
  const kind = await work.then(
    () => 'done',
    (error: unknown) => (error instanceof SqlError ? `${error.kind}: ${error.reason ?? ''}` : String(error)),
  )
  acknowledge({ name, kind })
}

async function answers(): Promise<void> {
  acknowledge({ ready: (await call(services, 'GET /ready')).status })
  acknowledge({ written: (await call(services, 'PUT /v1/policy', { policy_id: 'p' })).status })
}

await Promise.all([reportOutcome('read', sql.query(HUGE)), reportOutcome('beside', sql.batch([NOTE]))])
await answers()
await reportOutcome('write', sql.batch([NOTE, HUGE]))
await answers()
await reportOutcome('background', inBackground(sql).query(HUGE))
await answers()
await sql.close()
