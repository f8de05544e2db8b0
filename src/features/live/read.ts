import type { InputPart } from '../../models/all/input.ts'
import type { LivePlace, LivePlaces } from './models.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { MOVED, madeLive } from '../../ledger/trail/pointers.ts'
import { ACTIVE_POLICY } from '../../ledger/registry/policies.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import { sideQuery } from '../../ledger/assess/sides.ts'
import { NO_FILTERS } from '../../ledger/events/rollups.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { keepLatest, remembering } from '../../ledger/world/memo.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import { CHANGE_LIMITS } from '../../rules/limits.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Statement, join, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  ask,
  asFlag,
  asNumber,
  asText,
  columns,
  inTurn,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { compareWithBefore } from './compare.ts'
import { BLOCK_MINUTES, PERIODS, type LimitKey, brokenText, liveVerdict } from './rules_live.ts'
import { type AnsweredBy, otherModelOf, otherModelText } from './rules_models.ts'
import { EARLIER_DAYS, STRETCHES, silenceOf, silenceText } from './rules_silence.ts'
import { notChecked, stateOf } from './rules_checked.ts'

/** Whose live releases are judged. */
export interface LiveQuery extends InputPart<'Live', 'query'> {
  readonly scope: Scope
}

/** Most places that are read at a time, so that others get their turn. */
const AT_ONCE = 10

/** How long a judgement is kept for all callers, ms: each board that is open asks once a minute. */
const KEPT_MS = 60_000

export interface JudgedPlace {
  /** When it was judged, epoch ms. */
  readonly at: number
  readonly place: LivePlace
  /** Limits that the last hour is above. */
  readonly above: readonly LimitKey[]
  /** Limits that the newest runs keep. */
  readonly kept: readonly LivePlace['broken'][number]['limit_key'][]
  /** Why the release is not compared with the one before it. */
  readonly uncompared: readonly string[]
}

type Judging = Ledger & { readonly nextTurn: () => Promise<void> | void }

const PLACE = columns({
  agent_id: asText,
  environment: asText,
  release_id: asText,
  version: asText,
  previous_release_id: orNull(asText),
  previous_version: orNull(asText),
  is_watched: asFlag,
  live_since: orNull(asNumber),
})
type LiveRow = ReturnType<typeof PLACE>

/** Live releases, by agent and environment, of the places that `wanted` tells of; `most` of them. */
export function liveReleases(wanted: Statement, most: number): Query<LiveRow[]> {
  return allRows(
    sql`SELECT p.agent_id, p.environment, p.release_id, r.version,
        b.release_id AS previous_release_id, b.version AS previous_version, a.created_at AS live_since,
        CASE WHEN EXISTS (SELECT 1 FROM watches w WHERE w.agent_id = p.agent_id AND w.environment = p.environment
          AND w.state = 'watching') THEN 1 ELSE 0 END AS is_watched
      FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
        LEFT JOIN actions a ON a.audit_seq = ${madeLive()}
        LEFT JOIN releases b ON a.action = 'promote' AND b.release_id = a.baseline_release_id
      WHERE ${wanted} ORDER BY p.agent_id, p.environment LIMIT ${most}`,
    PLACE,
  )
}

/**
 * Judges each live release. Compares its runs of up to a day with the limits that the policy sets on a release itself, and the
 * release with the one before it. Says whether runs stopped, and which model answered. Writes nothing and blocks nothing.
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
    keepingPlans(ledger.sql),
    together({ places: liveReleases(join(wanted, ' AND '), limit + 1), policy: ACTIVE_POLICY }),
  )
  const judged = await judgePlaces(ledger, places.slice(0, limit), policy)
  return {
    live: judged.map(({ place }) => place),
    judged_at: isoTime(Math.min(ledger.now(), ...judged.map(({ at }) => at))),
    truncated: places.length > limit,
  }
}

const judgedBefore = remembering(() => new Map<string, JudgedPlace>())

/** Judgements of these places, in their order: those that are kept, or new ones. */
export async function judgePlaces(
  given: Judging,
  places: readonly LiveRow[],
  policy: Policy,
): Promise<JudgedPlace[]> {
  const ledger = { ...given, sql: keepingPlans(given.sql) }
  const until = ledger.now()
  const kept = judgedBefore(ledger.memo)
  const listed = places.map(({ live_since, is_watched, previous_version, ...place }): ListedPlace => {
    const { policy: own } = resolveOverrides(policy, place)
    const limits = [...POINT_LIMITS, ...CHANGE_LIMITS].map(limit => own[limit.key] ?? null)
    return {
      place,
      previous_version,
      isWatched: is_watched,
      liveSince: live_since ?? 0,
      own,
      key: JSON.stringify([place.environment, place.release_id, place.previous_release_id, limits]),
    }
  })
  const isKept = ({ key }: { readonly key: string }): boolean => {
    const at = kept.get(key)?.at ?? Number.NaN
    return at <= until && at > until - KEPT_MS
  }
  const missing = listed.filter(each => !isKept(each))
  const judged = new Map(listed.filter(isKept).map(({ key }) => [key, kept.get(key)!]))
  for (let first = 0; first < missing.length; first += AT_ONCE) {
    await ledger.nextTurn()
    for (const [key, answer] of await judgeSome(ledger, missing.slice(first, first + AT_ONCE), until)) {
      judged.set(key, answer)
      keepLatest(kept, key, answer)
    }
  }
  return listed.map(({ place, key, isWatched }) => {
    const own = judged.get(key)!
    // What watches it may have begun or ended since.
    const not_checked = [...(isWatched ? [] : ['no watch']), ...own.place.not_checked]
    return { ...own, place: { ...own.place, ...place, not_checked } }
  })
}

