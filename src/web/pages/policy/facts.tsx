import type { Policy } from '../../../models/documents/policy.ts'
import { Facts } from '../../components/table.tsx'
import { FURTHER_FIELDS, MAIN_FIELDS, wordsOf } from './fields.ts'

/** A policy in words; its overrides are elsewhere. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const further = FURTHER_FIELDS.filter(({ key }) => policy[key] != null)
  return (
    <Facts
      facts={{
        Policy: policy.policy_id,
        ...Object.fromEntries(
          [...MAIN_FIELDS, ...further].map(
            field => [field.label, wordsOf(field, policy[field.key])] as const,
          ),
        ),
      }}
    />
  )
}
