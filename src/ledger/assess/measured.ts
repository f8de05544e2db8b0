import type { UsedWindow } from '../../models/answers/window_used.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import type { MeasuredArms } from '../../rules/diff_statistics.ts'
import type { OnStrays } from '../../rules/strays.ts'
import type { Window } from '../../rules/window.ts'
import { ask } from '../../sql/query.ts'
import { NO_FILTERS } from '../events/rollups.ts'
import type { Ledger } from '../world/ledger.ts'
import { readWindow } from '../events/ends.ts'
import { type Evaluation, evaluate } from './evaluation.ts'
import { comparisonQuery, measuresOf, readExtras } from './extras.ts'
import { runRates, withMissingEvidence } from './rates.ts'
import { type SideLabels, type Sides, pricedSides } from './sides.ts'
import { comparesShared, strataOf, timeQuery } from './time.ts'

/** Two releases that a decision is about. */
export interface Pair {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  /** Epoch ms. */
  readonly now: number
  readonly labels: SideLabels
  readonly onStrays?: OnStrays
  /** See {@link StatisticsQuestion}. */
  readonly over_window?: boolean
  readonly looks?: number
  readonly arms?: MeasuredArms | undefined
}

export interface MeasuredPair {
  readonly sides: Sides
  readonly evaluation: Evaluation
  /** That of the evaluation, with what is missing where it lacks nothing but evidence. */
  readonly verdict: PolicyVerdict
  readonly window_used?: UsedWindow
}

/** Reads two releases and evaluates the policy on them. Throws 400 where they can't be compared or priced. */
export async function measurePair(
  ledger: Ledger,
  held: HeldPolicy,
  { baselineId, candidateId, environment, window: asked, now, labels, onStrays, ...question }: Pair,
): Promise<MeasuredPair> {
  const pair = { baselineId, candidateId, environment, filters: NO_FILTERS }
  const plan =
    question.over_window !== true && comparesShared(held.policy)
      ? await ask(ledger.sql, timeQuery(ledger.sql.dialect, { ...pair, window: asked }))
      : undefined
  const strata = plan && strataOf({ ...pair, window: asked }, plan, held.policy, held.policy)
  const queryOf = (window: Window) => ({ ...pair, window, cut: plan?.cut, strata })
  const measures = await measuresOf(ledger, held.policy)
  const { window, found, ...used } = await readWindow(asked, part =>
    ask(ledger.sql, comparisonQuery(ledger.sql, queryOf(part), measures)),
  )
  const query = queryOf(window)
  const sides = await pricedSides(ledger, query, found.sides, labels, held.policy, onStrays)
  const evaluation = evaluate(ledger, held, sides, now, {
    extras: await readExtras(ledger, query, sides, measures, found.extras),
    ...question,
    plan,
    window,
  })
  const verdict = await withMissingEvidence(evaluation, query, sides, () =>
    runRates(ledger.sql, query, sides),
  )
  return { sides, evaluation, verdict, ...used }
}
