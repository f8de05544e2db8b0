/**
 * Names of objects that several places have, or that others extend, in the types of the SDK and in the API's
 * description: by one of the places; by more where a feature may be taken out that has the first. Programs may use them,
 * so they don't follow from the places, which change. Each feature names those of its models.
 */
export const CORE_PART_NAMES: Readonly<Record<string, string>> = {
  'ActionDetail.actor_identity': 'Identity',
  'Board.board.promoted.unusable': 'Unusable',
  'Board.board.place.candidate': 'PlaceCandidate',
  'Board.board.place.allowed': 'PlaceAllowed',
  'DiffReport.window_used': 'WindowUsed',
  'DiffReport.metrics': 'ComparedMetrics',
  'DiffReport.statistics': 'ComparedStatistics',
  'DiffReport.statistics.cost_per_run_usd': 'MetricStatistics',
  'DiffReport.statistics.cost_per_run_usd.difference': 'Estimate',
  'DiffReport.statistics.compared.left_out.candidate': 'UnmatchedRuns',
  'DiffReport.statistics.segment_regressions.found': 'SegmentRegression',
  'DiffReport.statistics.latency_percentile_changes': 'PercentileChanges',
  'DiffReport.statistics.latency_percentile_changes.p95': 'PercentileChange',
  'DiffReport.statistics.latency_percentiles.p50': 'PercentileEstimates',
  'DiffReport.statistics.suites.imported.changes': 'CaseChanges',
  'DiffReport.cases': 'NamedCase',
  'DiffReport.policy': 'PolicyVerdict',
  'DiffReport.judged.rows': 'PlaceRow',
  'DiffReport.capabilities': 'PowerDifference',
  'DiffReport.policy.missing_evidence': 'MissingEvidence',
  'DiffReport.policy_scope': 'PolicyScope',
  'DiffReport.policy_scope.rules': 'PolicyRule',
  'Outcome.since_request': 'SinceRequest',
  'Outcome.missing_for_high': 'MissingForHigh',
  'Outcome.left_out.baseline': 'LeftOutRuns',
  'Policy.capabilities': 'CapabilityPolicy',
  'Policy.watch': 'WatchPolicy',
  'Policy.suites': 'SuiteRules',
  'ReleaseList.releases': 'ReleaseRecord',
  'Events.events.usage.model': 'ModelUsage',
  'RunEvent.usage.model': 'ModelUsage',
  'TokenList.tokens': 'TokenRecord',
  'WebhookList.webhooks': 'Webhook',
}

type CoreModels = typeof import('../answers/action.ts') &
  typeof import('../answers/audit.ts') &
  typeof import('../answers/board.ts') &
  typeof import('../answers/decision.ts') &
  typeof import('../answers/diff.ts') &
  typeof import('../answers/health.ts') &
  typeof import('../answers/promotion_request.ts') &
  typeof import('../answers/resolved_policy.ts') &
  typeof import('../answers/runs.ts') &
  typeof import('../answers/token.ts') &
  typeof import('../answers/webhook.ts') &
  typeof import('../commands/lists.ts') &
  typeof import('../deploys/gate.ts') &
  typeof import('../deploys/place.ts') &
  typeof import('../documents/bundle_files.ts') &
  typeof import('../documents/capabilities.ts') &
  typeof import('../documents/catalog.ts') &
  typeof import('../documents/policy.ts') &
  typeof import('../documents/pricing.ts') &
  typeof import('../documents/release.ts') &
  typeof import('../documents/run_event.ts') &
  typeof import('../documents/scores.ts') &
  typeof import('../documents/workspace.ts')

/**
 * Every model by the name that it is exported by. Features add their own (src/entry/models.ts).
 *
 * @public
 */
export interface Models extends CoreModels {}

export type ModelName = keyof Models

export type ModelValue<N extends ModelName> = Models[N] extends { readonly infer: infer V } ? V : never
