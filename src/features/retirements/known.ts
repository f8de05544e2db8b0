import type { Condition } from '../../ledger/assess/parts.ts'
import { HEAD } from '../../ledger/trail/chain.ts'
import { clockError } from '../../ledger/trail/clock.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import type { Retirement } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { eitherText } from '../../sql/dialect.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  type RowOf,
  allRows,
  ask,
  asJson,
  asText,
  columns,
  firstRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { modelsOf } from '../../rules/power.ts'
import { type EndingModel, RETIREMENT_RULE, type RetirementFacts, daysUntil } from './rules.ts'

const HAND = {
  provider: asText,
  model: asText,
  retires_on: orNull(asText),
  actor: asText,
  reason: asText,
} as const
const LISTED = { provider: asText, pricing_version: asText, model: asText, retires_on: asText } as const

/** What is known of the ends of models. */
interface KnownEnds {
  /** What holds of what was said by hand. */
  readonly hand: readonly RowOf<typeof HAND>[]
  /** What price tables say, those that were imported last at the end. */
  readonly listed: readonly RowOf<typeof LISTED>[]
}

/** All ends that are known, where a condition without columns holds. */
export function endsQuery(condition: Statement = sql`true`): Query<KnownEnds> {
  return together({
    hand: allRows(
      sql`SELECT m.provider, m.model, m.retires_on, m.actor, m.reason FROM model_retirements m
      WHERE ${condition} AND m.seq = (
        SELECT max(o.seq) FROM model_retirements o WHERE o.provider = m.provider AND o.model = m.model)`,
      columns(HAND),
    ),
    listed: allRows(
      sql`SELECT t.provider, t.pricing_version, ${ENTRY.model} AS model,
        ${ENTRY.retires_on} AS retires_on
      FROM pricing_tables t CROSS JOIN ${ENTRY.of('t.pricing_json')}
      WHERE ${condition} AND t.pricing_json LIKE '%"retires_on"%' AND ${ENTRY.retires_on} IS NOT NULL
      ORDER BY (SELECT max(i.seq) FROM pricing_imports i
        WHERE i.provider = t.provider AND i.pricing_version = t.pricing_version), 1, 2`,
      columns(LISTED),
    ),
  })
}

/** An entry of a price table's JSON. */
export const ENTRY = {
  of: (column: string) =>
    eitherText(
      `json_each(${column}, '$.entries') AS e`,
      `LATERAL jsonb_array_elements(CAST(${column} AS JSONB) -> 'entries') AS e (value)`,
    ),
  model: raw("e.value ->> 'model'"),
  retires_on: raw("e.value ->> 'retires_on'"),
} as const

/** The known ends by provider and model, joined by NUL; `now`, epoch ms, is the clock of the database. */
export function endsAt({ hand, listed }: KnownEnds, now: number): ReadonlyMap<string, Retirement> {
  const ends = new Map<string, Retirement>()
  for (const { provider, model, pricing_version, retires_on } of listed) {
    ends.set(`${provider}\0${model}`, {
      ...endOf(provider, model, retires_on, now),
      said_by: 'price_list',
      source: `price table ${provider}/${pricing_version}`,
    })
  }
  for (const { provider, model, retires_on, actor, reason } of hand) {
    // What was taken back leaves what the price list says.
    if (retires_on === null) continue
    const key = `${provider}\0${model}`
    const says = ends.get(key)?.retires_on
    ends.set(key, {
      ...endOf(provider, model, retires_on, now),
      said_by: 'hand',
      source: `${actor}: ${reason}`,
      ...(says === undefined || says === retires_on ? {} : { price_list_says: says }),
    })
  }
  return ends
}

function endOf(provider: string, model: string, retires_on: string, now: number) {
  return { provider, model, retires_on, days_left: daysUntil(retires_on, now) }
}

/** A model of a release. */
export interface NamedModel {
  readonly model: string
  readonly role: EndingModel['role']
  /** Of its provider: the price table may have another than the artifact. */
  readonly providers: readonly string[]
}