/** A live release with the policy of its place, and the key by which its judgement is kept. */
interface ListedPlace {
  readonly place: Omit<LiveRow, 'live_since' | 'is_watched' | 'previous_version'>
  readonly previous_version: string | null
  readonly isWatched: boolean
  /** Epoch ms. */
  readonly liveSince: number
  readonly own: Omit<Policy, 'overrides'>
  readonly key: string
}

/** Judges some places at `until`, epoch ms, by what one snapshot has of their newest runs. */
async function judgeSome(
  ledger: Judging,
  some: readonly ListedPlace[],
  until: number,
): Promise<(readonly [key: string, judged: JudgedPlace])[]> {
  const window = { since: until - DAY_MS, until }
  const width_ms = BLOCK_MINUTES * MINUTE_MS
  const newest = Math.floor((until - 1) / width_ms)
  // Runs are summed between the beginnings of what is looked at: hours, mostly, in place of minutes.
  const firsts = PERIODS.map(blocks => (newest + 1 - blocks) * width_ms)
  // A block that begins now is not ten minutes old: hours back from now have ends of their own.
  const ago = (hours: number): number => Math.floor((until - hours * HOUR_MS) / MINUTE_MS) * MINUTE_MS
  const starts = [...firsts, ...STRETCHES.map(ago)]
    .filter(start => start > window.since)
    .toSorted((a, b) => a - b)
  const cut = { from: window.since, to: until, width_ms, starts }
  const atStart = <T extends { readonly block: number }>(sums: readonly T[]) =>
    sums.map(own => {
      const start = starts[own.block - 1] ?? window.since
      return { ...own, start, block: Math.floor(start / width_ms) }
    })
  const sides = await ask(
    ledger.sql,
    inTurn(
      some.map(({ place: { release_id, environment } }) =>
        together({
          sums: sideQuery(release_id, { environment, window, cut, filters: NO_FILTERS }),
          answered: answeredBy(release_id, environment, until),
        }),
      ),
    ),
  )
  const read = some.map((each, index) => {
    const { sums, answered } = sides[index]!
    const side = { ...sums, aggregates: atStart(sums.aggregates), parts: atStart(sums.parts) }
    const runsIn = (hours: number): number =>
      side.aggregates.reduce((sum, { start, runs }) => (start >= ago(hours) ? sum + runs : sum), 0)
    return { ...each, side, answered, runsIn }
  })
  const quiet = read.filter(({ runsIn, liveSince }) => runsIn(1) === 0 && liveSince <= until - HOUR_MS)
  const earlier =
    quiet.length === 0
      ? []
      : await ask(ledger.sql, inTurn(quiet.map(({ place }) => earlierRuns(place, until))))
  const pastOf = new Map(quiet.map(({ key }, index) => [key, earlier[index]!]))
  const judged: (readonly [string, JudgedPlace])[] = []
  for (const { place, previous_version, liveSince, own, key, side, answered, runsIn } of read) {
    const rates = ratesIfAny(side.pricingJson)
    const { broken, above, kept } = liveVerdict({ ...side, rates }, own, newest)
    const past = pastOf.get(key)
    const silence = past && silenceOf(runsIn, past, { now: until, liveSince })
    const other = otherModelOf(answered, runsIn)
    const [runs_last_hour, runs_last_day] = [runsIn(1), runsIn(24)]
    const compared = await compareWithBefore(ledger, { ...place, previous_version }, own, liveSince)
    const found = {
      broken: [...broken.map(each => ({ ...each, text: brokenText(each) })), ...compared.broken],
      silence: silence === undefined ? null : { ...silence, text: silenceText(silence) },
      other_model: other === undefined ? null : { ...other, text: otherModelText(other) },
    }
    const facts = { runs: runs_last_day, policy: own, isPriced: rates.size > 0, isQuiet: past !== undefined }
    const not_checked = [...notChecked(found, facts), ...compared.not_checked]
    const state = stateOf(found, facts)
    judged.push([
      key,
      {
        at: until,
        above,
        kept: [...kept, ...compared.kept],
        uncompared: compared.not_checked,
        place: { ...place, state, runs_last_hour, runs_last_day, ...found, not_checked },
      },
    ])
  }
  return judged
}

/** Runs that models answered that a release does not declare, of the 24 hours and of the hour before `until`, epoch ms. */
function answeredBy(releaseId: string, environment: string, until: number): Query<AnsweredBy[]> {
  const minute = (ms: number): number => Math.floor(ms / MINUTE_MS)
  const [day, hour, end] = [minute(until - DAY_MS), minute(until - HOUR_MS), minute(until - 1) + 1]
  return allRows(
    sql`SELECT m.name, sum(m.runs) AS last_day, sum(CASE WHEN m.bucket >= ${hour} THEN m.runs ELSE 0 END) AS last_hour
      FROM scopes s JOIN rollup_capability_minutes m ON m.scope = s.id AND m.bucket >= ${day} AND m.bucket < ${end}
      WHERE s.release_id = ${releaseId} AND s.environment = ${environment} AND m.kind = 'model'
      GROUP BY m.name ORDER BY m.name`,
    columns({ name: asText, last_hour: asNumber, last_day: asNumber }),
  )
}

/** Most decisions back from now whose releases are taken to have had the traffic of a place. */
const RECENT = 20

/** Runs by hour, numbered since the epoch, of what was live in a place before `until`, epoch ms; as many days as say something. */
function earlierRuns(
  { agent_id, environment }: Pick<LiveRow, 'agent_id' | 'environment'>,
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
