import { factsOf } from './call.ts'
import { eventsOfPages, ingestInChunks } from './chunks.ts'
import { ClientError } from './errors.ts'
import { chunkSizeOf, sendEvents } from './event_client.ts'
import type { ClientOptions, Ingested } from './options.ts'
import { ScoreRecorder, type ScoreRecorderOptions } from './score_recorder.ts'
import { type CallOptions, Transport, parseAnswer } from './transport.ts'
import type * as Api from './types.ts'

/**
 * Calls a release governance service, one method per route. A method throws ApiError where the service says no
 * (a block by the policy too: 409), ClientError where there is no answer, and the signal's reason where it is aborted.
 */
export class ServiceClient {
  readonly baseUrl: string
  readonly chunkSize: number
  readonly trail: Trail
  readonly #to: Transport

  /** `baseUrl` is where the service is, such as `http://127.0.0.1:8765`. Throws ClientError for a bad option. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#to = new Transport(baseUrl, options, factsOf)
    this.baseUrl = this.#to.base
    this.chunkSize = chunkSizeOf(options)
    this.trail = new Trail(this.#to)
  }

  /**
   * Stores run events, in requests of `chunkSize`. A run_id that is stored already counts as skipped, so after an
   * error the same call can simply be made again.
   */
  ingest(events: readonly Api.RunEvent[], options?: CallOptions): Promise<Ingested> {
    return ingestInChunks(events, this.chunkSize, jsons => this.ingestJson(jsons, options))
  }

