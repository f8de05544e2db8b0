import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asJson, asNumber, ask, columns, field, inTurn, onlyRow, together } from '../../sql/query.ts'
import { BOUND_NAMES, type Holds, boundPages } from '../trail/bound_rows.ts'
import { HEAD, type LogRecord } from '../trail/chain.ts'
import type { Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

/** Ids that are held in memory at a time; where there are more, the log is read several times. */
const MOST_IDS = 100_000

/** What the last entry about a row says of it: the hash, or null where it is gone. */
interface Held {
  readonly hash: string | null
  readonly log_seq: number
  /** The first entry about it. */
  readonly first: number
}

/**
 * Rows that may change are what the last entry of the audit log about them says: tokens, webhooks, requests, watches,
 * scores, erasures, files of releases, in the order of their first entries. Names the first that isn't, that has no
 * entry, or that is gone.
 */
export async function checkHeldRows(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'held_rows'
  const counted = BOUND_NAMES.map(table =>
    onlyRow({ text: `SELECT count(*) AS n FROM ${table}`, params: [] }, field('n', asNumber)),
  )
  const { head, counts } = await ask(db, together({ head: HEAD, counts: inTurn(counted) }))
  const rows = counts.reduce((sum, n) => sum + n, 0)
  const parts = Math.max(1, Math.ceil(rows / MOST_IDS))
  let verified = 0
  for (let part = 0; part < parts; part++) {
    const isOfPart = (id: string): boolean => partOf(id, parts) === part
    const held = await heldRows(db, head.log.seq, isOfPart)
    const found = await compare(db, held, isOfPart)
    if (typeof found === 'string') return fail(name, found)
    verified += found
    onProgress?.('rows', part + 1, parts)
  }
  return pass(name, `${verified} are what the audit log says of them`)
}

/** Ids are made at random, but for those of other programs. */
function partOf(id: string, parts: number): number {
  let sum = 0
  for (let index = 0; index < id.length; index++) sum = (sum * 31 + id.charCodeAt(index)) % 1_000_003
  return sum % parts
}

/** Entries that are read at a time. */
const PAGE = 500

async function heldRows(
  db: Sql,
  last: number,
  isOfPart: (id: string) => boolean,
): Promise<Map<string, Held>> {
  const held = new Map<string, Held>()
  for (let seq = 0; ;) {
    const page = sql`SELECT log_seq, record_json FROM audit_log
      WHERE log_seq > ${seq} AND log_seq <= ${last} AND record_json LIKE ${'%"holds":{%'} ORDER BY log_seq LIMIT ${PAGE}`
    const rows = await ask(db, allRows(page, columns({ log_seq: asNumber, record_json: asJson<LogRecord> })))
    for (const { log_seq, record_json } of rows) {
      const { details } = record_json
      for (const [table, hashes] of Object.entries((details as { holds?: Holds }).holds ?? {})) {
        for (const [id, hash] of Object.entries(hashes)) {
          if (!isOfPart(id)) continue
          const { first = log_seq } = held.get(`${table} ${id}`) ?? {}
          held.set(`${table} ${id}`, { hash, log_seq, first })
        }
      }
      seq = log_seq
    }
    if (rows.length < PAGE) return held
  }
}

/** How many rows hold, or the first problem. */
async function compare(
  db: Sql,
  held: Map<string, Held>,
  isOfPart: (id: string) => boolean,
): Promise<number | string> {
  let verified = 0
  for (const table of BOUND_NAMES) {
    const order: { readonly id: string; readonly seq: number; readonly first: number }[] = []
    for await (const page of boundPages(db, table)) {
      for (const row of page) {
        const { id, seq } = row
        if (!isOfPart(id)) continue
        const said = held.get(`${table} ${id}`)
        if (said === undefined) {
          return (
            `${table} ${id} has no entry: another program wrote it; ` +
            'once it is known to be right, remove it and make it anew'
          )
        }
        if (said.hash !== row.hash) {
          return `${table} ${id} is not what log_seq ${said.log_seq} says of it`
        }
        order.push({ id, seq, first: said.first })
        held.delete(`${table} ${id}`)
        verified += 1
      }
    }
    order.sort((a, b) => a.seq - b.seq)
    const early = order.find((row, index) => row.seq > 0 && row.first < (order[index - 1]?.first ?? 0))
    if (early !== undefined) return `${table} ${early.id} stands behind rows that were made after it`
  }
  for (const [key, { hash, log_seq }] of held) {
    if (hash !== null) return `${key} is gone, but log_seq ${log_seq} says what it is`
  }
  return verified
}
