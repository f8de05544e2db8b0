// Generated from handlers by `npm run generate`, and never edited.
import type * as Api from './types.ts'

/** What each route of the service takes besides the names in its path, and what it answers. */
export interface Routes {
  'POST /v1/diff': { body: Api.DiffBody; answer: Api.DiffReport }
  'POST /v1/diff/groups': { body: Api.DiffByGroupBody; answer: Api.DiffGroups }
  'GET /v1/confidence': { query: Api.ConfidenceQuery; answer: Api.Reach }
  'POST /v1/promote': { body: Api.PromoteReleaseBody; answer: Api.Outcome }
  'POST /v1/promote/request': { body: Api.PromoteRequestBody; answer: Api.PromotionRequest }
  'POST /v1/promote/confirm': { body: Api.PromoteConfirmBody; answer: Api.Outcome | Api.PromotionRequest }
  'POST /v1/promote/reject': { body: Api.PromoteRejectBody; answer: Api.PromotionRequest }
  'POST /v1/promote/cancel': { body: Api.PromoteCancelBody; answer: Api.PromotionRequest }
  'POST /v1/rollback': { body: Api.RollbackReleaseBody; answer: Api.Outcome }
  'GET /v1/promoted': { answer: Api.Promoted }
  'GET /v1/promotion-requests': { query?: Api.PromotionRequestsQuery; answer: Api.PromotionRequestList }
  'GET /v1/actions': { query?: Api.ActionsListQuery; answer: Api.ActionPage }
  'GET /v1/actions/{action_id}': { answer: Api.ActionDetail }
  'GET /v1/acknowledgements': { query?: Api.AcknowledgementsListQuery; answer: Api.AcknowledgementList }
  'POST /v1/acknowledgements': { body: Api.AcknowledgementsMakeBody; answer: Api.Acknowledgement }
  'GET /v1/gate/{agent_id}/{environment}': { query: Api.GateQuery; answer: Api.Gate }
  'POST /v1/gate/{agent_id}/{environment}': { query: Api.GateHookQuery; answer: Api.Gate }
  'GET /v1/gate/{agent_id}/{environment}/report': { query: Api.GateReportQuery; answer: string }
  'GET /v1/board': { answer: Api.Board }
  'GET /v1/places/{agent_id}/{environment}': { query?: Api.PlaceQuery; answer: Api.PlaceAnswer }
  'GET /v1/live': { query?: Api.LiveQuery; answer: Api.LivePlaces }
  'GET /v1/pointers/{agent_id}/{environment}': { answer: Api.Pointer }
  'POST /ofrep/v1/evaluate/flags': { body: Api.FlagQuestion; answer: Api.Flags }
  'POST /ofrep/v1/evaluate/flags/{key}': { body: Api.FlagQuestion; answer: Api.Flag }
  'GET /v1/releases': { query?: Api.ReleasesListQuery; answer: Api.ReleaseList }
  'POST /v1/releases': { body: Api.ReleasesRegisterBody; answer: Api.Registered }
  'GET /v1/releases/{release_id}': { query?: Api.ReleasesShowQuery; answer: Api.ReleaseDetail }
  'GET /v1/releases/{release_id}/files': { answer: Api.ReleaseFiles }
  'GET /v1/releases/{release_id}/capabilities': { answer: Api.ReleaseCapabilities }
  'GET /v1/releases/{release_id}/models': { query: Api.ReleaseModelsQuery; answer: Api.UsedModels }
  'POST /v1/events': { body: Api.Events; answer: Api.IngestResult }
  'POST /v1/traces': { body: Api.OtlpTraces; answer: Api.OtlpTracesAnswer }
  'GET /v1/runs': { query: Api.RunsListQuery; answer: Api.RunsPage }
  'GET /v1/runs/export': { query: Api.RunsExportQuery; answer: string }
  'GET /v1/runs/find': { query: Api.RunsFindQuery; answer: Api.FoundRuns }
  'GET /v1/runs/series': { query: Api.RunsSeriesQuery; answer: Api.RunSeries }
  'GET /v1/runs/worst': { query: Api.RunsWorstQuery; answer: Api.WorstRuns }
  'GET /v1/scores': { query: Api.ScoresListQuery; answer: Api.ScoreImportList }
  'POST /v1/scores': { body: Api.ScoresImportBody; answer: Api.ScoreImport }
  'POST /v1/scores/cases': { body: Api.CasesReceiveBody; answer: Api.ReceivedCases }
  'POST /v1/scores/diff': { body: Api.ScoresDiffBody; answer: Api.ScoreDiff }
  'GET /v1/scores/suites': { query: Api.SuitesListQuery; answer: Api.SuiteList }
  'GET /v1/scores/suites/{suite}': { query: Api.SuiteHistoryShowQuery; answer: Api.SuiteHistory }
  'POST /v1/rollups/rebuild': { answer: Api.Rebuilt }
  'POST /v1/aggregates': { query?: Api.AggregatesImportQuery; body: Api.Aggregates; answer: Api.AggregatesImported }
  'GET /v1/aggregates/sources': { answer: Api.AggregateSourceList }
  'GET /v1/policy': { answer: Api.Policy }
  'POST /v1/policy/test': { body: Api.PolicyTestBody; answer: Api.PolicyTest }
  'GET /v1/policy/resolved': { query?: Api.PolicyResolvedQuery; answer: Api.ResolvedPolicy }
  'GET /v1/policy/advice': { query: Api.AdvisePolicyQuery; answer: Api.PolicyAdvice }
  'PUT /v1/policy': { query?: Api.PolicySetQuery; body: Api.Policy; answer: Api.Policy }
  'GET /v1/pricing': { answer: Api.PricingList }
  'POST /v1/pricing': { body: Api.PricingImportBody; answer: Api.PricingImport }
  'GET /v1/pricing/{provider}/{pricing_version}': { answer: Api.PricingTable }
  'GET /v1/retirements': { query?: Api.RetirementsListQuery; answer: Api.RetirementList }
  'POST /v1/retirements': { body: Api.RetirementsSetBody; answer: Api.SaidRetirement }
  'GET /v1/rollouts': { query?: Api.RolloutsListQuery; answer: Api.RolloutList }
  'POST /v1/rollouts': { body: Api.RolloutsStartBody; answer: Api.StartedRollout }
  'POST /v1/rollouts/request': { body: Api.RolloutsRequestBody; answer: Api.RolloutRequest }
  'POST /v1/rollouts/confirm': { body: Api.RolloutsConfirmBody; answer: Api.Rollout | Api.RolloutRequest }
  'POST /v1/rollouts/reject': { body: Api.RolloutsRejectBody; answer: Api.RolloutRequest }
  'GET /v1/rollout-requests': { query?: Api.RolloutRequestsQuery; answer: Api.RolloutRequestList }
  'GET /v1/rollouts/{rollout_id}': { answer: Api.RolloutDetail }
  'POST /v1/rollouts/{rollout_id}/pause': { body: Api.RolloutsPauseBody; answer: Api.Rollout }
  'POST /v1/rollouts/{rollout_id}/resume': { body: Api.RolloutsResumeBody; answer: Api.Rollout }
  'POST /v1/rollouts/{rollout_id}/abort': { body: Api.RolloutsAbortBody; answer: Api.Rollout }
  'GET /v1/watches': { query?: Api.WatchesListQuery; answer: Api.WatchList }
  'POST /v1/watches': { body: Api.WatchesStartBody; answer: Api.Watch }
  'GET /v1/watches/{watch_id}': { answer: Api.WatchDetail }
  'POST /v1/watches/{watch_id}/cancel': { body: Api.WatchesCancelBody; answer: Api.Watch }
  'GET /v1/audit': { query?: Api.AuditLogQuery; answer: Api.AuditPage }
  'GET /v1/stream': { query?: Api.StreamQuery; answer: string }
  'GET /v1/audit/checkpoint': { answer: Api.AuditCheckpoint }
  'GET /v1/audit/consistency': { query: Api.AuditConsistencyQuery; answer: Api.Consistency }
  'POST /v1/actions/{action_id}/review': { body: Api.ActionsReviewBody; answer: Api.ActionReview }
  'GET /v1/actions/{action_id}/proof': { answer: Api.ActionProof }
  'GET /v1/actions/{action_id}/attestation': { answer: Api.Attestation }
  'GET /v1/actions/{action_id}/explain': { answer: Api.Explanation }
  'POST /v1/actions/{action_id}/explain': { body: Api.AuditExplainAgainstBody; answer: Api.Explanation }
  'GET /v1/webhooks': { answer: Api.WebhookList }
  'POST /v1/webhooks': { body: Api.WebhooksAddBody; answer: Api.CreatedWebhook }
  'PATCH /v1/webhooks/{webhook_id}': { body?: Api.WebhooksUpdateBody; answer: Api.Webhook }
  'POST /v1/webhooks/{webhook_id}/rotate': { body?: Api.WebhooksRotateBody; answer: Api.CreatedWebhook }
  'DELETE /v1/webhooks/{webhook_id}': { answer: Api.DeletedWebhook }
  'POST /v1/webhooks/{webhook_id}/test': { answer: Api.TestedWebhook }
  'GET /v1/webhooks/{webhook_id}/deliveries': { query?: Api.WebhooksDeliveriesQuery; answer: Api.DeliveryList }
  'GET /v1/webhook-deliveries': { query?: Api.DeliveriesListQuery; answer: Api.DeliveryList }
  'POST /v1/webhook-deliveries/{delivery_id}/replay': { answer: Api.Delivery }
  'GET /v1/tokens': { answer: Api.TokenList }
  'POST /v1/tokens': { body: Api.TokensCreateBody; answer: Api.CreatedToken }
  'POST /v1/tokens/{name}/rotate': { body?: Api.TokensRotateBody; answer: Api.CreatedToken }
  'DELETE /v1/tokens/{name}': { query?: Api.TokensRevokeQuery; answer: Api.RevokedToken }
  'GET /v1/session': { answer: Api.WhoAmI }
  'DELETE /v1/session': { answer: Api.EndedSession }
  'GET /v1/sessions': { query?: Api.SessionListQuery; answer: Api.SessionList }
  'POST /v1/sessions': { body: Api.SessionOpenBody; answer: Api.OpenedSession }
  'DELETE /v1/sessions/{session_id}': { answer: Api.EndedSession }
  'GET /v1/sign-in/{provider}': { query?: Api.SignInBeginQuery; answer: string }
  'GET /v1/sign-in/{provider}/callback': { query?: Api.SignInFinishQuery; answer: string }
  'GET /health': { answer: Api.Health }
  'GET /ready': { answer: Api.Ready }
  'GET /metrics': { answer: string }
  'GET /docs': { answer: string }
  'GET /openapi.json': { answer: Api.OpenApiDocument }
  'GET /v1/metrics': { answer: Api.CountersSnapshot }
  'GET /v1/workspace': { answer: Api.WorkspacePublic }
  'GET /v1/doctor': { query?: Api.DoctorQuery; answer: Api.DoctorReport }
}

