import type { Answer, Call, Route } from './call.ts'
import { WebhookCalls } from './calls/webhooks.ts'
import { eventsOfPages } from './chunks.ts'
import { ClientError } from './errors.ts'
import type { CallOptions } from './transport.ts'
import { Trail } from './trail/trail.ts'
import type * as Api from './types.ts'

/**
 * Calls a release governance service, one method per route. A method throws ApiError where the service says no
 * (a block by the policy too: 409), ClientError where there is no answer, and the signal's reason where it is aborted.
 */
export class ServiceClient extends WebhookCalls {
  readonly trail = new Trail(this.transport)

  /** A page of a release's run events, newest first. */
  listRuns(query: Api.RunsListQuery, options?: CallOptions): Promise<Api.RunsPage> {
    return this.json('GET /v1/runs', { query }, options)
  }

  /**
   * All matching run events, newest first, fetched in pages of `limit`. Events that come in meanwhile don't make one
   * appear twice. Throws ClientError `limit` behind the last event that an offset reaches.
   */
  exportRuns(query: Api.RunsExportQuery, options?: CallOptions): AsyncGenerator<Api.RunEvent, void> {
    return eventsOfPages(
      offset => this.#send('GET /v1/runs/export', { query: { ...query, offset } }, options),
      query.offset ?? 0,
    )
  }

  /** Runs of any release by the id of a run, trace, session or span. */
  findRuns(query: Api.RunsFindQuery, options?: CallOptions): Promise<Api.FoundRuns> {
    return this.json('GET /v1/runs/find', { query }, options)
  }

  /** A release's runs, cost, latency and error rate over time. */
  runSeries(query: Api.RunsSeriesQuery, options?: CallOptions): Promise<Api.RunSeries> {
    return this.json('GET /v1/runs/series', { query }, options)
  }

  /** The runs of a release that cost most, took longest or failed. */
  worstRuns(query: Api.RunsWorstQuery, options?: CallOptions): Promise<Api.WorstRuns> {
    return this.json('GET /v1/runs/worst', { query }, options)
  }

  /** Rebuilds roll-ups and counters from the raw events. */
  rebuildRollups(options?: CallOptions): Promise<Api.Rebuilt> {
    return this.json('POST /v1/rollups/rebuild', {}, options)
  }

  /** Registered releases, newest first; those of an agent or environment, or the newest of them, where `query` says so. */
  async releases(
    options?: CallOptions,
    query: Api.ReleasesListQuery = {},
  ): Promise<Api.ReleaseList['releases']> {
    return (await this.json<Api.ReleaseList>('GET /v1/releases', { query }, options)).releases
  }

  /** Makes an immutable release of an artifact and the checksum of its bundle. */
  registerRelease(body: Api.ReleasesRegisterBody, options?: CallOptions): Promise<Api.Registered> {
    return this.json('POST /v1/releases', { body }, options)
  }

  release(release_id: string, options?: CallOptions): Promise<Api.ReleaseDetail> {
    return this.json('GET /v1/releases/{release_id}', { path: { release_id } }, options)
  }

  /** The files of a release's bundle, as far as they were told at its registration. */
  releaseFiles(release_id: string, options?: CallOptions): Promise<Api.ReleaseFiles> {
    return this.json('GET /v1/releases/{release_id}/files', { path: { release_id } }, options)
  }

  /** Compares two releases of one agent over a window. Writes nothing. */
  diff(body: Api.DiffBody, options?: CallOptions): Promise<Api.DiffReport> {
    return this.json('POST /v1/diff', { body }, options)
  }

  diffGroups(body: Api.DiffByGroupBody, options?: CallOptions): Promise<Api.DiffGroups> {
    return this.json('POST /v1/diff/groups', { body }, options)
  }

  /** What a comparison lacks for HIGH confidence. */
  confidence(query: Api.ConfidenceQuery, options?: CallOptions): Promise<Api.Reach> {
    return this.json('GET /v1/confidence', { query }, options)
  }

  /** What a promotion would come to now; see `policy.passed`. Writes nothing. */
  mayPromote(body: Omit<Api.PromoteReleaseBody, 'dry_run'>, options?: CallOptions): Promise<Api.Outcome> {
    return this.promote({ ...body, dry_run: true }, options)
  }

  /** Moves the pointer if the policy passes. Throws ApiError 409 with the outcome where it blocks. */
  promote(body: Api.PromoteReleaseBody, options?: CallOptions): Promise<Api.Outcome> {
    return this.json('POST /v1/promote', { body }, options)
  }

  /** Like `promote`, back to a release; something must be promoted already. */
  rollback(body: Api.RollbackReleaseBody, options?: CallOptions): Promise<Api.Outcome> {
    return this.json('POST /v1/rollback', { body }, options)
  }

