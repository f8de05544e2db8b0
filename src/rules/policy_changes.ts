import type { Policy } from '../models/documents/policy.ts'

/** A field of a policy that another one has otherwise; null where a policy leaves it out. */
export interface PolicyChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** What differs between two policies, field by field, in the order of the fields. */
export function policyChanges(from: Policy, to: Policy): PolicyChange[] {
  const [before, after] = [from, to] as Readonly<Record<string, unknown>>[]
  const fields = [...new Set([...Object.keys(before!), ...Object.keys(after!)])]
  return fields
    .map(field => ({ field, from: before![field] ?? null, to: after![field] ?? null }))
    .filter(change => JSON.stringify(change.from) !== JSON.stringify(change.to))
}
