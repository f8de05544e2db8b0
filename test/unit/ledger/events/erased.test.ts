import { FEATURES } from '../../../../src/entry/features.ts'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { examine } from '../../../../src/ledger/doctor/doctor.ts'
import { ingestEvents } from '../../../../src/ledger/events/ingest.ts'
import { tenantHash } from '../../../../src/features/retention/hashes.ts'
import {
  NONE_HASHED,
  hashForIngest,
  readErasureKey,
  runHashes,
} from '../../../../src/ledger/events/erased.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { acceptEvent } from '../../../../src/models/all/parse_event.ts'
import { loadMigrations } from '../../../../src/runtime/node/migrations.ts'
import { sql } from '../../../../src/sql/port.ts'
import { MORNING, type PlainLedger, plainLedger } from '../../../support/ledgers/plain_ledger.ts'
import { eventOf } from '../../../support/services/builders.ts'
import { erase } from '../../../support/services/retention.ts'

const SECRET = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 64 })

function expected(secret: string, text: string): string {
  return createHash('sha256').update(`${secret} ${text}`).digest('hex').slice(0, 32)
}

test('run_ids and tenants are hashed with the key', async () => {
  await fc.assert(
    fc.asyncProperty(SECRET, fc.array(fc.string()), async (secret, ids) => {
      const key = { id: 'key_000000000001', secret }
      const hashes = ids.map(id => expected(secret, `run_id:${id}`))
      expect(await runHashes(key, ids)).toEqual(hashes)
      expect(await tenantHash(key, ids[0] ?? '')).toBe(expected(secret, `tenant_id:${ids[0] ?? ''}`))
    }),
  )
})

test('nothing is hashed in a ledger in which nothing was ever erased', async () => {
  const ledger = await plainLedger()
  expect(await hashForIngest(ledger, ['run-1'])).toBe(NONE_HASHED)
  expect(await send(ledger)).toMatchObject({ inserted: 1 })
})

test('a process that has the key of another state of the ledger, or none, asks for it again', async () => {
  const ledger = await plainLedger()
  await send(ledger)
  const early = { ...ledger, memo: newMemo() }
  await send(early)
  expect(early.memo.ids.erasureKey).toBe('none')
  await erase(ledger, 't1')
  expect(await send(early)).toMatchObject({ inserted: 0, expired: 1, erased: 1 })
  const other = { ...ledger, memo: newMemo() }
  other.memo.ids.erasureKey = { id: 'key_restored-one', secret: 'x' }
  expect(await send(other)).toMatchObject({ inserted: 0, expired: 1, erased: 1 })
})

test.each([
  [
    'an event that a server of an older version stored again',
    async (ledger: PlainLedger) => {
      // It knows nothing of hashes.
      const rows = await ledger.rows('erased_runs')
      await ledger.sql.batch([sql`DELETE FROM erased_runs`])
      await send(ledger)
      await ledger.sql.batch(rows.map(({ hash }) => sql`INSERT INTO erased_runs (hash) VALUES (${hash!})`))
    },
    /^run_id r1 was erased and is stored again, so it counts twice/,
  ],
  [
    'a hash that is gone',
    async (ledger: PlainLedger) => void (await ledger.sql.batch([sql`DELETE FROM erased_runs`])),
    /^the hashes of erased run_ids differ from those of the last erasure$/,
  ],
  [
    'another key',
    async (ledger: PlainLedger) => {
      const { id } = (await readErasureKey(ledger.sql))!
      await ledger.sql.batch([sql`UPDATE retention SET erasure_key = ${`${id}.other`}`])
    },
    /^the key of erased run_ids is not the one of their hashes$/,
  ],
])('the doctor finds %s', async (_what, change, detail) => {
  const ledger = await plainLedger()
  await send(ledger)
  await erase(ledger, 't1')
  expect(await checkOf(ledger)).toEqual({ ok: true, detail: 'none of 1 is stored again' })
  await change(ledger)
  expect(await checkOf(ledger)).toEqual({ ok: false, detail: expect.stringMatching(detail) })
})

function send(ledger: PlainLedger) {
  return ingestEvents(ledger, [acceptEvent(eventOf({ release_id: 'rel_a', run_id: 'r1', at: MORNING }))!])
}

async function checkOf({ sql: db }: PlainLedger) {
  const { checks } = await examine(db, {
    features: FEATURES,
    migrations: loadMigrations({ dialect: 'sqlite' }),
    deep: true,
  })
  const { ok, detail } = checks.find(({ name }) => name === 'erased_runs')!
  return { ok, detail }
}