  /** Requests a promotion that somebody confirms, where the workspace demands approvals. */
  requestPromotion(body: Api.PromoteRequestBody, options?: CallOptions): Promise<Api.PromotionRequest> {
    return this.json('POST /v1/promote/request', { body }, options)
  }

  /** Evaluates a request again and carries it out (trail.approve: of several). Throws ApiError 409 where the policy blocks. */
  confirmPromotion(body: Api.PromoteConfirmBody, options?: CallOptions): Promise<Api.Outcome> {
    return this.json('POST /v1/promote/confirm', { body }, options)
  }

  cancelPromotion(body: Api.PromoteCancelBody, options?: CallOptions): Promise<Api.PromotionRequest> {
    return this.json('POST /v1/promote/cancel', { body }, options)
  }

  async promotionRequests(
    query: Api.PromotionRequestsQuery = {},
    options?: CallOptions,
  ): Promise<Api.PromotionRequestList['requests']> {
    const route = 'GET /v1/promotion-requests'
    return (await this.json<Api.PromotionRequestList>(route, { query }, options)).requests
  }

  /** Where each agent stands in each environment. */
  async board(options?: CallOptions): Promise<Api.Board['board']> {
    return (await this.json<Api.Board>('GET /v1/board', {}, options)).board
  }

  /** A page of the audit trail, newest first. */
  listActions(query: Api.ActionsListQuery = {}, options?: CallOptions): Promise<Api.ActionPage> {
    return this.json('GET /v1/actions', { query }, options)
  }

  /**
   * The whole audit trail, newest first, fetched in pages of `limit`. Throws ClientError `unexpected` where a page gets no
   * further than the one before.
   */
  async *actions(
    query: Api.ActionsListQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Api.ActionPage['actions'][number], void> {
    for (let after = query.after; ;) {
      const page = await this.listActions({ limit: 500, ...query, after }, options)
      yield* page.actions
      const { next_after } = page
      if (next_after === null) return
      const goesOn = page.actions.length > 0 && next_after < (after ?? Number.POSITIVE_INFINITY)
      if (!goesOn) throw new ClientError('unexpected', `GET /v1/actions gets no further than ${next_after}.`)
      after = next_after
    }
  }

  /** One action with its evidence. */
  action(action_id: string, options?: CallOptions): Promise<Api.ActionDetail> {
    return this.json('GET /v1/actions/{action_id}', { path: { action_id } }, options)
  }

  /** The policy in force, or the default. */
  policy(options?: CallOptions): Promise<Api.Policy> {
    return this.json('GET /v1/policy', {}, options)
  }

  /** Puts a policy in force. */
  setPolicy(body: Api.Policy, options?: CallOptions, query: Api.PolicySetQuery = {}): Promise<Api.Policy> {
    return this.json('PUT /v1/policy', { body, query }, options)
  }

  async prices(options?: CallOptions): Promise<Api.PricingList['pricing']> {
    return (await this.json<Api.PricingList>('GET /v1/pricing', {}, options)).pricing
  }

  importPrices(body: Api.PricingImportBody, options?: CallOptions): Promise<Api.PricingImport> {
    return this.json('POST /v1/pricing', { body }, options)
  }

  priceTable(provider: string, pricing_version: string, options?: CallOptions): Promise<Api.PricingTable> {
    const path = { provider, pricing_version }
    return this.json('GET /v1/pricing/{provider}/{pricing_version}', { path }, options)
  }

  health(options?: CallOptions): Promise<Api.Health> {
    return this.json('GET /health', {}, options)
  }

  /** Resolves when the ledger answers; throws ApiError 503 otherwise. */
  ready(options?: CallOptions): Promise<Api.Ready> {
    return this.json('GET /ready', {}, options)
  }

  workspace(options?: CallOptions): Promise<Api.WorkspacePublic> {
    return this.json('GET /v1/workspace', {}, options)
  }

  /** Read-only checks of the ledger; see `ok`. */
  doctor(query: Api.DoctorQuery = {}, options?: CallOptions): Promise<Api.DoctorReport> {
    return this.json('GET /v1/doctor', { query }, options)
  }

  metrics(options?: CallOptions): Promise<Api.CountersSnapshot> {
    return this.json('GET /v1/metrics', {}, options)
  }

  async metricsText(options?: CallOptions): Promise<string> {
    return (await this.#send('GET /metrics', {}, options)).text
  }

  openApi(options?: CallOptions): Promise<Readonly<Record<string, unknown>>> {
    return this.json('GET /openapi.json', {}, options)
  }

  /** The page that documents the API, as HTML. */
  async docs(options?: CallOptions): Promise<string> {
    return (await this.#send('GET /docs', {}, options)).text
  }

  #send(route: Route, call: Call, options?: CallOptions): Promise<Answer> {
    return this.transport.send(route, call, options)
  }
}
