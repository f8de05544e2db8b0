import { safe } from '../../base/text.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Check, DoctorCheck } from '../../ledger/doctor/check.ts'
import { type Sql, type Statement, raw, rowsOf, sql } from '../../sql/port.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { listRetirements } from './retirements.ts'
import { NOTICE_DAYS, ROLE_TEXTS, endText } from './rules.ts'

/** How often somebody looks, whoever serves the ledger. */
const LOOK_MS = raw(String(HOUR_MS))
/** A look that is further ahead than this was noted before the clock was set back. */
const AHEAD_MS = raw(String(MINUTE_MS))

/** Releases that one batch tells of. */
const AT_ONCE = 20

/**
 * Tells receivers of models of live releases that end: at 90, 30, 7 and 1 days, once each, by the clock of the database. Of
 * days that have passed already only the last is told.
 */
export async function tellRetirements(ledger: Ledger, pace: Pace): Promise<void> {
  const { sql: db } = ledger
  const isRecent = sql`looked_at > ${db.clock} - ${LOOK_MS} AND looked_at <= ${db.clock} + ${AHEAD_MS}`
  if ((await rowsOf(db, sql`SELECT 1 FROM retirement_look WHERE ${isRecent}`)).length > 0) return
  const { apart, doubt } = await readClock(ledger)
  if ((apart ?? doubt) !== undefined) return
  const { live } = await listRetirements(db, { days: NOTICE_DAYS[0] })
  const createdAt = ledger.now()
  const told = live.map(({ agent_id, environment, release_id, version, provider, model, role, ...end }) => {
    const { retires_on, days_left } = end
    const days = NOTICE_DAYS.findLast(notice => days_left <= notice)!
    const noticeId = ledger.newId('mrn_')
    const data = {
      release_id,
      version,
      agent_id,
      environment,
      provider,
      model,
      role,
      retires_on,
      days_left,
      actor: SERVICE_ACTOR.name,
      reason: `${safe(model)}${ROLE_TEXTS[role]} of ${safe(provider)} ${endText(end)}`,
    }
    const isMine = sql`EXISTS (SELECT 1 FROM retirement_notices WHERE notice_id = ${noticeId} AND agent_id = ${agent_id}
      AND environment = ${environment} AND provider = ${provider} AND model = ${model})`
    return [
      sql`INSERT INTO retirement_notices (agent_id, environment, provider, model, retires_on, days, notice_id)
        VALUES (${agent_id}, ${environment}, ${provider}, ${model}, ${retires_on}, CAST(${days} AS BIGINT), ${noticeId})
        ON CONFLICT DO NOTHING`,
      toOutbox({ event: 'model.retiring', cause: noticeId, createdAt, data }, isMine, db.clock),
    ]
  })
  for (let start = 0; start < told.length; start += AT_ONCE) {
    const statements: Statement[] = told.slice(start, start + AT_ONCE).flat()
    await pace(() => db.batch(statements))
  }
  // Last: what fails before is told at the next look, and what was told isn't told again.
  await db.batch([
    sql`INSERT INTO retirement_look (id, looked_at) VALUES (1, ${db.clock})
      ON CONFLICT (id) DO UPDATE SET looked_at = excluded.looked_at`,
  ])
  if (told.length > 0) ledger.outboxFilled()
}

export const CHECKS: readonly Check[] = [{ name: 'retirements', run: checkRetirements }]

const MOST_TOLD = 3

/** Models of live releases that end soon. No fault of the ledger, so this never fails. */
async function checkRetirements(db: Sql): Promise<DoctorCheck[]> {
  const { live } = await listRetirements(db, { days: NOTICE_DAYS[0] })
  if (live.length === 0) return []
  const told = live
    .slice(0, MOST_TOLD)
    .map(
      one =>
        `${one.model}${ROLE_TEXTS[one.role]} of ${one.release_id} (${one.agent_id} in ${one.environment}) ${endText(one)}`,
    )
  const more = live.length > MOST_TOLD ? `; and ${live.length - MOST_TOLD} more` : ''
  const detail = `${told.join('; ')}${more} (\`svc models retirements\`)`
  return [{ name: 'retirements', ok: true, detail, warning: true }]
}
