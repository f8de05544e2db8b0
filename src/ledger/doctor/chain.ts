import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import { HEAD, toHead } from '../trail/chain.ts'
import type { Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './report.ts'
import { TrailCheck, releasesOf } from './trail.ts'

/** Rows of a chain that a check looks at which is not deep: the newest. */
export const NEWEST = 100

/** Where a check begins: behind this row. */
export function beginning(last: number, deep: boolean): number {
  return deep ? 0 : Math.max(0, last - NEWEST)
}

/** What is said of rows that were left out. */
export function leftOut(from: number): string {
  return from === 0 ? '' : `; the ${from} before them are verified by \`svc doctor --deep\``
}

export async function checkSequence(db: Sql, deep: boolean): Promise<DoctorCheck> {
  const name = 'audit_seq'
  const [newest, headRow] = await db.snapshot([
    sql`SELECT audit_seq AS last, created_at FROM actions ORDER BY audit_seq DESC LIMIT 1`,
    HEAD,
  ])
  const head = toHead(headRow)
  const last = Number(newest!.rows[0]?.last ?? 0)
  const from = beginning(last, deep)
  const [counted, gap] = await db.snapshot([
    sql`SELECT count(*) AS n, count(DISTINCT audit_seq) AS seqs FROM actions
      WHERE audit_seq > ${from} AND audit_seq <= ${last}`,
    sql`SELECT a.audit_seq FROM actions a WHERE a.audit_seq > ${Math.max(1, from)} AND a.audit_seq <= ${last}
      AND NOT EXISTS (SELECT 1 FROM actions b WHERE b.audit_seq = a.audit_seq - 1)
      ORDER BY a.audit_seq LIMIT 1`,
  ])
  const { n, seqs } = counted!.rows[0]!
  const before = gap!.rows[0]?.audit_seq
  if (before !== undefined) return fail(name, `there is no ${Number(before) - 1} before ${before}`)
  if (n !== last - from || seqs !== n) return fail(name, `${n} rows, but the last is numbered ${last}`)
  if (last !== head.seq) return fail(name, `rows up to ${head.seq} were written, the last is ${last}`)
  if (last > 0 && head.created_at !== newest!.rows[0]!.created_at) {
    return fail(name, `the head is of another time than audit_seq ${last}, its last row`)
  }
  return pass(name, last === 0 ? 'no actions yet' : `contiguous from ${from + 1} to ${last}`)
}

/** Rows that are read at a time. */
const PAGE = 500

/**
 * Recomputes every hash, and folds the trail: each decision was made against the release that the one before it had
 * left. Begins with the newest rows, or with the first one (`whole`); `replays` decides each anew as well, and looks its
 * releases up. Names the first row that doesn't hold.
 */
export async function checkChain(
  db: Sql,
  { whole, replays }: { readonly whole: boolean; readonly replays: boolean },
  onProgress?: Progress,
): Promise<DoctorCheck> {
  const name = replays ? 'audit_chain_and_decisions' : 'audit_chain'
  const [headRow] = await db.snapshot([HEAD])
  const from = beginning(toHead(headRow).seq, whole)
  const [before] = await rowsOf(db, sql`SELECT hash FROM actions WHERE audit_seq = ${from}`)
  if (from > 0 && before === undefined) return fail(name, `there is no audit_seq ${from}`)
  const trail = new TrailCheck(String(before?.hash ?? ''), from > 0)
  for (let seq = from; ;) {
    const [page, end] = await db.snapshot([
      sql`SELECT * FROM actions WHERE audit_seq > ${seq} ORDER BY audit_seq LIMIT ${PAGE}`,
      HEAD,
    ])
    const releases = replays ? await releasesOf(db, page!.rows) : undefined
    for (const row of page!.rows) {
      const problem = await trail.problemOf(row, releases)
      if (problem !== undefined) return fail(name, `audit_seq ${row.audit_seq}: ${problem}`)
      seq = Number(row.audit_seq)
    }
    const head = toHead(end)
    onProgress?.('decisions', seq, head.seq)
    if (page!.rows.length === PAGE) continue
    const { verified, unhashed, lastHash } = trail
    if (head.seq !== seq || head.hash !== lastHash) {
      return fail(name, `the trail ends with audit_seq ${seq}, its head says ${head.seq} or another hash`)
    }
    const [start] = await rowsOf(db, sql`SELECT first_seq FROM audit_head WHERE id = 1`)
    if (from === 0 && start!.first_seq !== unhashed) {
      return fail(
        name,
        `the head says that hashes begin behind audit_seq ${start!.first_seq}, they do behind ${unhashed}`,
      )
    }
    const older = unhashed === 0 ? '' : `; ${unhashed} before them are older than the chain and have no hash`
    return pass(name, `${verified} rows verified${older}${leftOut(from)}`)
  }
}
