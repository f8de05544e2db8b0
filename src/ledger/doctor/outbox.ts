import { jsonOf } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { type Row, type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, orNull } from '../../sql/query.ts'
import { deliveryIdStart } from '../webhooks/announcements.ts'
import type { AnyFeature } from '../world/ledger.ts'
import { type Cause, causedBy, causesIn, wrongColumn } from './kept_answers.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

/** Deliveries that are read at a time. */
const PAGE = 90

/** What the outbox tells, or has told, is what the ledger has: a delivery is signed whoever put it there. */
export async function checkDeliveries(db: Sql, features: readonly AnyFeature[]): Promise<DoctorCheck> {
  const causes = await causesIn(features)
  const name = 'webhook_deliveries'
  let verified = 0
  for (let seq = 0; ;) {
    const page = sql`SELECT d.seq, d.delivery_id, d.webhook_id, d.event, d.body, d.created_at, w.webhook_id AS found
        FROM webhook_deliveries d LEFT JOIN webhooks w ON w.webhook_id = d.webhook_id
        WHERE d.seq > ${seq} ORDER BY d.seq LIMIT ${PAGE}`
    const rows: Stored[] = await ask(db, allRows(page, readDelivery))
    const named = rows.map(row => namedBy(row, causes))
    const found = await causedBy(db, named)
    for (const [index, row] of rows.entries()) {
      const problem = problemOf(row, named[index], found)
      if (problem !== undefined) return fail(name, `${row.delivery_id} ${problem}`)
    }
    verified += rows.length
    seq = rows.at(-1)?.seq ?? seq
    if (rows.length < PAGE) return pass(name, `${verified} tell what the ledger has`)
  }
}

const readDelivery = columns({
  seq: asNumber,
  delivery_id: asText,
  webhook_id: asText,
  event: asText,
  body: asText,
  created_at: asNumber,
  found: orNull(asText),
})

type Stored = ReturnType<typeof readDelivery>

/** What a delivery says that it is about; undefined where it says nothing that could be. */
interface Named {
  readonly cause: Cause
  readonly id: string
  readonly payload: {
    readonly event: string
    readonly delivery_id: string
    readonly created_at: string
    readonly data: Row
  }
}

function namedBy({ body, event, delivery_id }: Stored, causes: readonly Cause[]): Named | undefined {
  const payload = jsonOf(body) as Named['payload'] | null | undefined
  if (payload == null || payload.event !== event || payload.delivery_id !== delivery_id) return undefined
  for (const cause of causes) {
    const id = payload.data?.[cause.id]
    if (typeof id === 'string' && id.startsWith(cause.start)) return { cause, id, payload }
  }
  return undefined
}

function problemOf(
  { delivery_id, webhook_id, created_at, found }: Stored,
  named: Named | undefined,
  rows: ReadonlyMap<string, Row>,
): string | undefined {
  if (found === null) return `is for ${webhook_id}, which is not there`
  if (named === undefined) return 'has a body that is none of its own'
  const { cause, id, payload } = named
  const row = rows.get(id)
  if (row === undefined) return `tells of ${id}, which is not there`
  const starts = (cause.announcedBy?.(id, payload.data) ?? [id]).map(deliveryIdStart)
  if (!starts.some(start => delivery_id === start + webhook_id.slice(4))) {
    return `has another id than a delivery of ${id} to ${webhook_id}`
  }
  if (payload.created_at !== isoTime(created_at)) return 'says another time than it has'
  const wrong = wrongColumn(cause, payload.data, row)
  return wrong === undefined ? undefined : `says another ${wrong} than ${id} has`
}
