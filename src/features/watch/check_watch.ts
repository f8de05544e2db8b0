import { unpricedModels } from '../../rules/cost.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { firstFew } from '../../base/text.ts'
import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import {
  type ClusterAggregate,
  FAILED_COUNT_TOO,
  type MeasuredSide,
  samplesOf,
  knowFailed,
} from '../../rules/diff_statistics.ts'
import { mergedPrices } from '../../rules/price_names.ts'
import { type LeftOut, leftOutText, withoutUnusable } from '../../rules/left_out.ts'
import { sumsByVariant } from '../../rules/rollup.ts'
import type { Moments } from '../../rules/common_time.ts'
import type { Window } from '../../rules/window.ts'
import {
  DAY_STRIDE,
  WATCH_DAYS,
  type Foreseen,
  type WatchedSides,
  foresee,
  readWatch,
  slotKind,
} from './rules_readings.ts'
import type { HoldbackArms } from '../feature.ts'
import { partsOf } from '../../ledger/world/ledger.ts'
import { type Sql, sql } from '../../sql/port.ts'
import {
  type AnswerOf,
  type Query,
  asNumber,
  ask,
  asText,
  columns,
  field,
  firstRow,
  inTurn,
  mapped,
  onlyRow,
  orNull,
  sidesOf,
  together,
} from '../../sql/query.ts'
import {
  type RawSide,
  type RawSides,
  type SideSums,
  pricedRelease,
  sideQuery,
  sumsQuery,
} from '../../ledger/assess/sides.ts'
import { clusterQuery, unitOf } from '../../ledger/assess/clusters.ts'
import { fedOf, keptOf } from '../../ledger/assess/comparison.ts'
import { keptText } from '../../ledger/events/gaps.ts'
import { NO_FILTERS } from '../../ledger/events/rollups.ts'
import { reachQuery } from '../../ledger/events/under_way.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import { HEAD } from '../../ledger/trail/chain.ts'
import { type NewWatch, wholeMinute } from './begin.ts'
import type { Claimed } from './claim.ts'
import type { CheckFacts } from './rows.ts'

/** What a check found: the figures, and what is live there. */
export interface CheckResult {
  /** That of the head in the same snapshot: which policy and prices it was judged by. */
  readonly revision: number
  readonly facts: CheckFacts
  /** The release that is live, and the action that made it so; undefined where there is no pointer. */
  readonly live: { readonly release_id: string; readonly action: string | null } | undefined
  /** What is not known yet of either side, so that no watch passes by it. */
  readonly stale: readonly string[]
}

/**
 * Reads both sides in one snapshot: the release from the start of the watch on, the baseline at the same hours of the
 * days before, and its whole window for where those are too few.
 */
export async function checkWatch(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  watch: Claimed,
): Promise<CheckResult> {
  const { agent_id, environment, release_id, baseline_release_id, now } = watch
  const begun = await begunOf(db, watch)
  const { started_at } = begun
  const slots = slotKind({ since: started_at, until: watch.ends_at })
  const [armsOf] = await partsOf(features, 'holdbackArms')
  const fed = await fedOf({ features })
  const ids = [baseline_release_id, release_id]
  const watched = { since: started_at, until: Math.max(started_at, now) }
  const found = await ask(
    db,
    together({
      head: HEAD,
      baseline: sideQuery(baseline_release_id, {
        environment,
        window: { since: watch.baseline_since, until: now },
        filters: NO_FILTERS,
      }),
      candidate: sideQuery(
        release_id,
        inSlots(
          environment,
          { since: started_at, until: Math.max(started_at, now) },
          slots.width_ms,
          begun.moments,
        ),
      ),
      earlier: earlierQuery({ ...watch, ...begun }, slots.width_ms),
      holdback: armsOf?.({ agent_id, environment, release_id }, db.clock),
      live: firstRow(
        sql`SELECT p.release_id, a.action FROM promoted_pointers p LEFT JOIN actions a ON a.action_id = p.action_id
          WHERE p.agent_id = ${agent_id} AND p.environment = ${environment}`,
        columns({ release_id: asText, action: orNull(asText) }),
      ),
      policy: ACTIVE_POLICY,
      fed: fed && mapped(fed.sourcesOf(ids, environment, watched), sidesOf),
    }),
  )
  const { policy } = await policyIn(found.policy, { agent_id, environment })
  const stale = [...new Set([...(found.fed?.candidate.stale ?? []), ...(found.fed?.baseline.stale ?? [])])]
  const [kept] = found.fed === undefined ? [] : keptOf(found.fed)
  const by = unitOf(policy)
  const apart =
    kept === undefined || by === undefined ? [] : [`runs can't be grouped by ${by}: ${keptText(kept)}`]
  const clusters = kept === undefined ? await clustersOf(db, watch, policy) : undefined
  const { problems, ...sides } = pricedAlike(
    { ...found, earlier: { ...found.baseline, ...found.earlier } },
    policy,
  )
  const knowsFailed = knowFailed([sides.baseline, sides.candidate, sides.earlier])
  const read = {
    baseline: samplesOf(sides.baseline, knowsFailed),
    candidate: samplesOf(sides.candidate, knowsFailed),
    earlier: samplesOf(sides.earlier, knowsFailed),
    holdback: holdbackSamples(found.holdback, sides),
    slots,
    clustered: clusters && samplesOf(sides.candidate, knowsFailed, clusters),
  }
  const compared = found.holdback ?? sides
  const failedToo = knowFailed(Object.values(compared)) ? [] : [FAILED_COUNT_TOO]
  const facts = {
    metrics: readWatch(read, watch.limits),
    problems: [...problems, ...failedToo, ...apart, ...stale],
  }
  return { revision: found.head.revision, facts, live: found.live, stale }
}