/** The models of an artifact. */
export function namedModels({ spec }: Release): NamedModel[] {
  const { runtime, pricing_reference } = spec
  return modelsOf(spec, furtherModels(spec.capabilities)).map(({ provider, model, role }) => {
    const others = provider === runtime.provider ? [pricing_reference.provider] : []
    return { model, role, providers: [...new Set([provider, ...others])] }
  })
}

/** The models whose end is known, the first to end first. */
export function endingOf(
  models: readonly NamedModel[],
  ends: ReadonlyMap<string, Retirement>,
): (Retirement & Pick<NamedModel, 'role'>)[] {
  return models
    .flatMap(({ model, role, providers }) => {
      const end = providers.map(name => ends.get(`${name}\0${model}`)).find(found => found !== undefined)
      return end === undefined ? [] : [{ ...end, role }]
    })
    .sort((a, b) => a.days_left - b.days_left)
}

const knownEnds = remembering((): { revision?: number; ends: KnownEnds } => {
  return { ends: { hand: [], listed: [] } }
})

/** All ends that are known, as they were when `revision` of what governs all was read; `now` is epoch ms. */
export async function endsSince(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  revision: number,
  now: number,
): Promise<ReadonlyMap<string, Retirement>> {
  const known = knownEnds(memo)
  if (known.revision !== revision) {
    const { head, ends } = await ask(keepingPlans(db), together({ head: HEAD, ends: endsQuery() }))
    Object.assign(known, { revision: head.revision, ends })
  }
  return endsAt(known.ends, now)
}

/** `spec.capabilities.models` as far as it can be read: an artifact may have anything there. */
function furtherModels(capabilities: unknown): { readonly model: string; readonly provider?: string }[] {
  const { models } = (capabilities ?? {}) as { readonly models?: unknown }
  return (Array.isArray(models) ? (models as unknown[]) : []).flatMap(one => {
    const { model, provider } = (one ?? {}) as { readonly model?: unknown; readonly provider?: unknown }
    if (typeof model !== 'string') return []
    return [typeof provider === 'string' ? { model, provider } : { model }]
  })
}

type EndsRead = ReturnType<ReturnType<typeof endsOf>['read']>

/** Whether the policy in force asks for it at all: price tables are long, and gates are polled. */
const IS_LIMITED = sql`EXISTS (SELECT 1 FROM (SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1) AS newest
  WHERE newest.policy_json LIKE '%"min_days_to_retirement":%')`

function endsOf(release: Statement) {
  return together({
    candidate: firstRow(
      sql`SELECT artifact_json FROM releases WHERE release_id = ${release} AND ${IS_LIMITED}`,
      columns({ artifact_json: asJson<Release> }),
    ),
    ends: endsQuery(IS_LIMITED),
  })
}

/** How many days the models of a release have left. For promotions alone. */
export const CONDITION: Condition<EndsRead> = {
  ...RETIREMENT_RULE,
  reads: (_ledger, { action, policy, release }) => {
    const isLimited = policy === undefined || policy.min_days_to_retirement != null
    return action === 'promote' && isLimited ? endsOf(release) : undefined
  },
  found: (_, { effective: { policy }, isFirst }, { now, apart, doubt }, read) => {
    if (policy.min_days_to_retirement == null || isFirst || read?.candidate === undefined) return undefined
    if (apart !== undefined) throw clockError(apart)
    const { artifact_json: artifact } = read.candidate
    const facts: RetirementFacts = {
      models: endingOf(namedModels(artifact), endsAt(read.ends, now)).map(
        ({ provider, model, retires_on, days_left, source, role }) => ({
          provider,
          model,
          retires_on,
          days_left,
          source,
          role,
        }),
      ),
      ...(doubt === undefined ? {} : { doubt }),
    }
    return { min_days_to_retirement: facts }
  },
}
