import { type } from 'arktype'
import { ROLES } from '../names.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

const RoleName = type.enumerated(...ROLES)
export type Role = typeof RoleName.infer

/** A named credential as it is listed. */
export const TokenRecord = object({
  token_id: [Identifier, 'Identifier of the token; its 12 digits begin the token.'],
  name: [Identifier, "The name that is put on record for the token's actions."],
  role: [RoleName, 'Its role.'],
  agents: [type('string[] | null'), 'Its agents; null for all.'],
  environments: [type('string[] | null'), 'Its environments; null for all.'],
  'source?': [
    'string',
    'The source whose aggregates it may send, and nothing else; left out for other tokens.',
  ],
  state: ["'live' | 'expired' | 'revoked'", 'Its state.'],
  created_at: [Timestamp, 'When it was made.'],
  created_by: ['string', 'Who made it.'],
  expires_at: [Timestamp.or('null'), 'When it ends; null if never.'],
  revoked_at: [Timestamp.or('null'), 'When it was revoked.'],
  revoked_by: ['string | null', 'Who revoked it.'],
  last_used_at: [Timestamp.or('null'), 'Its last use, to a minute or so.'],
})
export type TokenRecord = typeof TokenRecord.infer

/** POST /v1/tokens and POST /v1/tokens/{name}/rotate */
export const CreatedToken = object('A new token, which is shown only this once.', {
  '...': TokenRecord,
  token: ['string', 'What is sent as `Authorization: Bearer`.'],
})
export type CreatedToken = typeof CreatedToken.infer

/** GET /v1/tokens */
export const TokenList = object('Named credentials, oldest first, also ended ones.', {
  tokens: [TokenRecord.array(), 'The tokens.'],
})

/** DELETE /v1/tokens/{name} */
export const RevokedToken = object('All tokens of the name are revoked.', {
  name: [Identifier, 'The name.'],
  revoked: [Count, 'How many were revoked: two if one was just rotated.'],
})
export type RevokedToken = typeof RevokedToken.infer