/** Units that a rollout holds back on the release before, and those that it doesn't, at the prices of each. */
function holdbackSamples(
  holdback: AnswerOf<ReturnType<HoldbackArms>>,
  { baseline, candidate }: Pick<Measured, 'baseline' | 'candidate'>,
): WatchedSides['holdback'] {
  if (holdback === undefined) return undefined
  const used = [holdback.baseline, holdback.candidate].flatMap(({ aggregates, parts = [] }) => [
    ...aggregates,
    ...parts,
  ])
  const models = new Set(used.map(({ model }) => model))
  const shared = mergedPrices([candidate.rates, baseline.rates], models)
  const own = { ...holdback.baseline, rates: baseline.rates.size === 0 ? baseline.rates : shared }
  const other = { ...holdback.candidate, rates: mergedPrices([shared, candidate.rates], models) }
  const knowsFailed = knowFailed([own, other])
  return { baseline: samplesOf(own, knowsFailed), candidate: samplesOf(other, knowsFailed) }
}

/**
 * The sessions or tenants of the release's runs since the watch began, where the policy groups by them; undefined where
 * there are too many runs to look them up.
 */
async function clustersOf(
  db: Sql,
  { release_id, environment, started_at, now }: Claimed,
  policy: Policy,
): Promise<readonly ClusterAggregate[] | undefined> {
  const by = unitOf(policy)
  if (by === undefined) return undefined
  const window = { since: started_at, until: Math.max(started_at, now) }
  return ask(db, clusterQuery(release_id, { environment, window, filters: NO_FILTERS }, by))
}

/** What a watch that begins can find by its end; undefined where the baseline has too few earlier days. */
export async function foreseenBy(
  { sql: db }: Pick<Ledger, 'sql'>,
  { baseline_release_id, environment, limits, lasts_ms }: NewWatch,
  started_at: number,
): Promise<Foreseen | undefined> {
  const kind = slotKind({ since: started_at, until: started_at + lasts_ms })
  const { width_ms } = kind
  const lasting = { started_at, now: started_at + lasts_ms }
  const { priced, earlier } = await ask(
    db,
    together({
      priced: pricedRelease(baseline_release_id),
      earlier: earlierQuery({ baseline_release_id, environment, ...lasting }, width_ms),
    }),
  )
  const own = ratesIfAny(priced.pricingJson)
  const isPriced = unpriced('the baseline', earlier, own).length === 0
  const samples = samplesOf({ ...earlier, rates: isPriced ? own : new Map() }, knowFailed([earlier]))
  return foresee(samples, Math.ceil(checkedMs(lasting) / width_ms) + 1, kind, limits)
}

/** Sums by slot of a part of a watch. */
function inSlots(environment: string, window: Window, width_ms: number, moments?: Moments) {
  const { since: from, until: to } = window
  return { environment, window, cut: { from, to, width_ms, moments }, filters: NO_FILTERS }
}

interface Checked extends Pick<Claimed, 'started_at' | 'now'> {
  /** See {@link begunOf}. */
  readonly moments?: Moments | undefined
}

/**
 * From when on runs are checked. Of both sides those are left out that were under way when the watch began, on earlier days
 * at the same time: quick failures come in before runs that last, so both sides are seen at the same age. Where these are too
 * many to read it checks from behind them on.
 */
async function begunOf(
  db: Sql,
  { environment, release_id, baseline_release_id, started_at, now }: Claimed,
): Promise<Pick<Checked, 'started_at' | 'moments'>> {
  const moments = {
    at: Array.from({ length: WATCH_DAYS + 1 }, (_, day) => started_at - (WATCH_DAYS - day) * DAY_MS),
  }
  const window = { since: started_at - WATCH_DAYS * DAY_MS, until: Math.max(started_at, now) }
  const reaches = await ask(
    db,
    inTurn([
      reachQuery(release_id, environment, { at: [started_at] }, window),
      reachQuery(baseline_release_id, environment, moments, window),
    ]),
  )
  if (reaches.every(({ isReadable }) => isReadable)) {
    return {
      started_at,
      moments: { ...moments, over_ms: Math.max(...reaches.map(({ over_ms }) => over_ms)) },
    }
  }
  const behind = reaches.map(({ until }) => (until === null ? 0 : (until - started_at) % DAY_MS))
  return { started_at: started_at + Math.max(...behind.map(ms => (ms + DAY_MS) % DAY_MS)) }
}

