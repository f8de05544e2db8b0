import { badRequest } from '../../base/errors.ts'
import { similarNames } from '../../base/similar.ts'
import { isBlank } from '../../base/text.ts'
import type {
  Retirement,
  RetirementHistory,
  RetirementList,
  RetiringRelease,
  SaidRetirement,
} from '../../models/answers/retirement.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { allRows, ask, onlyRow, together } from '../../sql/query.ts'
import { nullable } from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { EVERYTHING, type Scope, inScope } from '../../ledger/world/scope.ts'
import { ENTRY, endingIn, endsAt, endsQuery, timeOf } from './known.ts'

export interface RetirementListing {
  /** Live releases whose models end within so many days, or have ended. */
  readonly days: number
  /** Whether all models of which an end is known are listed too. */
  readonly all?: boolean
  readonly scope?: Scope
}

/** When models of live releases end, as far as that is known; by the clock of the database. */
export async function listRetirements(
  db: Sql,
  { days, all = false, scope = EVERYTHING }: RetirementListing,
): Promise<RetirementList> {
  const {
    live,
    ends: known,
    now,
  } = await ask(
    db,
    together({
      live: allRows(sql`SELECT p.agent_id, p.environment, p.release_id, r.version, r.artifact_json
        FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
        WHERE ${inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })}
        ORDER BY p.agent_id, p.environment`),
      ends: endsQuery(db),
      now: onlyRow(sql`SELECT ${db.clock} AS now`, row => Number(row.now)),
    }),
  )
  const ends = endsAt(known, now)
  const byDate = (a: Retirement, b: Retirement): number => a.days_left - b.days_left
  return {
    live: (ends.size === 0 ? [] : live.flatMap(row => retiringOf(row, ends)))
      .filter(({ days_left }) => days_left <= days)
      .sort(byDate),
    models: all ? [...ends.values()].sort(byDate) : [],
  }
}

function retiringOf(row: Row, ends: ReadonlyMap<string, Retirement>): RetiringRelease[] {
  return endingIn(JSON.parse(String(row.artifact_json)) as Release, ends).map(end => ({
    agent_id: String(row.agent_id),
    environment: String(row.environment),
    release_id: String(row.release_id),
    version: String(row.version),
    ...end,
  }))
}

export interface RetirementInput {
  readonly provider: string
  readonly model: string
  /** The day from which on it is off; null takes back what was said before. */
  readonly retires_on: string | null
  readonly reason: string
  readonly actor: Actor
}

const SAID = sql`retirement_id, provider, model, retires_on, reason, actor, created_at`

/** Notes by hand when a model ends, which comes before what price lists say. */
export async function setRetirement(
  ledger: Ledger,
  { provider, model, retires_on, reason, actor }: RetirementInput,
): Promise<SaidRetirement> {
  if (isBlank(reason)) throw badRequest('reason is required to say when a model ends')
  const { sql: db } = ledger
  const id = ledger.newId('mrt_')
  const last = sql`SELECT ${SAID} FROM model_retirements WHERE provider = ${provider} AND model = ${model}
    ORDER BY seq DESC LIMIT 1`
  const said = await writeLogged<SaidRetirement>(ledger, [last], async ([found]) => {
    const before = found!.rows[0]
    if (retires_on === null && (before === undefined || before.retires_on === null)) {
      throw badRequest(
        `Nobody has said by hand when ${model} of ${provider} ends: there is nothing to take back.`,
      )
    }
    if (before !== undefined && nullable(before.retires_on, String) === retires_on) {
      return { already: { ...toSaid(before), reused: true } }
    }
    const row = {
      retirement_id: id,
      provider,
      model,
      retires_on,
      reason,
      actor: actor.name,
      actor_source: actor.source,
      created_at: ledger.now(),
    }
    const holds = await holdsOf('model_retirements', [row])
    return {
      id,
      // Promotions are judged by it.
      revises: true,
      entries: [
        {
          kind: 'retirement.set',
          subject: id,
          actor,
          reason,
          created_at: row.created_at,
          fact: null,
          details: { provider, model, retires_on, ...holding(holds) },
        },
      ],
      statements: guard => [
        sql`INSERT INTO model_retirements (retirement_id, provider, model, retires_on, reason, actor, actor_source, created_at)
          SELECT ${id}, ${provider}, ${model}, CAST(${retires_on} AS TEXT), ${reason}, ${row.actor}, ${row.actor_source},
            CAST(${row.created_at} AS BIGINT) WHERE ${guard} RETURNING ${SAID}`,
      ],
      read: ([inserted]) => inserted!.rows.map(toSaid)[0],
      recorded: async () =>
        (await rowsOf(db, sql`SELECT ${SAID} FROM model_retirements WHERE retirement_id = ${id}`)).map(
          toSaid,
        )[0],
    }
  })
  return said
}

/** What is odd about a name that nothing in the ledger has: it may be a slip, and then no release is warned of. */
export async function nameWarnings(db: Sql, provider: string, model: string): Promise<string[]> {
  const entry = ENTRY[db.dialect]
  const rows = await rowsOf(
    db,
    sql`SELECT ${entry.model} AS model FROM pricing_tables t CROSS JOIN ${entry.of('t.pricing_json')}
        WHERE t.provider = ${provider}
      UNION SELECT model FROM releases WHERE pricing_provider = ${provider}
      UNION SELECT v.model FROM variants v WHERE v.provider = ${provider}`,
  )
  const names = new Set(rows.map(row => String(row.model)))
  if (names.has(model)) return []
  const [meant] = similarNames(model, names, 1)
  return [
    `no price table, release or run has a model ${model} of ${provider}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  ]
}

function toSaid(row: Row): SaidRetirement {
  return {
    retirement_id: String(row.retirement_id),
    provider: String(row.provider),
    model: String(row.model),
    retires_on: nullable(row.retires_on, String),
    reason: String(row.reason),
    actor: String(row.actor),
    created_at: timeOf(row.created_at!),
  }
}

/** Most entries of a history. */
const MOST_LISTED = 100

/** What was said of the end of a model, newest first. */
export async function retirementHistory(
  db: Sql,
  provider: string,
  model: string,
): Promise<RetirementHistory> {
  const entry = ENTRY[db.dialect]
  const ofModel: Statement = sql`provider = ${provider} AND model = ${model}`
  const [said, listed] = await db.snapshot([
    sql`SELECT ${SAID} FROM model_retirements WHERE ${ofModel} ORDER BY seq DESC LIMIT ${MOST_LISTED}`,
    sql`SELECT i.pricing_version, i.created_at, ${entry.retires_on} AS retires_on, i.new_pricing_json
      FROM pricing_imports i CROSS JOIN ${entry.of('i.new_pricing_json')}
      WHERE i.provider = ${provider} AND i.new_pricing_json LIKE '%"retires_on"%'
        AND ${entry.model} = ${model} AND ${entry.retires_on} IS NOT NULL
      ORDER BY i.seq DESC LIMIT ${MOST_LISTED}`,
  ])
  return {
    history: said!.rows.map(toSaid),
    listed: listed!.rows.map(row => {
      const { source } = JSON.parse(String(row.new_pricing_json)) as { source?: { format: string } }
      return {
        pricing_version: String(row.pricing_version),
        retires_on: String(row.retires_on),
        imported_at: timeOf(row.created_at!),
        source: source?.format ?? null,
      }
    }),
  }
}
