import { expect, test } from 'vitest'
import { sql } from '../../../src/sql/port.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { scaled } from '../../support/scale.ts'
import { type SocketService, socketService } from '../../support/services/socket.ts'
import { drawRequest } from '../suite/operation/fuzz.ts'

const REQUESTS = scaled(800, 100_000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)

/** Most growth of the process while it is fuzzed, bytes. */
const MAX_GROWTH = 64 * 1024 * 1024

test(`${REQUESTS} seeded bad requests get no 5xx, hang nothing, and write nothing that is refused`, async () => {
  const service = await socketService()
  const random = seededRandom(SEED)
  const statuses = new Map<number, number>()
  let baseline = 0
  for (let index = 0; index < REQUESTS; index++) {
    const { route, options } = drawRequest(random)
    const before = await rowsIn(service)
    const { status, text } = await service.call(route, options)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const shown = { seed: SEED, index, route, options }
    expect(status, JSON.stringify(shown).slice(0, 2000)).toBeLessThan(500)
    if (status >= 400) {
      expect(await rowsIn(service), JSON.stringify(shown).slice(0, 2000)).toBe(before)
      expect(text, route).not.toMatch(/\bat .*\.ts:\d+/)
    }
    // What loads once, and the heap that a process keeps, are no growth.
    if (index === Math.floor(REQUESTS / 4)) baseline = settledMemory()
  }
  expect(settledMemory() - baseline).toBeLessThan(MAX_GROWTH)
  expect([...statuses.keys()].filter(status => status >= 400).length).toBeGreaterThan(3)
  expect(Reflect.has({}, 'polluted')).toBe(false)
})

/** How much the ledger holds: of every table that a request could write to, and of what it could change. */
async function rowsIn({ sql: db }: SocketService): Promise<string> {
  const { rows } = await db.query(sql`SELECT
    (SELECT count(*) FROM releases) || ' ' || (SELECT count(*) FROM run_events) || ' ' ||
    (SELECT count(*) FROM pricing_imports) || ' ' || (SELECT count(*) FROM policy_history) || ' ' ||
    (SELECT count(*) FROM promotion_requests) || ' ' || (SELECT count(*) FROM actions) || ' ' ||
    (SELECT count(*) FROM webhooks) || ' ' || (SELECT count(*) FROM webhook_deliveries) || ' ' ||
    (SELECT count(*) FROM idempotency_keys) || ' ' || (SELECT seq || ' ' || revision FROM audit_head) AS stored`)
  return String(rows[0]!.stored)
}

function settledMemory(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss
}
