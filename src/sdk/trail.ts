import type { CallOptions, Transport } from './transport.ts'
import type * as Api from './types.ts'

/** What was changed, by whom and why: the audit log and the histories, in pages, newest first; and approvals. */
export class Trail {
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

  /** Every policy that was set, with what it changed. */
  policies(query: Api.PolicyHistoryListQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/policy/history', { query }, options)
  }

  /** What differs between two policies, named ID@SEQ. */
  policyDiff(query: Api.PolicyDiffShowQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/policy/diff', { query }, options)
  }

  /** Every import of price tables, with what it changed. */
  prices(query: Api.PricingHistoryQuery = {}, options?: CallOptions) {
    return this.#to.call('GET /v1/pricing/history', { query }, options)
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
