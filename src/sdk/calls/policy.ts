import type { CallOptions } from '../transport.ts'
import { TokenCalls } from './tokens.ts'
import type * as Api from '../types.ts'

/** The methods of the client that ask what policies say, said and would say. */
export class PolicyCalls extends TokenCalls {
  policyAdvice(query: Api.AdvisePolicyQuery, options?: CallOptions): Promise<Api.PolicyAdvice> {
    return this.json('GET /v1/policy/advice', { query }, options)
  }

  /** An action, by its id or audit_seq, decided again from its evidence alone, limit by limit. */
  explainAction(action_id: string, options?: CallOptions): Promise<Api.Explanation> {
    return this.json('GET /v1/actions/{action_id}/explain', { path: { action_id } }, options)
  }

  /** The same by another policy. */
  explainActionAgainst(
    action_id: string,
    body: Api.AuditExplainAgainstBody,
    options?: CallOptions,
  ): Promise<Api.Explanation> {
    return this.json('POST /v1/actions/{action_id}/explain', { path: { action_id }, body }, options)
  }

  /** What a policy would have decided on past actions. Writes nothing. */
  testPolicy(body: Api.PolicyTestBody, options?: CallOptions): Promise<Api.PolicyTest> {
    return this.json('POST /v1/policy/test', { body }, options)
  }

  /** What holds for an agent in an environment. */
  resolvedPolicy(query: Api.PolicyResolvedQuery = {}, options?: CallOptions): Promise<Api.ResolvedPolicy> {
    return this.json('GET /v1/policy/resolved', { query }, options)
  }
}
