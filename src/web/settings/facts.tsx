import type { Policy } from '../../models/documents/policy.ts'
import { Facts } from '../ui/table.tsx'
import { FURTHER_FIELDS, MAIN_FIELDS, fieldOf, wordsOf } from './fields.ts'

/** A policy in words; its overrides are elsewhere. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const { policy_id, overrides: _, ...others } = policy
  const further = FURTHER_FIELDS.filter(({ key }) => policy[key] != null)
  return (
    <Facts
      facts={{
        Policy: policy_id,
        ...Object.fromEntries(
          [...MAIN_FIELDS.filter(({ key, off }) => policy[key] != null || off === undefined), ...further].map(
            field => [field.label, wordsOf(field, policy[field.key])] as const,
          ),
        ),
        ...Object.fromEntries(
          Object.entries(others).flatMap(([key, value]) =>
            value == null || fieldOf(key) !== undefined ? [] : [[key, JSON.stringify(value)]],
          ),
        ),
      }}
    />
  )
}
