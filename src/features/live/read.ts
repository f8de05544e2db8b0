import type { LivePlace, LivePlaces } from './models.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { MOVED } from '../../ledger/trail/pointers.ts'
import { ACTIVE_POLICY } from '../../ledger/registry/policies.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import { sideQuery } from '../../ledger/assess/sides.ts'
import { NO_FILTERS } from '../../ledger/events/rollups.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { keepLatest, remembered } from '../../ledger/world/memo.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { type Statement, join, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  ask,
  asNumber,
  asText,
  columns,
  inTurn,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { BLOCKS, BLOCK_MINUTES, PERIODS, type LimitKey, brokenText, liveVerdict } from './rules_live.ts'
import { EARLIER_DAYS, type Silence, silenceOf, silenceText } from './rules_silence.ts'

/** Whose live releases are judged. */
export interface LiveQuery {
  readonly agent_id?: string | undefined
  readonly environment?: string | undefined
  /** Most places. */
  readonly limit: number
  readonly scope: Scope
}

/** Most places that are read at a time, so that others get their turn. */
const AT_ONCE = 10

/** How long a judgement is kept for all callers, ms: each board that is open asks once a minute. */
const KEPT_MS = 60_000

export interface Judged {
  /** When it was judged, epoch ms. */
  readonly at: number
  readonly place: LivePlace
  /** Limits that the last hour is above. */
  readonly above: readonly LimitKey[]
}

type Judging = Pick<Ledger, 'sql' | 'now' | 'memo'> & { readonly nextTurn: () => Promise<void> | void }

const PLACE = columns({
  agent_id: asText,
  environment: asText,
  release_id: asText,
  version: asText,
  previous_release_id: orNull(asText),
  live_since: orNull(asNumber),
})
type Place = ReturnType<typeof PLACE>

/** Live releases, by agent and environment, of the places that `wanted` tells of; `most` of them. */
export function liveReleases(wanted: Statement, most: number): Query<Place[]> {
  return allRows(
    sql`SELECT p.agent_id, p.environment, p.release_id, r.version,
        CASE WHEN a.action = 'promote' THEN NULLIF(a.baseline_release_id, p.release_id) END AS previous_release_id,
        a.created_at AS live_since
      FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
        LEFT JOIN actions a ON a.action_id = p.action_id
      WHERE ${wanted} ORDER BY p.agent_id, p.environment LIMIT ${most}`,
    PLACE,
  )
}

/**
 * Judges what is live by its own newest runs, up to a day of them, against the limits that the policy sets on a release
 * itself. It compares with nothing, writes nothing and blocks nothing.
 */
export async function judgeLive(
  ledger: Judging,
  { agent_id, environment, limit, scope }: LiveQuery,
): Promise<LivePlaces> {
  const wanted = [
    inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` }),
    ...(agent_id === undefined ? [] : [sql`p.agent_id = ${agent_id}`]),
    ...(environment === undefined ? [] : [sql`p.environment = ${environment}`]),
  ]
  const { places, policy } = await ask(
    ledger.sql,
    together({ places: liveReleases(join(wanted, ' AND '), limit + 1), policy: ACTIVE_POLICY }),
  )
  const judged = await judgePlaces(ledger, places.slice(0, limit), policy)
  return {
    live: judged.map(({ place }) => place),
    judged_at: isoTime(Math.min(ledger.now(), ...judged.map(({ at }) => at))),
    truncated: places.length > limit,
  }
}

/** Judgements of these places, in their order: those that are kept, or new ones. */
export async function judgePlaces(
  ledger: Judging,
  places: readonly Place[],
  policy: Policy,
): Promise<Judged[]> {
  const until = ledger.now()
  const kept = remembered(ledger.memo, 'live', () => new Map<string, Judged>())
  const listed = places.map(({ live_since, ...place }) => {
    const { policy: own } = resolveOverrides(policy, place)
    const limits = POINT_LIMITS.map(({ key }) => own[key])
    return {
      place,
      liveSince: live_since ?? 0,
      own,
      key: JSON.stringify([place.environment, place.release_id, limits]),
    }
  })
  const isKept = ({ key }: { readonly key: string }): boolean => {
    const at = kept.get(key)?.at ?? Number.NaN
    return at <= until && at > until - KEPT_MS
  }
  const missing = listed.filter(each => !isKept(each))
  const judged = new Map(listed.filter(isKept).map(({ key }) => [key, kept.get(key)!]))
  const window = { since: until - DAY_MS, until }
  const width_ms = BLOCK_MINUTES * MINUTE_MS
  const newest = Math.floor((until - 1) / width_ms)
  // Runs are summed between the beginnings of what is looked at: hours, mostly, in place of minutes.
  const firsts = PERIODS.map(blocks => newest + 1 - blocks).toReversed()
  const starts = firsts.map(block => block * width_ms)
  const cut = { from: window.since, to: until, width_ms, starts }
  const atStart = <T extends { readonly block: number }>(sums: readonly T[]): T[] =>
    sums.map(own => ({ ...own, block: firsts[own.block - 1] ?? newest - BLOCKS }))
  for (let first = 0; first < missing.length; first += AT_ONCE) {
    await ledger.nextTurn()
    const some = missing.slice(first, first + AT_ONCE)
    const sides = await ask(
      ledger.sql,
      inTurn(
        some.map(({ place }) =>
          sideQuery(ledger.sql.dialect, place.release_id, {
            environment: place.environment,
            window,
            cut,
            filters: NO_FILTERS,
          }),
        ),
      ),
    )
    const read = some.map((each, index) => {
      const side = {
        ...sides[index]!,
        cells: atStart(sides[index]!.cells),
        parts: atStart(sides[index]!.parts),
      }
      const runsIn = (hours: number): number => {
        const from = newest - (hours * HOUR_MS) / width_ms
        return side.cells.reduce((sum, { block, runs }) => (block > from ? sum + runs : sum), 0)
      }
      return { ...each, side, runsIn }
    })
    const quiet = read.filter(({ runsIn, liveSince }) => runsIn(1) === 0 && liveSince <= until - HOUR_MS)
    const earlier =
      quiet.length === 0
        ? []
        : await ask(ledger.sql, inTurn(quiet.map(({ place }) => earlierRuns(place, until))))
    const pastOf = new Map(quiet.map(({ key }, index) => [key, earlier[index]!]))
    for (const { place, liveSince, own, key, side, runsIn } of read) {
      const { broken, above } = liveVerdict({ ...side, rates: ratesIfAny(side.pricingJson) }, own, newest)
      const past = pastOf.get(key)
      const silence = past && silenceOf(runsIn, past, { now: until, liveSince })
      const [runs_last_hour, runs_last_day] = [runsIn(1), runsIn(Number.POSITIVE_INFINITY)]
      const found = {
        ...place,
        state: stateOf(broken.length > 0, silence, runs_last_day, own),
        runs_last_hour,
        runs_last_day,
        broken: broken.map(each => ({ ...each, text: brokenText(each) })),
        silence: silence === undefined ? null : { ...silence, text: silenceText(silence) },
      }
      const answer = { at: until, place: found, above }
      judged.set(key, answer)
      keepLatest(kept, key, answer)
    }
  }
  return listed.map(({ place, key }) => {
    const own = judged.get(key)!
    // What was live before may have changed since: a decision for what is live.
    return { ...own, place: { ...own.place, ...place } }
  })
}

/** Most decisions back from now whose releases are taken to have had the traffic of a place. */
const RECENT = 20

/** Runs by hour, numbered since the epoch, of what was live in a place before `until`, epoch ms; as many days as say something. */
function earlierRuns(
  { agent_id, environment }: Pick<Place, 'agent_id' | 'environment'>,
  until: number,
): Query<ReadonlyMap<number, number>> {
  const from = Math.floor((until - (EARLIER_DAYS + 1) * DAY_MS) / HOUR_MS)
  const hours = allRows(
    sql`SELECT h.bucket, sum(h.runs) AS runs FROM (
        SELECT DISTINCT release_id FROM (
          SELECT release_id FROM actions
          WHERE agent_id = ${agent_id} AND environment = ${environment} AND ${MOVED}
          ORDER BY audit_seq DESC LIMIT ${RECENT}
        ) moved
      ) live
      JOIN scopes s ON s.release_id = live.release_id AND s.environment = ${environment}
      JOIN rollup_hours h ON h.scope = s.id AND h.bucket >= ${from}
      GROUP BY h.bucket`,
    columns({ bucket: asNumber, runs: asNumber }),
  )
  return mapped(hours, found => new Map(found.map(({ bucket, runs }) => [bucket, runs])))
}

const hasLimit = (own: Pick<Policy, LimitKey>): boolean => POINT_LIMITS.some(({ key }) => own[key] !== null)

function stateOf(
  isBroken: boolean,
  silence: Silence | undefined,
  runs: number,
  policy: Pick<Policy, LimitKey>,
): LivePlace['state'] {
  if (isBroken) return 'worse'
  if (silence) return 'silent'
  if (!hasLimit(policy)) return 'no_limits'
  return runs === 0 ? 'no_runs' : 'nothing_found'
}
