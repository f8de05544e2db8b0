import { type AnswerOf, type CallOf, type JsonRoute, type Route, factsOf } from './call.ts'
import { eventsOfPages, ingestInChunks } from './chunks.ts'
import { ClientError } from './errors.ts'
import { chunkSizeOf, sendEvents } from './event_client.ts'
import type { ClientOptions, Ingested } from './options.ts'
import { ScoreRecorder, type ScoreRecorderOptions } from './score_recorder.ts'
import { type CallOptions, Transport, parseAnswer } from './transport.ts'
import type * as Api from './types.ts'

/**
 * Calls a release governance service: any route by `call`, and what most programs need by a name. Each throws ApiError where
 * the service says no (a block by the policy too: 409), ClientError where there is no answer, and the signal's reason where
 * it is aborted.
 */
export class ServiceClient {
  readonly baseUrl: string
  readonly chunkSize: number
  readonly #to: Transport

  /** `baseUrl` is where the service is, such as `http://127.0.0.1:8765`. Throws ClientError for a bad option. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#to = new Transport(baseUrl, options, factsOf)
    this.baseUrl = this.#to.base
    this.chunkSize = chunkSizeOf(options)
  }

  /** Calls any route: `call('GET /v1/watches', { query: { state: 'watching' } })`. */
  call<R extends JsonRoute>(route: R, ...[call, options]: Arguments<R>): Promise<AnswerOf<R>> {
    return this.#to.call(route, (call ?? {}) as CallOf<R>, options)
  }

  /** The same for a route that answers a text: `text('GET /metrics')`. */
  text<R extends Route>(route: R, ...[call, options]: Arguments<R>): Promise<string> {
    return this.#to.text(route, (call ?? {}) as CallOf<R>, options)
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

  /** Compares two releases of one agent over a window. Writes nothing. */
  diff(body: Api.DiffBody, options?: CallOptions) {
    return this.#to.call('POST /v1/diff', { body }, options)
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

  /** Whether a release may pass now; see `verdict`. Writes nothing. */
  gate(agent_id: string, environment: string, query: Api.GateQuery, options?: CallOptions) {
    const path = { agent_id, environment }
    return this.#to.call('GET /v1/gate/{agent_id}/{environment}', { path, query }, options)
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

  /** Puts a policy in force. */
  setPolicy(body: Api.Policy, options?: CallOptions, query: Api.PolicySetQuery = {}) {
    return this.#to.call('PUT /v1/policy', { body, query }, options)
  }

  importPrices(body: Api.PricingImportBody, options?: CallOptions) {
    return this.#to.call('POST /v1/pricing', { body }, options)
  }

  health(options?: CallOptions) {
    return this.#to.call('GET /health', {}, options)
  }
}

/** What a call takes: nothing, where its route takes nothing or what it takes may be left out. */
type Arguments<R extends Route> =
  object extends CallOf<R>
    ? [call?: CallOf<R>, options?: CallOptions]
    : [call: CallOf<R>, options?: CallOptions]