  /** Stores events that are JSON text already, in one request. */
  ingestJson(events: readonly string[], options?: CallOptions, dropped?: Api.Events['dropped']) {
    return sendEvents(this.#to, events, options, dropped)
  }

  /** A page of a release's run events, newest first. */
  listRuns(query: Api.RunsListQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/runs', { query }, options)
  }

  /**
   * All matching run events, newest first, fetched in pages of `limit`. Events that come in meanwhile don't make one
   * appear twice. Throws ClientError `limit` behind the last event that an offset reaches.
   */
  exportRuns(query: Api.RunsExportQuery, options?: CallOptions): AsyncGenerator<Api.RunEvent, void> {
    return eventsOfPages(
      offset => this.#to.send('GET /v1/runs/export', { query: { ...query, offset } }, options),
      query.offset ?? 0,
    )
  }

  /** What is live for an agent in an environment, what is next, and whether it may be promoted. */
  place(agent_id: string, environment: string, query: Api.PlaceQuery = {}, options?: CallOptions) {
    const path = { agent_id, environment }
    return this.#to.call('GET /v1/places/{agent_id}/{environment}', { path, query }, options)
  }

  /** Live releases, checked by their newest runs against the limits of the policy. */
  live(query: Api.LiveQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/live', { query }, options)
  }

  /** Runs of any release by the id of a run, trace, session or span. */
  findRuns(query: Api.RunsFindQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/runs/find', { query }, options)
  }

  /** A release's runs, cost, latency and error rate over time. */
  runSeries(query: Api.RunsSeriesQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/runs/series', { query }, options)
  }

  /** The runs of a release that cost most, took longest or failed. */
  worstRuns(query: Api.RunsWorstQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/runs/worst', { query }, options)
  }

  /** Rebuilds rollups and counters from the raw events. */
  rebuildRollups(options?: CallOptions) {
    return this.#to.call('POST /v1/rollups/rebuild', {}, options)
  }

  /** Imports the scores of a suite of cases, which are no runs. Sending the newest again stores nothing. */
  importScores(body: Api.ScoresImportBody, options?: CallOptions) {
    return this.#to.call('POST /v1/scores', { body }, options)
  }

  /** Sends cases of an evaluation, a part of an import; see `recordScores`, which does it as they come. */
  sendCases(body: Api.CasesReceiveBody, options?: CallOptions) {
    return this.#to.call('POST /v1/scores/cases', { body }, options)
  }

  /** Sends the cases of an evaluation while it runs. */
  recordScores(options: ScoreRecorderOptions): ScoreRecorder {
    return new ScoreRecorder(this, options)
  }

  /** Compares the newest imports of a suite for two releases, case by case. Writes nothing. */
  diffScores(body: Api.ScoresDiffBody, options?: CallOptions) {
    return this.#to.call('POST /v1/scores/diff', { body }, options)
  }

  /** The suites that releases of an agent were evaluated with. */
  async suites(query: Api.SuitesListQuery, options?: CallOptions) {
    return (await this.#to.call('GET /v1/scores/suites', { query }, options)).suites
  }

  /** A suite over the releases of an agent, and the cases that don't always pass. */
  suiteHistory(suite: string, query: Api.SuiteHistoryShowQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/scores/suites/{suite}', { path: { suite }, query }, options)
  }

  /** The imports of scores of a release, newest first. */
  async scores(query: Api.ScoresListQuery, options?: CallOptions) {
    return (await this.#to.call('GET /v1/scores', { query }, options)).imports
  }

  /** Registered releases, newest first; those of an agent or environment, or the newest of them, where `query` says so. */
  async releases(options?: CallOptions, query: Api.ReleasesListQuery = {}) {
    return (await this.#to.call('GET /v1/releases', { query }, options)).releases
  }

  /** Makes an immutable release of an artifact and the checksum of its bundle. */
  registerRelease(body: Api.ReleasesRegisterBody, options?: CallOptions) {
    return this.#to.call('POST /v1/releases', { body }, options)
  }

  release(release_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/releases/{release_id}', { path: { release_id } }, options)
  }

  /** The files of a release's bundle, as far as its registration listed them. */
  releaseFiles(release_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/releases/{release_id}/files', { path: { release_id } }, options)
  }

  /** Capabilities of a release, and undeclared tools and models of its runs. */
  releaseCapabilities(release_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/releases/{release_id}/capabilities', { path: { release_id } }, options)
  }

  /** Acknowledges capabilities that the live release lacks, where the policy blocks on that. */
  acknowledge(body: Api.AcknowledgementsMakeBody, options?: CallOptions) {
    return this.#to.call('POST /v1/acknowledgements', { body }, options)
  }

  /** Acknowledgements, newest first. */
  async acknowledgements(query: Api.AcknowledgementsListQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/acknowledgements', { query }, options)).acknowledgements
  }

  /** Compares two releases of one agent over a window. Writes nothing. */
  diff(body: Api.DiffBody, options?: CallOptions) {
    return this.#to.call('POST /v1/diff', { body }, options)
  }

  diffGroups(body: Api.DiffByGroupBody, options?: CallOptions) {
    return this.#to.call('POST /v1/diff/groups', { body }, options)
  }

  /** What a comparison lacks for HIGH confidence. */
  confidence(query: Api.ConfidenceQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/confidence', { query }, options)
  }

  /** What a promotion would come to now; see `policy.passed`. Writes nothing. */
  mayPromote(body: Omit<Api.PromoteReleaseBody, 'dry_run'>, options?: CallOptions) {
    return this.promote({ ...body, dry_run: true }, options)
  }

  /** Moves the pointer if the policy passes. Throws ApiError 409 with the outcome where it blocks. */
  promote(body: Api.PromoteReleaseBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote', { body }, options)
  }

  /** Like `promote`, back to a release; something must be promoted already. */
  rollback(body: Api.RollbackReleaseBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollback', { body }, options)
  }

  /** Requests a promotion that somebody confirms, where the workspace demands approvals. */
  requestPromotion(body: Api.PromoteRequestBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote/request', { body }, options)
  }

  /** Evaluates a request again and carries it out (trail.approve: of several). Throws ApiError 409 where the policy blocks. */
  confirmPromotion(body: Api.PromoteConfirmBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote/confirm', { body }, options) as Promise<Api.Outcome>
  }

  cancelPromotion(body: Api.PromoteCancelBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote/cancel', { body }, options)
  }

  async promotionRequests(query: Api.PromotionRequestsQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/promotion-requests', { query }, options)).requests
  }

  /** Whether a release may pass now; see `verdict`. Writes nothing. */
  gate(agent_id: string, environment: string, query: Api.GateQuery, options?: CallOptions) {
    const path = { agent_id, environment }
    return this.#to.call('GET /v1/gate/{agent_id}/{environment}', { path, query }, options)
  }

  /** The same as Markdown. */
  gateReport(agent_id: string, environment: string, query: Api.GateReportQuery, options?: CallOptions) {
    const path = { agent_id, environment }
    return this.#to.text('GET /v1/gate/{agent_id}/{environment}/report', { path, query }, options)
  }

  /** What is promoted. Undefined where it is the release that `options.ifNoneMatch` names. Throws ApiError 404 where nothing is. */
  async pointer(agent_id: string, environment: string, options?: CallOptions) {
    const path = { agent_id, environment }
    const answer = await this.#to.send('GET /v1/pointers/{agent_id}/{environment}', { path }, options)
    return answer.status === 304 ? undefined : parseAnswer<Api.Pointer>(this.baseUrl, answer)
  }

  /** The promoted release of each agent and environment. */
  async promoted(options?: CallOptions): Promise<Api.Promoted['promoted']> {
    return (await this.#to.call('GET /v1/promoted', {}, options)).promoted
  }

  /** The state of each agent in each environment. */
  async board(options?: CallOptions): Promise<Api.Board['board']> {
    return (await this.#to.call('GET /v1/board', {}, options)).board
  }

  /** A page of the audit trail, newest first. */
  listActions(query: Api.ActionsListQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/actions', { query }, options)
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
  action(action_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/actions/{action_id}', { path: { action_id } }, options)
  }

  /** An action, by its id or audit_seq, decided again from its evidence alone, limit by limit. */
  explainAction(action_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/actions/{action_id}/explain', { path: { action_id } }, options)
  }

  /** The same by another policy. */
  explainActionAgainst(action_id: string, body: Api.AuditExplainAgainstBody, options?: CallOptions) {
    return this.#to.call('POST /v1/actions/{action_id}/explain', { path: { action_id }, body }, options)
  }

  /** The policy, or the default. */
  policy(options?: CallOptions) {
    return this.#to.call('GET /v1/policy', {}, options)
  }

  /** Puts a policy in force. */
  setPolicy(body: Api.Policy, options?: CallOptions, query: Api.PolicySetQuery = {}) {
    return this.#to.call('PUT /v1/policy', { body, query }, options)
  }

  /** What a policy would have decided on past actions. Writes nothing. */
  testPolicy(body: Api.PolicyTestBody, options?: CallOptions) {
    return this.#to.call('POST /v1/policy/test', { body }, options)
  }

  policyAdvice(query: Api.AdvisePolicyQuery, options?: CallOptions) {
    return this.#to.call('GET /v1/policy/advice', { query }, options)
  }

  /** What holds for an agent in an environment. */
  resolvedPolicy(query: Api.PolicyResolvedQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/policy/resolved', { query }, options)
  }

  async prices(options?: CallOptions): Promise<Api.PricingList['pricing']> {
    return (await this.#to.call('GET /v1/pricing', {}, options)).pricing
  }

  importPrices(body: Api.PricingImportBody, options?: CallOptions) {
    return this.#to.call('POST /v1/pricing', { body }, options)
  }

  priceTable(provider: string, pricing_version: string, options?: CallOptions) {
    const path = { provider, pricing_version }
    return this.#to.call('GET /v1/pricing/{provider}/{pricing_version}', { path }, options)
  }

  /** Imports sums of runs that an engine made: a header and aggregates, a JSON object a line. */
  importAggregates(lines: string, query: Api.AggregatesImportQuery = {}, options?: CallOptions) {
    return this.#to.call('POST /v1/aggregates', { query, bodyText: lines }, options)
  }

  /** List the sources of aggregates. */
  aggregateSources(options?: CallOptions) {
    return this.#to.call('GET /v1/aggregates/sources', {}, options)
  }

  /** Live releases whose models a provider retires soon; with `all` every model whose end is known, too. */
  retirements(query: Api.RetirementsListQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/retirements', { query }, options)
  }

  /** Says by hand when a provider retires a model; null takes that back. */
  setRetirement(body: Api.RetirementsSetBody, options?: CallOptions) {
    return this.#to.call('POST /v1/retirements', { body }, options)
  }

  /** Watches what is live of an agent: compares it with the release before, minute by minute. */
  startWatch(body: Api.WatchesStartBody, options?: CallOptions) {
    return this.#to.call('POST /v1/watches', { body }, options)
  }

  /** Watches, newest first. */
  async watches(query: Api.WatchesListQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/watches', { query }, options)).watches
  }

  /** One watch with its last looks. */
  watch(watch_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/watches/{watch_id}', { path: { watch_id } }, options)
  }

  cancelWatch(watch_id: string, body: Api.WatchesCancelBody, options?: CallOptions) {
    return this.#to.call('POST /v1/watches/{watch_id}/cancel', { path: { watch_id }, body }, options)
  }

  /** Rolls a release out step by step. Throws ApiError 409 with the reasons where it may not begin. */
  startRollout(body: Api.RolloutsStartBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts', { body }, options)
  }

  /** Requests a rollout that somebody confirms, where the workspace demands approvals. */
  requestRollout(body: Api.RolloutsRequestBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/request', { body }, options)
  }

  /** Confirms a requested rollout: it begins, or the request waits for further confirmations. */
  confirmRollout(body: Api.RolloutsConfirmBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/confirm', { body }, options)
  }

  /** Rejects a requested rollout. */
  rejectRollout(body: Api.RolloutsRejectBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/reject', { body }, options)
  }

  /** Requests for rollouts, newest first. */
  async rolloutRequests(query: Api.RolloutRequestsQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/rollout-requests', { query }, options)).requests
  }

  /** Rollouts, newest first. */
  async rollouts(query: Api.RolloutsListQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/rollouts', { query }, options)).rollouts
  }

  /** One rollout with its last look. */
  rollout(rollout_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/rollouts/{rollout_id}', { path: { rollout_id } }, options)
  }

  /** Keeps a rollout at its step until it is resumed. */
  pauseRollout(rollout_id: string, body: Api.RolloutsPauseBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/{rollout_id}/pause', { path: { rollout_id }, body }, options)
  }

  resumeRollout(rollout_id: string, body: Api.RolloutsResumeBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/{rollout_id}/resume', { path: { rollout_id }, body }, options)
  }

  /** Ends a rollout: all units get the baseline again. */
  abortRollout(rollout_id: string, body: Api.RolloutsAbortBody, options?: CallOptions) {
    return this.#to.call('POST /v1/rollouts/{rollout_id}/abort', { path: { rollout_id }, body }, options)
  }

  /** Subscribes a URL to events. The answer holds the secret of its signatures, which is shown only this once. */
  createWebhook(body: Api.WebhooksAddBody, options?: CallOptions) {
    return this.#to.call('POST /v1/webhooks', { body }, options)
  }

  async webhooks(options?: CallOptions) {
    return (await this.#to.call('GET /v1/webhooks', {}, options)).webhooks
  }

  /** Changes what is named of a webhook; the rest stays as it is. */
  updateWebhook(webhook_id: string, body: Api.WebhooksUpdateBody, options?: CallOptions) {
    return this.#to.call('PATCH /v1/webhooks/{webhook_id}', { path: { webhook_id }, body }, options)
  }

  /** Gives a webhook a new secret, shown only this once; the one before signs too for a while. */
  rotateWebhook(webhook_id: string, body: Api.WebhooksRotateBody = {}, options?: CallOptions) {
    return this.#to.call('POST /v1/webhooks/{webhook_id}/rotate', { path: { webhook_id }, body }, options)
  }

  /** Removes a webhook and its deliveries. */
  deleteWebhook(webhook_id: string, options?: CallOptions) {
    return this.#to.call('DELETE /v1/webhooks/{webhook_id}', { path: { webhook_id } }, options)
  }

  /** Sends a test.ping and waits for the receiver, which has 5 s; the call has 10 s unless it says otherwise. */
  testWebhook(webhook_id: string, options?: CallOptions) {
    const path = { webhook_id }
    return this.#to.call('POST /v1/webhooks/{webhook_id}/test', { path }, { timeoutMs: 10_000, ...options })
  }

  /** Deliveries of one webhook, newest first. */
  async webhookDeliveries(
    webhook_id: string,
    query: Api.WebhooksDeliveriesQuery = {},
    options?: CallOptions,
  ) {
    const call = { path: { webhook_id }, query }
    return (await this.#to.call('GET /v1/webhooks/{webhook_id}/deliveries', call, options)).deliveries
  }

  /** Deliveries of all webhooks, newest first. */
  async deliveries(query: Api.DeliveriesListQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/webhook-deliveries', { query }, options)).deliveries
  }

  /** Sends a delivery again, with the same delivery_id and body. */
  replayDelivery(delivery_id: string, options?: CallOptions) {
    return this.#to.call(
      'POST /v1/webhook-deliveries/{delivery_id}/replay',
      { path: { delivery_id } },
      options,
    )
  }

  /** Named credentials, oldest first, also those that are over. */
  async tokens(options?: CallOptions) {
    return (await this.#to.call('GET /v1/tokens', {}, options)).tokens
  }

  /** Makes a named credential. The answer holds the token, which is shown only this once. */
  createToken(body: Api.TokensCreateBody, options?: CallOptions) {
    return this.#to.call('POST /v1/tokens', { body }, options)
  }

  /** Replaces a named credential; the one before it stays good for `overlap`. */
  rotateToken(name: string, body: Api.TokensRotateBody = {}, options?: CallOptions) {
    return this.#to.call('POST /v1/tokens/{name}/rotate', { path: { name }, body }, options)
  }

  revokeToken(name: string, options?: CallOptions) {
    return this.#to.call('DELETE /v1/tokens/{name}', { path: { name } }, options)
  }

  /** Who calls, and the ways to sign in. */
  session(options?: CallOptions) {
    return this.#to.call('GET /v1/session', {}, options)
  }

  /** Signs in with an ID token. The answer holds the token of the session, which is shown only this once. */
  openSession(body: Api.SessionOpenBody, options?: CallOptions) {
    return this.#to.call('POST /v1/sessions', { body }, options)
  }

  /** Ends the session whose token this client sends. */
  endSession(options?: CallOptions) {
    return this.#to.call('DELETE /v1/session', {}, options)
  }

  /** Sessions of people, newest first, also those that have ended. */
  async sessions(query: Api.SessionListQuery = {}, options?: CallOptions) {
    return (await this.#to.call('GET /v1/sessions', { query }, options)).sessions
  }

  /** Ends the session of somebody. */
  revokeSession(session_id: string, options?: CallOptions) {
    return this.#to.call('DELETE /v1/sessions/{session_id}', { path: { session_id } }, options)
  }

  health(options?: CallOptions) {
    return this.#to.call('GET /health', {}, options)
  }

  /** Resolves when the ledger answers; throws ApiError 503 otherwise. */
  ready(options?: CallOptions) {
    return this.#to.call('GET /ready', {}, options)
  }

  workspace(options?: CallOptions) {
    return this.#to.call('GET /v1/workspace', {}, options)
  }

  /** Read-only checks of the ledger; see `ok`. */
  doctor(query: Api.DoctorQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/doctor', { query }, options)
  }

  metrics(options?: CallOptions) {
    return this.#to.call('GET /v1/metrics', {}, options)
  }

  metricsText(options?: CallOptions) {
    return this.#to.text('GET /metrics', {}, options)
  }

  openApi(options?: CallOptions) {
    return this.#to.call('GET /openapi.json', {}, options)
  }

  /** The page that documents the API, as HTML. */
  docs(options?: CallOptions) {
    return this.#to.text('GET /docs', {}, options)
  }
}

/** What was changed, by whom and why: the audit log and the histories, in pages, newest first; and approvals. */
class Trail {
  readonly #to: Transport

  constructor(transport: Transport) {
    this.#to = transport
  }

  /** Decisions, policies, price tables and all else that governs, as one chain. */
  log(query: Api.AuditLogQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/audit', { query }, options)
  }

  /** An action as an in-toto statement, signed where the server has a key. */
  attestation(action_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/actions/{action_id}/attestation', { path: { action_id } }, options)
  }

  /** The whole audit log by one hash, to be kept elsewhere. */
  checkpoint(options?: CallOptions) {
    return this.#to.call('GET /v1/audit/checkpoint', {}, options)
  }

  /** The proof that the log only grew since a checkpoint of `from` entries. */
  consistency(from: number, options?: CallOptions) {
    return this.#to.call('GET /v1/audit/consistency', { query: { from } }, options)
  }

  /** One action with the proof that it is in the log. */
  proof(action_id: string, options?: CallOptions) {
    return this.#to.call('GET /v1/actions/{action_id}/proof', { path: { action_id } }, options)
  }

  /** Notes in the audit log that somebody has looked at a forced action afterwards. */
  reviewAction(action_id: string, body: Api.ActionsReviewBody, options?: CallOptions) {
    return this.#to.call('POST /v1/actions/{action_id}/review', { path: { action_id }, body }, options)
  }

  /** Confirms a promotion that takes several: a request that waits for further ones, or the outcome of the last. */
  approve(body: Api.PromoteConfirmBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote/confirm', { body }, options)
  }

  /** Says no to a requested promotion. */
  reject(body: Api.PromoteRejectBody, options?: CallOptions) {
    return this.#to.call('POST /v1/promote/reject', { body }, options)
  }
}
