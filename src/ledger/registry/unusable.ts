import { HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { type UnusableRuns, type Unusable, unusableText, unusableRuns } from '../../rules/left_out.ts'
import { type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  ask,
  asText,
  columns,
  field,
  onlyRow,
  together,
} from '../../sql/query.ts'
import { type Ledger, type Features, partsOf } from '../world/ledger.ts'
import { type Scope, coversAgent, coversEnvironment } from '../world/scope.ts'
import { NEWEST_RELEASE } from './newest.ts'
import { ACTIVE_POLICY } from './policies.ts'
import { ratesByModel } from './pricing.ts'
import { RELEASE_COLUMNS, toReleaseFacts } from './release_facts.ts'

/** Hours up to now whose runs are looked at: as far back as windows usually reach. */
const HOURS_BACK = 7 * 24

/** Unusable runs that are named of a release. */
const MOST_SHOWN = 3

/** How long the answer is kept, ms: it takes a read of all hours of the last days. */
const KEPT_MS = MINUTE_MS

/** The same as {@link unusableReleases} of what is in scope, as it was at most a minute ago. */
export async function knownUnusable(
  { sql: db, memo: { unusable }, now, features }: Pick<Ledger, 'sql' | 'memo' | 'now' | 'features'>,
  scope: Scope,
): Promise<Unusable[]> {
  const at = now()
  if (unusable.at === undefined || Math.abs(at - unusable.at) >= KEPT_MS) {
    unusable.releases = await unusableReleases(db, features)
    unusable.at = at
  }
  return unusable.releases.filter(
    ({ agent_id, environment }) => coversAgent(scope, agent_id) && coversEnvironment(scope, environment),
  )
}

/**
 * The releases that decisions are about, what is live, what it would be rolled back to, and the newest of each
 * place, that can't be decided on. Hours are those of the database's clock.
 */
export async function unusableReleases(db: Sql, features: Features): Promise<Unusable[]> {
  const concerned = concernedCte(await concernsOf(features))
  const { releases, tables, runs, parts, document, now } = await ask(
    db,
    together({
      releases: allRows(
        sql`WITH ${concerned} SELECT c.environment AS place, r.created_at, ${RELEASE_COLUMNS}
          FROM concerned c JOIN releases r ON r.release_id = c.release_id ORDER BY r.agent_id, c.environment, r.seq`,
        row => ({ ...readPlace(row), ...toReleaseFacts(row) }),
      ),
      tables: allRows(
        sql`WITH ${concerned} SELECT provider, pricing_version, pricing_json FROM pricing_tables
          WHERE (provider, pricing_version) IN (SELECT r.pricing_provider, r.pricing_version
            FROM concerned c JOIN releases r ON r.release_id = c.release_id)`,
        columns({ provider: asText, pricing_version: asText, pricing_json: asText }),
      ),
      runs: usesQuery(db, concerned, 'rollup_hours', 'runs'),
      parts: usesQuery(db, concerned, 'rollup_part_hours', 'parts'),
      document: ACTIVE_POLICY,
      now: onlyRow(sql`SELECT ${db.clock} AS now`, field('now', asNumber)),
    }),
  )
  const pricesOf = new Map(
    tables.map(table => [`${table.provider}\0${table.pricing_version}`, ratesByModel(table.pricing_json)]),
  )
  const [runsIn, partsIn] = [Map.groupBy(runs, placeOf), Map.groupBy(parts, placeOf)]
  return releases.flatMap(release => {
    const { release_id, agent_id, provider, pricing_version, place: environment } = release
    const named = { release_id, agent_id, environment }
    const prices = pricesOf.get(`${provider}\0${pricing_version}`)
    if (prices === undefined) {
      const because = `its price table ${provider}/${pricing_version} is not imported`
      return [{ ...named, since: isoTime(release.created_at), last: null, because }]
    }
    const [own, further] = [runsIn.get(placeOf(named)) ?? [], partsIn.get(placeOf(named)) ?? []]
    const unusable = unusableRuns(
      {
        release,
        variants: own.map(use => ({ ...use, runs: use.n })),
        parts: further.map(use => ({ ...use, parts: use.n })),
        hasPrice: model => prices.has(model),
      },
      { unpriced: resolveOverrides(document, named).policy.unpriced },
    )
    return unusable.length === 0 ? [] : [{ ...named, ...whenAndWhy(unusable, [...own, ...further], now) }]
  })
}

const readPlace = columns({ place: asText, created_at: asNumber })

const readUse = columns({
  release_id: asText,
  environment: asText,
  agent_id: asText,
  model: asText,
  n: asNumber,
  first: asNumber,
  last: asNumber,
})

/** How often a variant was used by runs of a release, and in which hours first and last. */
type Use = ReturnType<typeof readUse>

/**
 * What a feature will still decide on: rows of a release, an environment, and since when its runs count, as `release_id`,
 * `environment` and `since_ms`.
 */
export function concernsOf(features: Features): Promise<readonly Statement[]> {
  return partsOf(features, 'concerns')
}

/** Those that are live, those that features will decide on, and the newest of each place: a common table expression. */
function concernedCte(concerns: readonly Statement[]): Statement {
  const further = concerns.map(
    concern => sql`UNION SELECT f.release_id, f.environment FROM (${concern}) AS f`,
  )
  return sql`concerned AS (
    SELECT release_id, environment FROM promoted_pointers
    ${join(further, ' ')}
    UNION SELECT r.release_id, r.environment FROM place_answers p JOIN releases r ON r.seq = ${NEWEST_RELEASE}
  )`
}

/**
 * How often each variant was used by runs of those releases in the last days, and in which hours first and last. Joined in
 * this order, because SQLite would read the hours of all releases otherwise.
 */
function usesQuery({ clock }: Sql, concerned: Statement, table: string, count: string): Query<Use[]> {
  const uses = sql`WITH ${concerned}
    SELECT s.release_id, s.environment, v.agent_id, v.model, u.n, u.first, u.last
    FROM (
      SELECT h.scope, h.variant, sum(h.${raw(count)}) AS n, min(h.bucket) AS first, max(h.bucket) AS last
      FROM concerned c CROSS JOIN scopes s CROSS JOIN ${raw(table)} h
      WHERE s.release_id = c.release_id AND s.environment = c.environment AND h.scope = s.id
        AND h.bucket > ${clock} / ${raw(String(HOUR_MS))} - ${raw(String(HOURS_BACK))}
        AND h.bucket <= ${clock} / ${raw(String(HOUR_MS))}
      GROUP BY h.scope, h.variant HAVING sum(h.${raw(count)}) > 0
    ) AS u JOIN scopes s ON s.id = u.scope JOIN variants v ON v.id = u.variant`
  return allRows(uses, readUse)
}

function placeOf({ release_id, environment }: Pick<Use, 'release_id' | 'environment'>): string {
  return `${release_id}\0${environment}`
}

function whenAndWhy(
  unusable: readonly UnusableRuns[],
  used: readonly Use[],
  now: number,
): Pick<Unusable, 'since' | 'last' | 'because'> {
  const names = new Set(unusable.map(({ agent_id, model }) => `${agent_id}\0${model}`))
  const hours = used.filter(({ agent_id, model }) => names.has(`${agent_id}\0${model}`))
  const texts = unusable.slice(0, MOST_SHOWN).map(unusableText)
  const more = unusable.length > MOST_SHOWN ? [`and ${unusable.length - MOST_SHOWN} more`] : []
  return {
    since: isoTime(Math.min(...hours.map(({ first }) => first)) * HOUR_MS),
    // Of this hour nothing is known beyond now.
    last: isoTime(Math.min(now, (Math.max(...hours.map(({ last }) => last)) + 1) * HOUR_MS)),
    because: `runs: ${[...texts, ...more].join(', ')}`,
  }
}