/** What a sender has to know of routes; those that are not here change something, or are GETs. */
export const FACTS = {
  'POST /v1/diff': { readsOnly: true },
  'POST /v1/diff/groups': { readsOnly: true },
  'POST /v1/promote': { idempotent: true },
  'POST /v1/promote/request': { idempotent: true },
  'POST /v1/promote/confirm': { idempotent: true },
  'POST /v1/rollback': { idempotent: true },
  'POST /v1/acknowledgements': { repeatable: true },
  'POST /v1/gate/{agent_id}/{environment}': { readsOnly: true },
  'POST /ofrep/v1/evaluate/flags': { readsOnly: true },
  'POST /ofrep/v1/evaluate/flags/{key}': { readsOnly: true },
  'POST /v1/events': { repeatable: true },
  'POST /v1/traces': { repeatable: true },
  'POST /v1/scores/diff': { readsOnly: true },
  'POST /v1/rollups/rebuild': { repeatable: true },
  'POST /v1/aggregates': { repeatable: true },
  'POST /v1/policy/test': { readsOnly: true },
  'POST /v1/retirements': { repeatable: true },
  'POST /v1/rollouts': { idempotent: true },
  'POST /v1/rollouts/request': { idempotent: true },
  'POST /v1/rollouts/confirm': { idempotent: true },
  'POST /v1/actions/{action_id}/review': { repeatable: true },
  'POST /v1/actions/{action_id}/explain': { readsOnly: true },
  'DELETE /v1/session': { repeatable: true },
} as const

