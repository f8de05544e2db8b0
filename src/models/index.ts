import { findBadText, findOversize } from '../base/text.ts'
import type { Checked } from './problems.ts'
import type { Documented } from './docs.ts'

/** Every model by name, each loaded when first needed: arktype takes long to start. */
const LOADERS = {
  AcceptedClock: async () => (await import('./commands/upkeep.ts')).acceptedClock,
  ActionDetail: async () => (await import('./answers/action.ts')).actionDetail,
  ActionList: async () => (await import('./commands/lists.ts')).actionList,
  ActionProof: async () => (await import('./answers/checkpoint.ts')).actionProof,
  ActionPage: async () => (await import('./answers/action.ts')).actionPage,
  Attestation: async () => (await import('./answers/attestation.ts')).attestation,
  AuditCheckpoint: async () => (await import('./answers/checkpoint.ts')).auditCheckpoint,
  AuditLog: async () => (await import('./commands/lists.ts')).auditLog,
  AuditPage: async () => (await import('./answers/audit.ts')).auditPage,
  Blocked: async () => (await import('./answers/decision.ts')).blocked,
  Board: async () => (await import('./answers/board.ts')).board,
  BundleFiles: async () => (await import('./documents/bundle_files.ts')).bundleFiles,
  Compacted: async () => (await import('./commands/upkeep.ts')).compacted,
  Consistency: async () => (await import('./answers/checkpoint.ts')).consistency,
  Copied: async () => (await import('./commands/upkeep.ts')).copied,
  CountersSnapshot: async () => (await import('./answers/health.ts')).countersSnapshot,
  CreatedToken: async () => (await import('./answers/token.ts')).createdToken,
  CreatedWebhook: async () => (await import('./answers/webhook.ts')).createdWebhook,
  DeletedWebhook: async () => (await import('./answers/webhook.ts')).deletedWebhook,
  Delivery: async () => (await import('./answers/webhook.ts')).delivery,
  DeliveryList: async () => (await import('./answers/webhook.ts')).deliveryList,
  DiffGroups: async () => (await import('./answers/groups.ts')).diffGroups,
  DiffReport: async () => (await import('./answers/diff.ts')).diffReport,
  DoctorReport: async () => (await import('./answers/health.ts')).doctorReport,
  Erased: async () => (await import('./commands/upkeep.ts')).erased,
  ErrorText: async () => (await import('./answers/health.ts')).errorText,
  Envelope: async () => (await import('./answers/attestation.ts')).envelope,
  Events: async () => (await import('./documents/run_event.ts')).events,
  Explanation: async () => (await import('./answers/explanation.ts')).explanation,
  FoundRuns: async () => (await import('./answers/found_runs.ts')).foundRuns,
  Flag: async () => (await import('./deploys/pointer.ts')).flag,
  FlagError: async () => (await import('./deploys/pointer.ts')).flagError,
  Flags: async () => (await import('./deploys/pointer.ts')).flags,
  FlagsError: async () => (await import('./deploys/pointer.ts')).flagsError,
  FlagQuestion: async () => (await import('./deploys/pointer.ts')).flagQuestion,
  Gate: async () => (await import('./deploys/gate.ts')).gate,
  Health: async () => (await import('./answers/health.ts')).health,
  IngestResult: async () => (await import('./answers/runs.ts')).ingestResult,
  LedgerSize: async () => (await import('./commands/upkeep.ts')).ledgerSize,
  Migrated: async () => (await import('./commands/upkeep.ts')).migrated,
  OpenApiDocument: async () => (await import('./answers/health.ts')).openApiDocument,
  OtlpStatus: async () => (await import('./answers/otlp.ts')).otlpStatus,
  OtlpTraces: async () => (await import('./answers/otlp.ts')).otlpTraces,
  OtlpTracesAnswer: async () => (await import('./answers/otlp.ts')).otlpTracesAnswer,
  Outcome: async () => (await import('./answers/decision.ts')).outcome,
  Pointer: async () => (await import('./deploys/pointer.ts')).pointer,
  Policy: async () => (await import('./documents/policy.ts')).policy,
  PolicyAdvice: async () => (await import('./answers/advice.ts')).policyAdvice,
  PolicyBlock: async () => (await import('./commands/facts.ts')).policyBlock,
  PolicyDiff: async () => (await import('./answers/history.ts')).policyDiff,
  PolicyHistory: async () => (await import('./answers/history.ts')).policyHistory,
  PolicySettings: async () => (await import('./commands/lists.ts')).policySettings,
  PriceHistory: async () => (await import('./answers/history.ts')).priceHistory,
  PolicyTest: async () => (await import('./answers/explanation.ts')).policyTest,
  PriceImports: async () => (await import('./commands/lists.ts')).priceImports,
  PricingAge: async () => (await import('./commands/lists.ts')).pricingAge,
  PricingCatalog: async () => (await import('./documents/catalog.ts')).pricingCatalog,
  PricingImport: async () => (await import('./documents/pricing.ts')).pricingImport,
  PricingList: async () => (await import('./documents/pricing.ts')).pricingList,
  PricingTable: async () => (await import('./documents/pricing.ts')).pricingTable,
  ProfileList: async () => (await import('./commands/lists.ts')).profileList,
  Promoted: async () => (await import('./answers/action.ts')).promoted,
  PromotedList: async () => (await import('./commands/lists.ts')).promotedList,
  PromotionRequest: async () => (await import('./answers/promotion_request.ts')).promotionRequest,
  PromotionRequestList: async () => (await import('./answers/promotion_request.ts')).promotionRequestList,
  Pruned: async () => (await import('./commands/upkeep.ts')).pruned,
  Reach: async () => (await import('./answers/decision.ts')).reach,
  Ready: async () => (await import('./answers/health.ts')).ready,
  Rebuilt: async () => (await import('./answers/health.ts')).rebuilt,
  Registered: async () => (await import('./documents/release.ts')).registered,
  Release: async () => (await import('./documents/release.ts')).release,
  ReleaseDetail: async () => (await import('./documents/release.ts')).releaseDetail,
  ReleaseFiles: async () => (await import('./documents/bundle_files.ts')).releaseFiles,
  ReleaseList: async () => (await import('./documents/release.ts')).releaseList,
  RemovedProfile: async () => (await import('./commands/facts.ts')).removedProfile,
  RequestBlocked: async () => (await import('./answers/decision.ts')).requestBlocked,
  ResolvedPolicy: async () => (await import('./answers/resolved_policy.ts')).resolvedPolicy,
  Restored: async () => (await import('./commands/upkeep.ts')).restored,
  RevokedToken: async () => (await import('./answers/token.ts')).revokedToken,
  RunEvent: async () => (await import('./documents/run_event.ts')).runEvent,
  RunSeries: async () => (await import('./answers/runs.ts')).runSeries,
  RunsPage: async () => (await import('./answers/runs.ts')).runsPage,
  ScoreCases: async () => (await import('./documents/scores.ts')).scoreCases,
  ScoreImport: async () => (await import('./documents/scores.ts')).scoreImport,
  ScoreImportList: async () => (await import('./documents/scores.ts')).scoreImportList,
  StaleBaseline: async () => (await import('./answers/decision.ts')).staleBaseline,
  Statement: async () => (await import('./answers/attestation.ts')).statement,
  TestedWebhook: async () => (await import('./answers/webhook.ts')).testedWebhook,
  TokenList: async () => (await import('./answers/token.ts')).tokenList,
  UsedModels: async () => (await import('./documents/release.ts')).usedModels,
  UsedModelsList: async () => (await import('./commands/lists.ts')).usedModelsList,
  ValidatedPolicy: async () => (await import('./commands/facts.ts')).validatedPolicy,
  ValidatedRelease: async () => (await import('./commands/facts.ts')).validatedRelease,
  ValidationError: async () => (await import('./answers/health.ts')).validationError,
  Watch: async () => (await import('./answers/watch.ts')).watch,
  WatchDetail: async () => (await import('./answers/watch.ts')).watchDetail,
  WatchList: async () => (await import('./answers/watch.ts')).watchList,
  VerifiedAttestation: async () => (await import('./commands/proofs.ts')).verifiedAttestation,
  VerifiedLog: async () => (await import('./commands/proofs.ts')).verifiedLog,
  VerifiedRelease: async () => (await import('./commands/facts.ts')).verifiedRelease,
  Version: async () => (await import('./commands/facts.ts')).version,
  Webhook: async () => (await import('./answers/webhook.ts')).webhook,
  WebhookList: async () => (await import('./answers/webhook.ts')).webhookList,
  WorkspaceConfig: async () => (await import('./documents/workspace.ts')).workspaceConfig,
  WorkspacePublic: async () => (await import('./documents/workspace.ts')).workspacePublic,
  WorstRuns: async () => (await import('./answers/runs.ts')).worstRuns,
} satisfies Record<string, () => Promise<Documented>>

