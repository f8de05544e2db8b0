import type { PolicyTest } from '../../../models/answers/explanation.ts'
import type { PolicyDiff, PolicyHistory } from '../../../models/answers/history.ts'
import type { ResolvedPolicy } from '../../../models/answers/resolved_policy.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import { type Known, get, useRead } from '../../query.ts'

/** How many decisions a draft is tried on. */
const TRIED = 20

export const usePolicyHistory = (after: string): Known<PolicyHistory> =>
  useRead(get('v1/policy/history', { limit: 20, after }), 60_000)

/** A policy of the history as links and commands name it. */
export const nameOfPolicy = ({ policy_id, seq }: { policy_id: string; seq: number }): string =>
  `${policy_id}@${seq}`

/** Two policies of the history, by their names. */
export const usePolicyDiff = (from: string, to: string): Known<PolicyDiff> =>
  useRead(get('v1/policy/diff', { from, to }), Number.POSITIVE_INFINITY)

export const useResolvedPolicy = (agent_id: string, environment: string): Known<ResolvedPolicy> =>
  useRead(environment === '' ? null : get('v1/policy/resolved', { agent_id, environment }), 60_000)

/** What a policy would have decided on the newest actions. */
export const usePolicyTest = (policy: Policy): Known<PolicyTest> =>
  useRead({ method: 'POST', path: 'v1/policy/test', body: { policy, last: TRIED } }, Number.POSITIVE_INFINITY)
