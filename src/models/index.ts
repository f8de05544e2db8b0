import type { Checked } from './check.ts'
import type { AnyModel, ModelDocs } from './docs.ts'

/** A model and what its JSON Schema says beyond it. */
export interface Documented {
  readonly model: AnyModel
  readonly docs: ModelDocs
}

/** Every model by name, each loaded when first needed: arktype takes long to start. */
const LOADERS = {
  ActionDetail: async () => {
    const { ActionDetail, actionDetailDocs } = await import('./answers/action.ts')
    return { model: ActionDetail, docs: actionDetailDocs }
  },
  ActionPage: async () => {
    const { ActionPage, actionPageDocs } = await import('./answers/action.ts')
    return { model: ActionPage, docs: actionPageDocs }
  },
  Blocked: async () => {
    const { Blocked, blockedDocs } = await import('./answers/decision.ts')
    return { model: Blocked, docs: blockedDocs }
  },
  Board: async () => {
    const { Board, boardDocs } = await import('./answers/board.ts')
    return { model: Board, docs: boardDocs }
  },
  CountersSnapshot: async () => {
    const { CountersSnapshot, countersDocs } = await import('./answers/health.ts')
    return { model: CountersSnapshot, docs: countersDocs }
  },
  CreatedWebhook: async () => {
    const { CreatedWebhook, createdWebhookDocs } = await import('./answers/webhook.ts')
    return { model: CreatedWebhook, docs: createdWebhookDocs }
  },
  DeletedWebhook: async () => {
    const { DeletedWebhook, deletedWebhookDocs } = await import('./answers/webhook.ts')
    return { model: DeletedWebhook, docs: deletedWebhookDocs }
  },
  Delivery: async () => {
    const { Delivery, deliveryDocs } = await import('./answers/webhook.ts')
    return { model: Delivery, docs: deliveryDocs }
  },
  DeliveryList: async () => {
    const { DeliveryList, deliveryListDocs } = await import('./answers/webhook.ts')
    return { model: DeliveryList, docs: deliveryListDocs }
  },
  DiffReport: async () => {
    const { DiffReport, diffReportDocs } = await import('./answers/diff.ts')
    return { model: DiffReport, docs: diffReportDocs }
  },
  DoctorReport: async () => {
    const { DoctorReport, doctorDocs } = await import('./answers/health.ts')
    return { model: DoctorReport, docs: doctorDocs }
  },
  ErrorText: async () => {
    const { ErrorText, errorTextDocs } = await import('./answers/health.ts')
    return { model: ErrorText, docs: errorTextDocs }
  },
  Events: async () => {
    const { Events, eventsDocs } = await import('./documents/run_event.ts')
    return { model: Events, docs: eventsDocs }
  },
  Health: async () => {
    const { Health, healthDocs } = await import('./answers/health.ts')
    return { model: Health, docs: healthDocs }
  },
  IngestResult: async () => {
    const { IngestResult, ingestResultDocs } = await import('./answers/health.ts')
    return { model: IngestResult, docs: ingestResultDocs }
  },
  Outcome: async () => {
    const { Outcome, outcomeDocs } = await import('./answers/decision.ts')
    return { model: Outcome, docs: outcomeDocs }
  },
  Policy: async () => {
    const { Policy, policyDocs } = await import('./documents/policy.ts')
    return { model: Policy, docs: policyDocs }
  },
  PricingCatalog: async () => {
    const { PricingCatalog, pricingCatalogDocs } = await import('./documents/catalog.ts')
    return { model: PricingCatalog, docs: pricingCatalogDocs }
  },
  PricingImport: async () => {
    const { PricingImport, pricingImportDocs } = await import('./documents/pricing.ts')
    return { model: PricingImport, docs: pricingImportDocs }
  },
  PricingList: async () => {
    const { PricingList, pricingListDocs } = await import('./documents/pricing.ts')
    return { model: PricingList, docs: pricingListDocs }
  },
  PricingTable: async () => {
    const { PricingTable, pricingTableDocs } = await import('./documents/pricing.ts')
    return { model: PricingTable, docs: pricingTableDocs }
  },
  Promoted: async () => {
    const { Promoted, promotedDocs } = await import('./answers/action.ts')
    return { model: Promoted, docs: promotedDocs }
  },
  PromotionRequest: async () => {
    const { PromotionRequest, promotionRequestDocs } = await import('./answers/promotion_request.ts')
    return { model: PromotionRequest, docs: promotionRequestDocs }
  },
  PromotionRequestList: async () => {
    const { PromotionRequestList, promotionRequestListDocs } = await import('./answers/promotion_request.ts')
    return { model: PromotionRequestList, docs: promotionRequestListDocs }
  },
  Reach: async () => {
    const { Reach, reachDocs } = await import('./answers/decision.ts')
    return { model: Reach, docs: reachDocs }
  },
  Ready: async () => {
    const { Ready, readyDocs } = await import('./answers/health.ts')
    return { model: Ready, docs: readyDocs }
  },
  Rebuilt: async () => {
    const { Rebuilt, rebuiltDocs } = await import('./answers/health.ts')
    return { model: Rebuilt, docs: rebuiltDocs }
  },
  Registered: async () => {
    const { Registered, registeredDocs } = await import('./documents/release.ts')
    return { model: Registered, docs: registeredDocs }
  },
  Release: async () => {
    const { Release, releaseDocs } = await import('./documents/release.ts')
    return { model: Release, docs: releaseDocs }
  },
  ReleaseDetail: async () => {
    const { ReleaseDetail, releaseDetailDocs } = await import('./documents/release.ts')
    return { model: ReleaseDetail, docs: releaseDetailDocs }
  },
  ReleaseList: async () => {
    const { ReleaseList, releaseListDocs } = await import('./documents/release.ts')
    return { model: ReleaseList, docs: releaseListDocs }
  },
  RequestBlocked: async () => {
    const { RequestBlocked, requestBlockedDocs } = await import('./answers/decision.ts')
    return { model: RequestBlocked, docs: requestBlockedDocs }
  },
  RunEvent: async () => {
    const { RunEvent, runEventDocs } = await import('./documents/run_event.ts')
    return { model: RunEvent, docs: runEventDocs }
  },
  RunSeries: async () => {
    const { RunSeries, runSeriesDocs } = await import('./answers/runs.ts')
    return { model: RunSeries, docs: runSeriesDocs }
  },
  RunsPage: async () => {
    const { RunsPage, runsPageDocs } = await import('./answers/health.ts')
    return { model: RunsPage, docs: runsPageDocs }
  },
  TestedWebhook: async () => {
    const { TestedWebhook, testedWebhookDocs } = await import('./answers/webhook.ts')
    return { model: TestedWebhook, docs: testedWebhookDocs }
  },
  ValidationError: async () => {
    const { ValidationError, validationErrorDocs } = await import('./answers/health.ts')
    return { model: ValidationError, docs: validationErrorDocs }
  },
  WebhookList: async () => {
    const { WebhookList, webhookListDocs } = await import('./answers/webhook.ts')
    return { model: WebhookList, docs: webhookListDocs }
  },
  WorstRuns: async () => {
    const { WorstRuns, worstRunsDocs } = await import('./answers/runs.ts')
    return { model: WorstRuns, docs: worstRunsDocs }
  },
  WorkspaceConfig: async () => {
    const { WorkspaceConfig, workspaceConfigDocs } = await import('./documents/workspace.ts')
    return { model: WorkspaceConfig, docs: workspaceConfigDocs }
  },
  WorkspacePublic: async () => {
    const { WorkspacePublic, workspacePublicDocs } = await import('./documents/workspace.ts')
    return { model: WorkspacePublic, docs: workspacePublicDocs }
  },
} satisfies Record<string, () => Promise<Documented>>

export type ModelName = keyof typeof LOADERS

/** The validated value of a model. */
export type ModelValue<N extends ModelName> = Awaited<ReturnType<(typeof LOADERS)[N]>>['model']['infer']

export function loadModel(name: ModelName): Promise<Documented> {
  return LOADERS[name]()
}

/** Validates a value against a model by name, and applies its defaults. */
export async function checkDocument<N extends ModelName>(
  name: N,
  value: unknown,
): Promise<Checked<ModelValue<N>>> {
  const [{ check }, { model }] = await Promise.all([import('./check.ts'), loadModel(name)])
  return check(model, value)
}
