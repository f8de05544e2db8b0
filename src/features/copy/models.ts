import { object } from '../../models/model.ts'

export const Copied = object('A copy of a ledger, and how it was verified.', {
  from: ['string', 'The ledger.'],
  to: ['string', 'The copy.'],
  checks: object('What was compared.', {
    name: ['string', 'Name of the check.'],
    ok: ['boolean', 'Whether it passed.'],
    detail: ['string', 'What was found.'],
  }).array(),
})
