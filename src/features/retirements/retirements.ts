import type { InputPart } from '../../models/all/input.ts'
import { badRequest } from '../../base/errors.ts'
import { isBlank, jsonOf, similarNames } from '../../base/text.ts'
import type { Retirement, RetirementList, RetiringRelease, SaidRetirement } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Sql, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asText,
  asTime,
  ask,
  columns,
  firstRow,
  onlyRow,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { EVERYTHING, type Scope, inScope } from '../../ledger/world/scope.ts'
import { ENTRY, type NamedModel, endingOf, endsAt, endsQuery, namedModels } from './known.ts'

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
    clock,
  } = await ask(
    db,
    together({
      live: liveModels(scope),
      ends: endsQuery(),
      clock: onlyRow(sql`SELECT ${db.clock} AS now`, columns({ now: asNumber })),
    }),
  )
  const ends = endsAt(known, clock.now)
  const byDate = (a: Retirement, b: Retirement): number => a.days_left - b.days_left
  return {
    live: (ends.size === 0 ? [] : live.flatMap(row => retiringOf(row, ends)))
      .filter(({ days_left }) => days_left <= days)
      .sort(byDate),
    models: all ? [...ends.values()].sort(byDate) : [],
  }
}

/** A live release with its models. */
type LiveRelease = Omit<ReturnType<typeof readLive>, 'artifact_json'> & {
  readonly models: readonly NamedModel[]
}

/**
 * Reads what is live in each place. An artifact that was changed in the database may have no models: it must not hide the
 * other places.
 */
export function liveModels(scope: Scope): Query<LiveRelease[]> {
  const live = sql`SELECT p.agent_id, p.environment, p.release_id, r.version, r.artifact_json
    FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
    WHERE ${inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })}
    ORDER BY p.agent_id, p.environment`
  return allRows(live, row => {
    const { artifact_json, ...release } = readLive(row)
    const artifact = jsonOf(artifact_json) as Partial<Release> | null | undefined
    const isWhole = artifact?.spec?.runtime !== undefined
    return { ...release, models: isWhole ? namedModels(artifact as Release) : [] }
  })
}

const readLive = columns({
  agent_id: asText,
  environment: asText,
  release_id: asText,
  version: asText,
  artifact_json: asText,
})

function retiringOf(
  { models, ...live }: LiveRelease,
  ends: ReadonlyMap<string, Retirement>,
): RetiringRelease[] {
  return endingOf(models, ends).map(end => ({ ...live, ...end }))
}

export interface RetirementInput extends Omit<InputPart<'RetirementsSet', 'body'>, 'actor'> {
  readonly actor: Actor
}

const SAID = sql`retirement_id, provider, model, retires_on, reason, actor, created_at`

/** Notes by hand when a model ends, which comes before what price lists say. */
export async function setRetirement(
  ledger: Ledger,
  { provider, model, retires_on, reason, actor }: RetirementInput,
): Promise<SaidRetirement> {
  if (isBlank(reason)) throw badRequest('reason is required to set the end of a model')
  const id = ledger.newId('mrt_')
  const last = firstRow(
    sql`SELECT ${SAID} FROM model_retirements WHERE provider = ${provider} AND model = ${model}
      ORDER BY seq DESC LIMIT 1`,
    toSaid,
  )
  return writeLogged<SaidRetirement, SaidRetirement | undefined>(ledger, last, async before => {
    if (retires_on === null && (before === undefined || before.retires_on === null)) {
      throw badRequest(`No end of ${model} of ${provider} was set by hand: there is nothing to remove.`)
    }
    if (before?.retires_on === retires_on) return { already: { ...before, reused: true } }
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
      revises: 'all',
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
      write: guard => [insertRow('model_retirements', row, guard)],
      done: toSaid(row),
    }
  })
}

/** What is odd about a name that nothing in the ledger has: it may be a slip, and then no release is warned of. */
export async function nameWarnings(db: Sql, provider: string, model: string): Promise<string[]> {
  const found = allRows(
    sql`SELECT ${ENTRY.model} AS model FROM pricing_tables t CROSS JOIN ${ENTRY.of('t.pricing_json')}
        WHERE t.provider = ${provider}
      UNION SELECT model FROM releases WHERE pricing_provider = ${provider}
      UNION SELECT v.model FROM variants v WHERE v.provider = ${provider}`,
    columns({ model: asText }),
  )
  const names = new Set((await ask(db, found)).map(row => row.model))
  if (names.has(model)) return []
  const [meant] = similarNames(model, names, 1)
  return [
    `no price table, release or run has a model ${model} of ${provider}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  ]
}

const toSaid = columns({
  retirement_id: asText,
  provider: asText,
  model: asText,
  retires_on: orNull(asText),
  reason: asText,
  actor: asText,
  created_at: asTime,
})