export const RECORDS_ACTOR: ReadonlySet<string> = new Set([
  'POST /v1/promote',
  'POST /v1/promote/request',
  'POST /v1/promote/confirm',
  'POST /v1/promote/reject',
  'POST /v1/promote/cancel',
  'POST /v1/rollback',
  'POST /v1/acknowledgements',
  'POST /v1/releases',
  'POST /v1/scores',
  'POST /v1/rollups/rebuild',
  'POST /v1/aggregates',
  'PUT /v1/policy',
  'POST /v1/pricing',
  'POST /v1/retirements',
  'POST /v1/rollouts',
  'POST /v1/rollouts/request',
  'POST /v1/rollouts/confirm',
  'POST /v1/rollouts/reject',
  'POST /v1/rollouts/{rollout_id}/pause',
  'POST /v1/rollouts/{rollout_id}/resume',
  'POST /v1/rollouts/{rollout_id}/abort',
  'POST /v1/watches',
  'POST /v1/watches/{watch_id}/cancel',
  'POST /v1/actions/{action_id}/review',
  'POST /v1/webhooks',
  'PATCH /v1/webhooks/{webhook_id}',
  'POST /v1/webhooks/{webhook_id}/rotate',
  'DELETE /v1/webhooks/{webhook_id}',
  'POST /v1/webhooks/{webhook_id}/test',
  'POST /v1/webhook-deliveries/{delivery_id}/replay',
  'POST /v1/tokens',
  'POST /v1/tokens/{name}/rotate',
  'DELETE /v1/tokens/{name}',
  'DELETE /v1/sessions/{session_id}',
])