export type ModelName = keyof typeof LOADERS

/** The validated value of a model. */
export type ModelValue<N extends ModelName> = Awaited<ReturnType<(typeof LOADERS)[N]>>['model']['infer']

export function loadModel(name: ModelName): Promise<Documented> {
  return LOADERS[name]()
}

/** Acceptors of the documents that are read where somebody waits. */
const ACCEPTORS = {
  BundleFiles: async () => (await import('./accept/bundle_files.ts')).accept,
  Policy: async () => (await import('./accept/policy.ts')).accept,
  PricingCatalog: async () => (await import('./accept/catalog.ts')).accept,
  PricingTable: async () => (await import('./accept/pricing.ts')).accept,
  Release: async () => (await import('./accept/release.ts')).accept,
  RunEvent: async () => (await import('./accept/run_event.ts')).accept,
  WorkspaceConfig: async () => (await import('./accept/workspace.ts')).accept,
} as const satisfies { readonly [N in ModelName]?: () => Promise<Accept<N>> }

type Accept<N extends ModelName> = (value: unknown) => ModelValue<N> | undefined

/**
 * Validates a value against a model by name, and applies its defaults. What is plainly right is accepted by code that
 * was generated from the model; the model itself, which takes long to load, says what is wrong with the rest.
 */
export async function checkDocument<N extends ModelName>(
  name: N,
  value: unknown,
): Promise<Checked<ModelValue<N>>> {
  const accepted = await acceptDocument(name, value)
  if (accepted !== undefined) return { ok: true, value: accepted }
  const [{ check }, { model }] = await Promise.all([import('./check.ts'), loadModel(name)])
  return check(model, value)
}

/** The document with its defaults, where it plainly is one. */
export async function acceptDocument<N extends ModelName>(
  name: N,
  value: unknown,
): Promise<ModelValue<N> | undefined> {
  const load = (ACCEPTORS as { readonly [M in ModelName]?: () => Promise<Accept<M>> })[name]
  if (load === undefined || (findOversize(value) ?? findBadText(value)) !== undefined) return undefined
  return (await load())(value)
}
