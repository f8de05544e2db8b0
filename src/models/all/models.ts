import type { Documented } from '../docs.ts'

/** The models of the core by name, each loaded when first needed: arktype takes long to start. */
export const CORE_MODELS = {
  AcceptedClock: async () => (await import('../commands/lists.ts')).acceptedClock,
  ActionDetail: async () => (await import('../answers/action.ts')).actionDetail,
  ActionList: async () => (await import('../commands/lists.ts')).actionList,
  ActionPage: async () => (await import('../answers/action.ts')).actionPage,
  AuditLog: async () => (await import('../commands/lists.ts')).auditLog,
  AuditPage: async () => (await import('../answers/audit.ts')).auditPage,
  Blocked: async () => (await import('../answers/decision.ts')).blocked,
  Board: async () => (await import('../answers/board.ts')).board,
  BundleFiles: async () => (await import('../documents/bundle_files.ts')).bundleFiles,
  CaseTries: async () => (await import('../documents/scores.ts')).caseTries,
  CountersSnapshot: async () => (await import('../answers/health.ts')).countersSnapshot,
  CreatedToken: async () => (await import('../answers/token.ts')).createdToken,
  CreatedWebhook: async () => (await import('../answers/webhook.ts')).createdWebhook,
  DeletedWebhook: async () => (await import('../answers/webhook.ts')).deletedWebhook,
  DiffReport: async () => (await import('../answers/diff.ts')).diffReport,
  DoctorReport: async () => (await import('../answers/health.ts')).doctorReport,
  ErrorText: async () => (await import('../answers/health.ts')).errorText,
  Events: async () => (await import('../documents/run_event.ts')).events,
  Gate: async () => (await import('../deploys/gate.ts')).gate,
  Health: async () => (await import('../answers/health.ts')).health,
  IngestResult: async () => (await import('../answers/runs.ts')).ingestResult,
  Migrated: async () => (await import('../commands/lists.ts')).migrated,
  OpenApiDocument: async () => (await import('../answers/health.ts')).openApiDocument,
  Outcome: async () => (await import('../answers/decision.ts')).outcome,
  Policy: async () => (await import('../documents/policy.ts')).policy,
  PlaceAnswer: async () => (await import('../deploys/place.ts')).placeAnswer,
  Places: async () => (await import('../commands/lists.ts')).places,
  PolicyBlock: async () => (await import('../commands/lists.ts')).policyBlock,
  PricingAge: async () => (await import('../commands/lists.ts')).pricingAge,
  PricingCatalog: async () => (await import('../documents/catalog.ts')).pricingCatalog,
  PricingImport: async () => (await import('../documents/pricing.ts')).pricingImport,
  PricingList: async () => (await import('../documents/pricing.ts')).pricingList,
  PricingTable: async () => (await import('../documents/pricing.ts')).pricingTable,
  Promoted: async () => (await import('../answers/action.ts')).promoted,
  PromotedList: async () => (await import('../commands/lists.ts')).promotedList,
  Status: async () => (await import('../commands/lists.ts')).status,
  PromotionRequest: async () => (await import('../answers/promotion_request.ts')).promotionRequest,
  PromotionRequestList: async () => (await import('../answers/promotion_request.ts')).promotionRequestList,
  Reach: async () => (await import('../answers/decision.ts')).reach,
  Ready: async () => (await import('../answers/health.ts')).ready,
  Rebuilt: async () => (await import('../answers/health.ts')).rebuilt,
  Registered: async () => (await import('../documents/release.ts')).registered,
  Release: async () => (await import('../documents/release.ts')).release,
  ReleaseDetail: async () => (await import('../documents/release.ts')).releaseDetail,
  ReleaseFiles: async () => (await import('../documents/bundle_files.ts')).releaseFiles,
  ReleaseList: async () => (await import('../documents/release.ts')).releaseList,
  RequestBlocked: async () => (await import('../answers/decision.ts')).requestBlocked,
  ResolvedPolicy: async () => (await import('../answers/resolved_policy.ts')).resolvedPolicy,
  RevokedToken: async () => (await import('../answers/token.ts')).revokedToken,
  RunEvent: async () => (await import('../documents/run_event.ts')).runEvent,
  RunsPage: async () => (await import('../answers/runs.ts')).runsPage,
  ScoreCases: async () => (await import('../documents/scores.ts')).scoreCases,
  StaleBaseline: async () => (await import('../answers/decision.ts')).staleBaseline,
  Capabilities: async () => (await import('../documents/capabilities.ts')).capabilities,
  TestedWebhook: async () => (await import('../answers/webhook.ts')).testedWebhook,
  TokenList: async () => (await import('../answers/token.ts')).tokenList,
  UsedModels: async () => (await import('../documents/release.ts')).usedModels,
  UsedModelsList: async () => (await import('../commands/lists.ts')).usedModelsList,
  ValidatedPolicy: async () => (await import('../commands/lists.ts')).validatedPolicy,
  ValidatedRelease: async () => (await import('../commands/lists.ts')).validatedRelease,
  ValidationError: async () => (await import('../answers/health.ts')).validationError,
  VerifiedRelease: async () => (await import('../commands/lists.ts')).verifiedRelease,
  Version: async () => (await import('../commands/lists.ts')).version,
  Webhook: async () => (await import('../answers/webhook.ts')).webhook,
  WebhookList: async () => (await import('../answers/webhook.ts')).webhookList,
  WorkspaceConfig: async () => (await import('../documents/workspace.ts')).workspaceConfig,
  WorkspacePublic: async () => (await import('../documents/workspace.ts')).workspacePublic,
} satisfies Record<string, () => Promise<Documented>>

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
export type ModelValue<N extends ModelName> = Models[N]['model']['infer']
