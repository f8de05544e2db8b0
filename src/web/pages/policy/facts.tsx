import type { Policy } from '../../../models/documents/policy.ts'
import { Facts } from '../../components/table.tsx'
import { Words } from '../../components/text.tsx'
import { FURTHER_FIELDS, MAIN_FIELDS, wordsOf } from './fields.ts'

/** A policy in words; its overrides stand elsewhere. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const further = FURTHER_FIELDS.filter(({ key }) => policy[key] != null)
  return (
    <Facts
      facts={[
        ['Policy', <Words key="id">{policy.policy_id}</Words>],
        ...[...MAIN_FIELDS, ...further].map(
          field => [field.label, <Words key={field.key}>{wordsOf(field, policy[field.key])}</Words>] as const,
        ),
      ]}
    />
  )
}