/** The baseline at the same time of each of the days before, in one list: blocks say day and slot. */
function earlierQuery(
  {
    baseline_release_id,
    environment,
    ...checked
  }: Checked & Pick<Claimed, 'baseline_release_id' | 'environment'>,
  widthMs: number,
): Query<SideSums> {
  const [start, lasted] = [wholeMinute(checked.started_at), checkedMs(checked)]
  const days = Array.from({ length: WATCH_DAYS }, (_, index) => {
    const since = start - (index + 1) * DAY_MS
    const window = { since, until: since + lasted }
    return sumsQuery(baseline_release_id, inSlots(environment, window, widthMs, checked.moments))
  })
  return mapped(inTurn(days), found => {
    const numbered = found.map(({ aggregates, parts }, index) => {
      const first = (index + 1) * DAY_STRIDE
      return {
        aggregates: aggregates.map(aggregate => ({ ...aggregate, block: first + aggregate.block })),
        parts: parts.map(part => ({ ...part, block: first + part.block })),
      }
    })
    const aggregates = numbered.flatMap(day => day.aggregates)
    return { aggregates, parts: numbered.flatMap(day => day.parts), variants: sumsByVariant(aggregates) }
  })
}

/** How long a watch has lasted, in whole minutes, a day at most. */
function checkedMs({ started_at, now }: Checked): number {
  const minutes = Math.ceil((now - wholeMinute(started_at)) / MINUTE_MS)
  return Math.min(DAY_MS, Math.max(1, minutes) * MINUTE_MS)
}

/** Runs of the baseline of a watch up to now, by the rollups. */
export async function baselineRuns(db: Sql, watch: NewWatch): Promise<number> {
  const { baseline_release_id, environment, baseline_since } = watch
  const runs = sql`SELECT coalesce(sum(m.runs), 0) AS runs FROM rollup_minutes m JOIN scopes s ON s.id = m.scope
      WHERE s.release_id = ${baseline_release_id} AND s.environment = ${environment}
        AND m.bucket >= ${baseline_since / MINUTE_MS}`
  return ask(db, onlyRow(runs, field('runs', asNumber)))
}

interface WatchSides extends RawSides {
  readonly earlier: RawSide
}

interface Measured {
  readonly baseline: MeasuredSide
  readonly candidate: MeasuredSide
  readonly earlier: MeasuredSide
  readonly problems: string[]
}

/**
 * Both sides with their prices; where a model of either lacks one, the cost of neither is compared. Few runs that a
 * rollback could not be decided on are left out, if the policy says so.
 */
function pricedAlike(raw: WatchSides, policy: Policy): Measured {
  const [baseline, candidate] = [ratesIfAny(raw.baseline.pricingJson), ratesIfAny(raw.candidate.pricingJson)]
  const mayMix = raw.baseline.variants.length === 0 || raw.candidate.variants.length === 0
  const keep = (side: RawSide, own: Rates) =>
    withoutUnusable(
      { ...side, release: side.release!, hasPrice: model => own.has(model) },
      { unpriced: policy.unpriced, mayMix },
      policy.watch?.on_unusable ?? 'refuse',
    )
  const kept = {
    baseline: keep(raw.baseline, baseline),
    candidate: keep(raw.candidate, candidate),
    earlier: keep(raw.earlier, baseline),
  }
  const lacking = [
    ...unpriced('the baseline', kept.baseline.kept, baseline),
    ...unpriced('the days before', kept.earlier.kept, baseline),
    ...unpriced('the release', kept.candidate.kept, candidate),
  ]
  const side = (
    { aggregates, parts }: Pick<MeasuredSide, 'aggregates' | 'parts'>,
    own: Rates,
  ): MeasuredSide => ({
    aggregates,
    parts: parts ?? [],
    rates: lacking.length > 0 ? new Map() : own,
  })
  return {
    baseline: side(kept.baseline.kept, baseline),
    candidate: side(kept.candidate.kept, candidate),
    earlier: side(kept.earlier.kept, baseline),
    problems: [
      ...lacking,
      ...leftOut('the baseline', kept.baseline.leftOut),
      ...leftOut('the days before', kept.earlier.leftOut),
      ...leftOut('the release', kept.candidate.leftOut),
    ],
  }
}

function leftOut(label: string, what: LeftOut | undefined): string[] {
  return what === undefined ? [] : [`left out of ${label}: ${leftOutText(what)}`]
}

type Rates = ReadonlyMap<string, PricingEntry>

function unpriced(
  label: string,
  { aggregates, parts }: Pick<RawSide, 'aggregates' | 'parts'>,
  known: Rates,
): string[] {
  const models = unpricedModels([...aggregates, ...parts], known)
  if (models.length === 0) return []
  return [`cost is not compared: ${label} used ${firstFew(models)}, which has no price`]
}
