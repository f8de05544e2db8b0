import type { AnyModel } from '../model.ts'

/** The models of the core by name, each loaded when first needed: arktype takes long to start. */
export const CORE_MODELS = {
  AcceptedClock: async () => (await import('../commands/lists.ts')).AcceptedClock,
  ActionDetail: async () => (await import('../answers/action.ts')).ActionDetail,
  ActionList: async () => (await import('../commands/lists.ts')).ActionList,
  ActionPage: async () => (await import('../answers/action.ts')).ActionPage,
  AuditLog: async () => (await import('../commands/lists.ts')).AuditLog,
  AuditPage: async () => (await import('../answers/audit.ts')).AuditPage,
  Blocked: async () => (await import('../answers/decision.ts')).Blocked,
  Board: async () => (await import('../answers/board.ts')).Board,
  BundleFiles: async () => (await import('../documents/bundle_files.ts')).BundleFiles,
  CaseTries: async () => (await import('../documents/scores.ts')).CaseTries,
  CountersSnapshot: async () => (await import('../answers/health.ts')).CountersSnapshot,
  CreatedToken: async () => (await import('../answers/token.ts')).CreatedToken,
  CreatedWebhook: async () => (await import('../answers/webhook.ts')).CreatedWebhook,
  DeletedWebhook: async () => (await import('../answers/webhook.ts')).DeletedWebhook,
  DiffReport: async () => (await import('../answers/diff.ts')).DiffReport,
  DoctorReport: async () => (await import('../answers/health.ts')).DoctorReport,
  ErrorText: async () => (await import('../answers/health.ts')).ErrorText,
  Events: async () => (await import('../documents/run_event.ts')).Events,
  Gate: async () => (await import('../deploys/gate.ts')).Gate,
  Health: async () => (await import('../answers/health.ts')).Health,
  IngestResult: async () => (await import('../answers/runs.ts')).IngestResult,
  Migrated: async () => (await import('../commands/lists.ts')).Migrated,
  OpenApiDocument: async () => (await import('../answers/health.ts')).OpenApiDocument,
  Outcome: async () => (await import('../answers/decision.ts')).Outcome,
  Policy: async () => (await import('../documents/policy.ts')).Policy,
  PlaceAnswer: async () => (await import('../deploys/place.ts')).PlaceAnswer,
  Places: async () => (await import('../commands/lists.ts')).Places,
  PolicyBlock: async () => (await import('../commands/lists.ts')).PolicyBlock,
  PricingAge: async () => (await import('../commands/lists.ts')).PricingAge,
  PricingCatalog: async () => (await import('../documents/catalog.ts')).PricingCatalog,
  PricingImport: async () => (await import('../documents/pricing.ts')).PricingImport,
  PricingList: async () => (await import('../documents/pricing.ts')).PricingList,
  PricingTable: async () => (await import('../documents/pricing.ts')).PricingTable,
  Promoted: async () => (await import('../answers/action.ts')).Promoted,
  PromotedList: async () => (await import('../commands/lists.ts')).PromotedList,
  Status: async () => (await import('../commands/lists.ts')).Status,
  PromotionRequest: async () => (await import('../answers/promotion_request.ts')).PromotionRequest,
  PromotionRequestList: async () => (await import('../answers/promotion_request.ts')).PromotionRequestList,
  Reach: async () => (await import('../answers/decision.ts')).Reach,
  Ready: async () => (await import('../answers/health.ts')).Ready,
  Rebuilt: async () => (await import('../answers/health.ts')).Rebuilt,
  Registered: async () => (await import('../documents/release.ts')).Registered,
  Release: async () => (await import('../documents/release.ts')).Release,
  ReleaseDetail: async () => (await import('../documents/release.ts')).ReleaseDetail,
  ReleaseFiles: async () => (await import('../documents/bundle_files.ts')).ReleaseFiles,
  ReleaseList: async () => (await import('../documents/release.ts')).ReleaseList,
  RequestBlocked: async () => (await import('../answers/decision.ts')).RequestBlocked,
  ResolvedPolicy: async () => (await import('../answers/resolved_policy.ts')).ResolvedPolicy,
  RevokedToken: async () => (await import('../answers/token.ts')).RevokedToken,
  RunEvent: async () => (await import('../documents/run_event.ts')).RunEvent,
  RunsPage: async () => (await import('../answers/runs.ts')).RunsPage,
  ScoreCases: async () => (await import('../documents/scores.ts')).ScoreCases,
  StaleBaseline: async () => (await import('../answers/decision.ts')).StaleBaseline,
  Capabilities: async () => (await import('../documents/capabilities.ts')).Capabilities,
  TestedWebhook: async () => (await import('../answers/webhook.ts')).TestedWebhook,
  TokenList: async () => (await import('../answers/token.ts')).TokenList,
  UsedModels: async () => (await import('../documents/release.ts')).UsedModels,
  UsedModelsList: async () => (await import('../commands/lists.ts')).UsedModelsList,
  ValidatedPolicy: async () => (await import('../commands/lists.ts')).ValidatedPolicy,
  ValidatedRelease: async () => (await import('../commands/lists.ts')).ValidatedRelease,
  ValidationError: async () => (await import('../answers/health.ts')).ValidationError,
  VerifiedRelease: async () => (await import('../commands/lists.ts')).VerifiedRelease,
  Version: async () => (await import('../commands/lists.ts')).Version,
  Webhook: async () => (await import('../answers/webhook.ts')).Webhook,
  WebhookList: async () => (await import('../answers/webhook.ts')).WebhookList,
  WorkspaceConfig: async () => (await import('../documents/workspace.ts')).WorkspaceConfig,
  WorkspacePublic: async () => (await import('../documents/workspace.ts')).WorkspacePublic,
} satisfies Record<string, () => Promise<AnyModel>>

