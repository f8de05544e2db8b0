import { isoTime } from '../../base/time.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { ConditionEvidence } from '../../rules/judge.ts'
import { UNPROVEN } from '../../rules/result.ts'

/** A source that is behind the end of a window, as evidence keeps it. */
export interface StaleSource {
  readonly source: string
  /** Up to when it is complete; null where it never was. */
  readonly covered_until: string | null
  readonly window_until: string
}

const MOST_BEHIND_MS = 600_000
const MOST_SHARE = 0.05

/** Whether a source is too far behind the end of a window to decide by: 10 minutes, or 5 % of it where that is more. */
export function isStale(
  coveredTo: number,
  { since, until }: { readonly since: number; readonly until: number },
): boolean {
  return until - coveredTo > Math.max(MOST_BEHIND_MS, MOST_SHARE * (until - since))
}

export function staleText({ source, covered_until, window_until }: StaleSource): string {
  const reach = covered_until === null ? 'are not there' : `reach to ${covered_until}`
  return `${UNPROVEN}what ${source} sums: its aggregates ${reach}, and the window ends at ${window_until}; import newer ones`
}

export function staleSource(
  source: string,
  coveredTo: number | null,
  window: { readonly until: number },
): StaleSource {
  return {
    source,
    covered_until: coveredTo === null ? null : isoTime(coveredTo),
    window_until: isoTime(window.until),
  }
}

/** A promotion waits for sources that are behind, whatever the policy says: what is not there is no evidence. */
export const STALE_RULE = {
  keeps: ['stale_sources'],
  reasons: ({ gates }: ConditionEvidence) => staleIn(gates).map(staleText),
  explained: ({ gates }: ConditionEvidence) =>
    staleIn(gates).map((one): ExplainedLimit => ({
      policy_key: 'sources',
      metric: 'covered_until',
      value: one.covered_until,
      limit: one.window_until,
      low: null,
      high: null,
      baseline_runs: null,
      candidate_runs: null,
      verdict: 'inconclusive',
      passed: false,
      why: staleText(one),
    })),
}

function staleIn(gates: ConditionEvidence['gates']): readonly StaleSource[] {
  return (gates?.stale_sources ?? []) as readonly StaleSource[]
}
