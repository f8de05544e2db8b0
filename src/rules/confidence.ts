export type Confidence = 'HIGH' | 'MEDIUM' | 'LOW'

/** Sample sizes in runs; 0 means no minimum. */
export interface Thresholds {
  readonly min_candidate_runs: number
  readonly min_baseline_runs: number
  readonly min_low_runs: number
}

export interface ConfidenceLabel {
  readonly confidence: Confidence
  /** Null when HIGH. */
  readonly confidence_reason: string | null
}

/** A policy's thresholds where it sets them, the workspace's elsewhere (specification, Policy). */
export function resolveThresholds(
  policy: { readonly [K in keyof Thresholds]: number | null },
  workspace: Thresholds,
): Thresholds {
  return {
    min_candidate_runs: policy.min_candidate_runs ?? workspace.min_candidate_runs,
    min_baseline_runs: policy.min_baseline_runs ?? workspace.min_baseline_runs,
    min_low_runs: policy.min_low_runs ?? workspace.min_low_runs,
  }
}

/** Labels a pair of samples (specification, POST /v1/diff, Confidence). HIGH is tried before LOW. */
export function confidenceOf(
  baselineRuns: number,
  candidateRuns: number,
  thresholds: Thresholds,
): ConfidenceLabel {
  const enoughBaseline = baselineRuns >= thresholds.min_baseline_runs
  const enoughCandidate = candidateRuns >= thresholds.min_candidate_runs
  if (enoughBaseline && enoughCandidate) return { confidence: 'HIGH', confidence_reason: null }
  const low = Math.min(baselineRuns, candidateRuns) < thresholds.min_low_runs
  const reasons = [
    enoughCandidate ? '' : `candidate sample < ${thresholds.min_candidate_runs} runs`,
    enoughBaseline ? '' : `baseline sample < ${thresholds.min_baseline_runs} runs`,
    low ? `LOW floor is ${thresholds.min_low_runs} runs` : '',
  ].filter(reason => reason !== '')
  return {
    confidence: low ? 'LOW' : 'MEDIUM',
    confidence_reason: reasons.join('; ') || 'insufficient sample size',
  }
}
