import type { PricingEntry } from '../../models/documents/pricing.ts'
import type { WorstRuns } from './models.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { eventCostUsd, writeSurcharge } from '../../rules/cost.ts'
import { round12 } from '../../base/numbers.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, field, onlyRow, together } from '../../sql/query.ts'
import { readWindowQuery } from '../../ledger/world/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import { knownRelease, pricedReleaseQuery } from '../../ledger/registry/release_facts.ts'
import { TEXT_COLUMNS, textOf } from '../../ledger/events/event_texts.ts'
import { matchingEvents } from '../../ledger/events/matching.ts'
import { type Filters, scopeCte } from '../../ledger/events/rollups.ts'

/** Newest matching events that are checked. */
const MOST_EXAMINED = 50_000

/** Most models of one release with prices of their own; the statement names each. */
const MOST_VARIANTS = 200

export interface WorstQuery extends Filters {
  readonly release_id: string
  readonly window: string
  readonly until?: string | null | undefined
  readonly environment: string | null
  readonly by: WorstRuns['by']
  readonly limit: number
}

/** A page of runs as it is answered, but with the JSON text of each event. */
export interface WorstRunTexts extends Omit<WorstRuns, 'runs'> {
  readonly runs: readonly { readonly cost_usd: number | null; readonly event: string }[]
}

/** The runs behind a bad number: the costliest, the slowest, or those that failed. */
export async function worstRuns(ledger: Ledger, query: WorstQuery): Promise<WorstRunTexts> {
  const { release_id, by, tenant_id, task_id } = query
  const { environment, window, refuseWindow } = readWindowQuery(ledger, query)
  const scope = scopeCte(release_id, environment)
  const { priced, variants } = await ask(
    ledger.sql,
    together({
      priced: pricedReleaseQuery(release_id),
      variants: allRows(
        sql`WITH ${scope} SELECT v.id, v.model FROM variants v WHERE v.id IN (
            SELECT variant FROM rollup_hours WHERE scope = (SELECT id FROM scope)
              AND bucket >= ${Math.floor(Math.max(0, window.since) / HOUR_MS)}
              AND bucket < ${Math.ceil(window.until / HOUR_MS)}
          ) ORDER BY v.id LIMIT ${MOST_VARIANTS}`,
        columns({ id: asNumber, model: asText }),
      ),
    }),
  )
  knownRelease(priced?.release, release_id)
  refuseWindow()
  const rates = ratesIfAny(priced?.pricingJson ?? null)
  const newest = newestStatement(window, { tenant_id, task_id })
  const ranked = rankStatement(sql`${scope}, newest AS (${newest})`, query, costExpression(variants, rates))
  const { found, events } = await ask(
    ledger.sql,
    together({
      found: onlyRow(
        sql`WITH ${scope}, newest AS (${newest}) SELECT count(*) AS n FROM newest`,
        field('n', asNumber),
      ),
      events: allRows(ranked, row => textOf(row, { release_id, environment })),
    }),
  )
  return {
    release_id,
    since: isoTime(window.since),
    until: isoTime(window.until),
    filters: { environment, tenant_id, task_id },
    by,
    examined: Math.min(found, MOST_EXAMINED),
    truncated: found > MOST_EXAMINED,
    runs: events.map(event => ({ cost_usd: costOf(event, rates), event })),
  }
}

/** One more than is looked at, to tell whether there are more. */
function newestStatement(window: Window, filters: Filters): Statement {
  const slice = { since: Math.max(0, window.since), until: window.until }
  return sql`SELECT e.seq, e.ts, e.variant, e.success, e.latency_ms, e.input_tokens, e.output_tokens,
      e.cached_input_tokens
    FROM ${matchingEvents(slice, filters)} ORDER BY e.ts DESC, e.seq DESC LIMIT ${MOST_EXAMINED + 1}`
}

function rankStatement(ctes: Statement, { by, limit }: WorstQuery, cost: Statement): Statement {
  const ranked = {
    cost: sql`WHERE true ORDER BY CASE WHEN cost IS NULL THEN 1 ELSE 0 END, cost DESC, ts DESC, seq DESC`,
    latency: sql`WHERE latency_ms IS NOT NULL ORDER BY latency_ms DESC, ts DESC, seq DESC`,
    failure: sql`WHERE success = 0 ORDER BY ts DESC, seq DESC`,
  }[by]
  // The one that is read too many is the oldest.
  return sql`WITH ${ctes},
    examined AS (SELECT n.*, ${cost} AS cost FROM newest n ORDER BY ts DESC, seq DESC LIMIT ${MOST_EXAMINED}),
    worst AS (
      SELECT seq, row_number() OVER () AS place FROM (SELECT seq FROM examined ${ranked} LIMIT ${limit}) AS r
    )
    SELECT ${TEXT_COLUMNS}
    FROM worst w CROSS JOIN run_events e JOIN variants v ON v.id = e.variant
    WHERE e.seq = w.seq ORDER BY w.place`
}

interface Variant {
  readonly id: number
  readonly model: string
}

/** Cost by variant. Ids and rates are numbers of the ledger's own: as parameters they would be too many for D1. */
function costExpression(variants: readonly Variant[], rates: ReadonlyMap<string, PricingEntry>): Statement {
  const own = casesOf('n', variants, rates)
  if (own === '') return raw('CAST(NULL AS DOUBLE PRECISION)')
  const ofParts = casesOf('p', variants, rates)
  const text = `CASE n.variant ${own} ELSE NULL END + coalesce(
    (SELECT sum(CASE p.variant ${ofParts} ELSE 0 END) FROM run_parts p WHERE p.event = n.seq), 0)`
  return raw(text)
}

function casesOf(
  table: 'n' | 'p',
  variants: readonly Variant[],
  rates: ReadonlyMap<string, PricingEntry>,
): string {
  const cases = variants.flatMap(({ id, model }) => {
    const entry = rates.get(model)
    if (entry === undefined) return []
    const { input_usd_per_1k_tokens, output_usd_per_1k_tokens, cached_input_usd_per_1k_tokens } = entry
    const terms = [
      ['input_tokens', input_usd_per_1k_tokens],
      ['output_tokens', output_usd_per_1k_tokens],
      ['cached_input_tokens', cached_input_usd_per_1k_tokens ?? 0],
      ...(table === 'p' ? ([['cache_write_input_tokens', writeSurcharge(entry)]] as const) : []),
    ] as const
    const cost = terms.map(([name, rate]) => `${table}.${name} * CAST(${rate} AS DOUBLE PRECISION)`)
    return `WHEN ${id} THEN ${cost.join(' + ')}`
  })
  return cases.join(' ')
}

function costOf(text: string, rates: ReadonlyMap<string, PricingEntry>): number | null {
  const cost = eventCostUsd(JSON.parse(text) as StoredEvent, rates)
  return cost === null ? null : round12(cost)
}
