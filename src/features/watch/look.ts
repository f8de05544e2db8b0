import type { Policy } from '../../models/documents/policy.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { firstFew } from '../../base/text.ts'
import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import { type MeasuredSide, samplesOf } from '../../rules/diff_statistics.ts'
import { type LeftOut, leftOutText, withoutStrays } from '../../rules/strays.ts'
import { type CellSums, type PartSums, sumsByVariant } from '../../rules/rollup.ts'
import { BLOCKS } from '../../rules/comparability.ts'
import type { Cut } from '../../rules/common_time.ts'
import type { Window } from '../../rules/window.ts'
import { DAY_STRIDE, WATCH_DAYS, type Foreseen, foresee, readWatch, slotKind } from './rules_readings.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import { ask, firstRow, together } from '../../sql/query.ts'
import { type RawSides, sideQuery } from '../../ledger/assess/sides.ts'
import { NO_FILTERS } from '../../ledger/events/rollups.ts'
import { allCellsStatement } from '../../ledger/events/cells.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { ratesByModel } from '../../ledger/registry/pricing.ts'
import { type NewWatch, wholeMinute } from './begin.ts'
import type { Claimed } from './claim.ts'
import type { LookFacts } from './rows.ts'

/** What a look found: the figures, and what is live there. */
export interface Look {
  readonly facts: LookFacts
  /** The release that is live, and the action that made it so; undefined where there is no pointer. */
  readonly live: { readonly release_id: string; readonly action: string } | undefined
}

/**
 * Reads both sides in one snapshot. Runs of the release count from the start of the watch on, those of the baseline
 * also while it goes on: what still runs on the old release is the best comparison there is.
 */
export async function lookAt({ sql: db }: Pick<Ledger, 'sql'>, watch: Claimed): Promise<Look> {
  const { agent_id, environment, release_id, baseline_release_id, now, started_at } = watch
  const slots = slotKind(watch.ends_at - started_at)
  const sideIn = (releaseId: string, window: Window, cut?: Cut) => {
    const cells = allCellsStatement(releaseId, environment, window, BLOCKS, cut)
    return sideQuery(releaseId, { environment, window, cut, filters: NO_FILTERS }, cells)
  }
  const inSlots = (releaseId: string, { since, until }: Window) =>
    sideIn(releaseId, { since, until }, { from: since, to: until, width_ms: slots.width_ms })
  const found = await ask(
    db,
    together({
      baseline: sideIn(baseline_release_id, { since: watch.baseline_since, until: now }),
      candidate: inSlots(release_id, { since: started_at, until: Math.max(started_at, now) }),
      earlier: together(
        Object.fromEntries(
          earlierDays(watch).map(([day, window]) => [day, inSlots(baseline_release_id, window)]),
        ),
      ),
      live: firstRow(
        sql`SELECT p.release_id, a.action FROM promoted_pointers p LEFT JOIN actions a ON a.action_id = p.action_id
          WHERE p.agent_id = ${agent_id} AND p.environment = ${environment}`,
        row => ({ release_id: String(row.release_id), action: String(row.action) }),
      ),
      policy: ACTIVE_POLICY,
    }),
  )
  const { policy } = await policyIn(found.policy, { agent_id, environment })
  const { problems, ...sides } = pricedAlike({ ...found, earlier: joinedDays(found.earlier) }, policy)
  const read = {
    baseline: samplesOf(sides.baseline),
    candidate: samplesOf(sides.candidate),
    earlier: samplesOf(sides.earlier),
    slots,
  }
  return { facts: { metrics: readWatch(read, watch.limits), problems }, live: found.live }
}

/** What a watch that begins can find by its end; undefined where the baseline has too few earlier days. */
export async function foreseenBy(
  { sql: db }: Pick<Ledger, 'sql'>,
  { baseline_release_id, environment, limits, lasts_ms }: NewWatch,
  started_at: number,
): Promise<Foreseen | undefined> {
  const { width_ms } = slotKind(lasts_ms)
  const days = earlierDays({ started_at, now: started_at + lasts_ms })
  const found = await ask(
    db,
    together(
      Object.fromEntries(
        days.map(([day, { since, until }]) => {
          const window = { since, until }
          const cut = { from: since, to: until, width_ms }
          const cells = allCellsStatement(baseline_release_id, environment, window, BLOCKS, cut)
          return [
            day,
            sideQuery(baseline_release_id, { environment, window, cut, filters: NO_FILTERS }, cells),
          ]
        }),
      ),
    ),
  )
  const side = joinedDays(found)
  const own = rates(side)
  const isPriced = unpriced('the baseline', side, own).length === 0
  const samples = samplesOf({ cells: side.cells, parts: side.parts, rates: isPriced ? own : new Map() })
  const [, first] = days[0]!
  return foresee(samples, Math.ceil((first.until - first.since) / width_ms) + 1, limits)
}

