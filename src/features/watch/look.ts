import type { Policy } from '../../models/documents/policy.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { firstFew } from '../../base/text.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { type MeasuredSide, samplesOf } from '../../rules/diff_statistics.ts'
import { type LeftOut, leftOutText, withoutStrays } from '../../rules/strays.ts'
import { readWatch } from './rules_readings.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import { ask, firstRow, together } from '../../sql/query.ts'
import { type RawSides, sideQuery } from '../../ledger/assess/sides.ts'
import { NO_FILTERS } from '../../ledger/events/rollups.ts'
import { allCellsStatement } from '../../ledger/events/cells.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { ratesByModel } from '../../ledger/registry/pricing.ts'
import type { NewWatch } from './begin.ts'
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
  const { agent_id, environment, release_id, baseline_release_id, now } = watch
  const sideSince = (releaseId: string, since: number) => {
    const window = { since, until: now }
    const cells = allCellsStatement(releaseId, environment, window)
    return sideQuery(releaseId, { environment, window, filters: NO_FILTERS }, cells)
  }
  const found = await ask(
    db,
    together({
      baseline: sideSince(baseline_release_id, watch.baseline_since),
      candidate: sideSince(release_id, watch.started_at),
      live: firstRow(
        sql`SELECT p.release_id, a.action FROM promoted_pointers p LEFT JOIN actions a ON a.action_id = p.action_id
          WHERE p.agent_id = ${agent_id} AND p.environment = ${environment}`,
        row => ({ release_id: String(row.release_id), action: String(row.action) }),
      ),
      policy: ACTIVE_POLICY,
    }),
  )
  const { policy } = await policyIn(found.policy, { agent_id, environment })
  const { baseline, candidate, problems } = pricedAlike(found, policy)
  return {
    facts: { metrics: readWatch(samplesOf(baseline), samplesOf(candidate), watch.limits), problems },
    live: found.live,
  }
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

interface Measured {
  readonly baseline: MeasuredSide
  readonly candidate: MeasuredSide
  readonly problems: string[]
}

/**
 * Both sides with their prices; where a model of either lacks one, the cost of neither is compared. Few runs that a
 * rollback could not be decided on are left out, if the policy says so.
 */
function pricedAlike(raw: RawSides, policy: Policy): Measured {
  const [baseline, candidate] = [rates(raw.baseline), rates(raw.candidate)]
  const mayMix = raw.baseline.variants.length === 0 || raw.candidate.variants.length === 0
  const keep = (side: RawSides['baseline'], own: Rates) =>
    withoutStrays(
      { ...side, release: side.release!, hasPrice: model => own.has(model) },
      { unpriced: policy.unpriced, mayMix },
      policy.watch?.on_undecidable ?? 'refuse',
    )
  const kept = { baseline: keep(raw.baseline, baseline), candidate: keep(raw.candidate, candidate) }
  const unpricedModels = [
    ...unpriced('the baseline', kept.baseline.kept, baseline),
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
    problems: [
      ...unpricedModels,
      ...leftOut('the baseline', kept.baseline.leftOut),
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
