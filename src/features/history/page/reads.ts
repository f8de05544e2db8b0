import type { PolicyHistory, PriceHistory } from '../models.ts'
import { type Known, get, useRead } from '../../../web/query.ts'

export const usePolicyHistory = (after: string): Known<PolicyHistory> =>
  useRead(get('v1/policy/history', { limit: 20, after }), 60_000)

export const usePriceHistory = (): Known<PriceHistory> =>
  useRead(get('v1/pricing/history', { limit: 20 }), 60_000)

/** A policy of the history as links and commands name it. */
export const nameOfPolicy = ({ policy_id, seq }: { policy_id: string; seq: number }): string =>
  `${policy_id}@${seq}`
