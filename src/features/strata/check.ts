import { MINUTE_MS, isoTime } from '../../base/time.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import { asNumber, ask, columns, field, firstRow, onlyRow, orNull } from '../../sql/query.ts'
import { REST, STRATA_KINDS, type StrataKind } from './rules_strata.ts'
import { STRATA_SOURCES, listedSeqs, strataTable } from './tables.ts'

export const CHECKS: readonly Check[] = [
  { name: 'strata', run: checkWaiting },
  { name: 'strata_ids', deep: true, run: checkIds },
]

/** Events are summed once a minute; past this nobody does. */
const OVERDUE_MS = 10 * MINUTE_MS

/** Whether somebody sums the events by tenant and task: comparisons by them lack those that are not summed. */
async function checkWaiting(db: Sql): Promise<DoctorCheck[]> {
  const waiting = onlyRow(
    sql`SELECT min(stored_at) AS oldest, ${db.clock} AS now FROM strata_unsummed`,
    columns({ oldest: orNull(asNumber), now: asNumber }),
  )
  const { oldest, now } = await ask(db, waiting)
  if (oldest === null || now - oldest <= OVERDUE_MS) return []
  const detail =
    `events that were stored at ${isoTime(oldest)} are not summed by tenant and task yet; a running ` +
    "`svc serve` on this ledger sums them, or the Worker's cron trigger"
  return [{ name: 'strata', ok: true, detail, warning: true }]
}

/** Ids in the sums are those of a tenant or task of the same agent and environment, and what is to be summed is there. */
async function checkIds(db: Sql): Promise<DoctorCheck> {
  const name = 'strata_ids'
  for (const kind of STRATA_KINDS) {
    const unknown = firstRow(
      sql`${unknownStrata(kind)} LIMIT 1`,
      columns({ scope: asNumber, stratum: asNumber }),
    )
    const found = await ask(db, unknown)
    if (found !== undefined)
      return fail(name, `stratum ${found.stratum} of scope ${found.scope} is no ${kind} there`)
  }
  const gone = await ask(db, firstRow(goneEvent(db.dialect), field('value', asNumber)))
  if (gone !== undefined) return fail(name, `event ${gone} is to be summed, but is not there`)
  return pass(name, 'tenants and tasks of all sums are there')
}

function unknownStrata(kind: StrataKind): Statement {
  return sql`SELECT u.scope, u.stratum FROM (${join(
    STRATA_SOURCES.map(of => sql`SELECT scope, stratum, variant FROM ${raw(strataTable(kind, of))}`),
    ' UNION ',
  )}) AS u
    JOIN scopes s ON s.id = u.scope JOIN variants v ON v.id = u.variant
    LEFT JOIN strata t ON t.id = u.stratum AND t.kind = ${kind} AND t.agent_id = v.agent_id
      AND t.environment = s.environment
    WHERE u.stratum <> ${REST} AND t.id IS NULL`
}

/** Whoever removes an event sums it first. */
function goneEvent(dialect: Sql['dialect']): Statement {
  return sql`SELECT listed.value FROM ${listedSeqs(dialect, raw('SELECT seqs FROM strata_unsummed'))}
    WHERE NOT EXISTS (SELECT 1 FROM run_events e WHERE e.seq = listed.value) LIMIT 1`
}
