import { type } from 'arktype'
import { documented } from '../../models/docs.ts'

export const applied = documented(
  type({
    applied: 'boolean',
    changes: type({
      kind: "'price table' | 'policy' | 'webhook' | 'token'",
      does: "'add' | 'change' | 'remove'",
      name: 'string',
      details: 'string[]',
      'secret?': 'string',
    }).array(),
  }),
  {
    title: 'Applied',
    description: 'What `svc apply` changed, or with --plan would change.',
    fields: {
      applied: 'Whether the changes were made; false with --plan.',
      changes: 'The changes, in their order; where one failed, those before it.',
      'changes[].kind': 'What is changed.',
      'changes[].does': 'Whether it is added, changed or removed.',
      'changes[].name':
        'Provider and version of a price table, the policy_id, the URL of a webhook or the name of a token.',
      'changes[].details': 'What is different, in words.',
      'changes[].secret': 'The secret of a new webhook or token, which is shown only this once.',
    },
  },
)

export const MODELS = {
  Applied: applied,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