/** The same time of each of the days before, in whole minutes, a day at most; by how many days it is earlier. */
function earlierDays({
  started_at,
  now,
}: Pick<Claimed, 'started_at' | 'now'>): [day: number, window: Window][] {
  const start = wholeMinute(started_at)
  const lasted = Math.min(DAY_MS, Math.max(MINUTE_MS, Math.ceil((now - start) / MINUTE_MS) * MINUTE_MS))
  return Array.from({ length: WATCH_DAYS }, (_, index) => {
    const since = start - (index + 1) * DAY_MS
    return [index + 1, { since, until: since + lasted }]
  })
}

/** All days as one side, with blocks that say day and slot. */
function joinedDays(days: Readonly<Record<string, RawSides['baseline']>>): RawSides['baseline'] {
  const [first] = Object.values(days)
  const numbered = <T extends { readonly block: number }>(of: 'cells' | 'parts'): T[] =>
    Object.entries(days).flatMap(([day, side]) =>
      (side[of] as unknown as readonly T[]).map(cell => ({
        ...cell,
        block: Number(day) * DAY_STRIDE + cell.block,
      })),
    )
  const cells = numbered<CellSums>('cells')
  return { ...first!, cells, variants: sumsByVariant(cells), parts: numbered<PartSums>('parts') }
}

/** Runs of the baseline of a watch up to now, by the roll-ups. */
export async function baselineRuns(db: Sql, watch: NewWatch): Promise<number> {
  const { baseline_release_id, environment, baseline_since } = watch
  const [row] = await rowsOf(
    db,
    sql`SELECT coalesce(sum(m.runs), 0) AS runs FROM rollup_minutes m JOIN scopes s ON s.id = m.scope
      WHERE s.release_id = ${baseline_release_id} AND s.environment = ${environment}
        AND m.bucket >= ${baseline_since / MINUTE_MS}`,
  )
  return Number(row!.runs)
}

interface Read extends RawSides {
  readonly earlier: RawSides['baseline']
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
function pricedAlike(raw: Read, policy: Policy): Measured {
  const [baseline, candidate] = [rates(raw.baseline), rates(raw.candidate)]
  const mayMix = raw.baseline.variants.length === 0 || raw.candidate.variants.length === 0
  const keep = (side: RawSides['baseline'], own: Rates) =>
    withoutStrays(
      { ...side, release: side.release!, hasPrice: model => own.has(model) },
      { unpriced: policy.unpriced, mayMix },
      policy.watch?.on_undecidable ?? 'refuse',
    )
  const kept = {
    baseline: keep(raw.baseline, baseline),
    candidate: keep(raw.candidate, candidate),
    earlier: keep(raw.earlier, baseline),
  }
  const unpricedModels = [
    ...unpriced('the baseline', kept.baseline.kept, baseline),
    ...unpriced('the days before', kept.earlier.kept, baseline),
    ...unpriced('the release', kept.candidate.kept, candidate),
  ]
  const side = ({ cells, parts }: Pick<MeasuredSide, 'cells' | 'parts'>, own: Rates): MeasuredSide => ({
    cells,
    parts: parts ?? [],
    rates: unpricedModels.length > 0 ? new Map() : own,
  })
  return {
    baseline: side(kept.baseline.kept, baseline),
    candidate: side(kept.candidate.kept, candidate),
    earlier: side(kept.earlier.kept, baseline),
    problems: [
      ...unpricedModels,
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

function rates({ pricingJson }: RawSides['baseline']): Rates {
  return pricingJson === null ? new Map() : ratesByModel(pricingJson)
}

function unpriced(
  label: string,
  { cells, parts }: Pick<RawSides['baseline'], 'cells' | 'parts'>,
  known: Rates,
): string[] {
  const models = [...cells, ...parts].map(({ model }) => model).filter(model => !known.has(model))
  if (models.length === 0) return []
  return [`cost is not compared: ${label} used ${firstFew([...new Set(models)])}, which has no price`]
}
