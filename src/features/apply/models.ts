import { object } from '../../models/model.ts'

export const Applied = object('What `svc apply` changed, or with --plan would change.', {
  applied: ['boolean', 'Whether the changes were made; false with --plan.'],
  changes: object('The changes, in their order; if one failed, those before it.', {
    kind: ["'price table' | 'policy' | 'webhook' | 'token'", 'What is changed.'],
    does: ["'add' | 'change' | 'remove'", 'Whether it is added, changed or removed.'],
    name: [
      'string',
      'Provider and version of a price table, the policy_id, the URL of a webhook or the name of a token.',
    ],
    details: ['string[]', 'The difference, in words.'],
    'secret?': ['string', 'The secret of a new webhook or token, which is shown only this once.'],
  }).array(),
})
