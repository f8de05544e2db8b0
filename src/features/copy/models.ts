import { type } from 'arktype'
import { documented } from '../../models/docs.ts'

export const copied = documented(
  type({
    from: 'string',
    to: 'string',
    checks: type({ name: 'string', ok: 'boolean', detail: 'string' }).array(),
  }),
  {
    title: 'Copied',
    description: 'A copy of a ledger, and how it was verified.',
    fields: {
      from: 'The ledger.',
      to: 'The copy.',
      checks: 'What was compared.',
      'checks[].name': 'Name of the check.',
      'checks[].ok': 'Whether it passed.',
      'checks[].detail': 'What was found.',
    },
  },
)

export const MODELS = { Copied: copied } as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