/**
 * Names of objects that several places have, or that others extend, in the types of the SDK and in the API's
 * description: by one of the places; by more where a feature may be taken out that has the first. Programs may use them,
 * so they don't follow from the places, which change. Each feature names those of its models.
 */
export const CORE_PART_NAMES: Readonly<Record<string, string>> = {
  'ActionDetail.actor_identity': 'Identity',
  'Board.board.promoted.unusable': 'Unusable',
  'DiffReport.window_used': 'WindowUsed',
  'DiffReport.metrics': 'ComparedMetrics',
  'DiffReport.statistics': 'ComparedStatistics',
  'DiffReport.statistics.cost_per_run_usd': 'MetricStatistics',
  'DiffReport.statistics.cost_per_run_usd.difference': 'Estimate',
  'DiffReport.statistics.compared.left_out.candidate': 'UnmatchedRuns',
  'DiffReport.statistics.segment_regressions.found': 'SegmentRegression',
  'DiffReport.statistics.latency_percentile_changes.p95': 'PercentileChange',
  'DiffReport.statistics.latency_percentiles.p50': 'PercentileEstimates',
  'DiffReport.statistics.suites.imported.changes': 'CaseChanges',
  'DiffReport.cases': 'NamedCase',
  'DiffReport.policy': 'PolicyVerdict',
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
  'RunEvent.usage.model': 'ModelUsage',
  'TokenList.tokens': 'TokenRecord',
  'WebhookList.webhooks': 'Webhook',
}

type CoreModels = { [Name in keyof typeof CORE_MODELS]: Awaited<ReturnType<(typeof CORE_MODELS)[Name]>> }

/**
 * Every model by name. The `models.ts` of a feature adds its own.
 *
 * @public
 */
export interface Models extends CoreModels {}

export type ModelName = keyof Models

/** The validated value of a model. */
export type ModelValue<N extends ModelName> = Models[N]['infer']
