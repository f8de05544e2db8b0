import { type } from 'arktype'
import { ROLES } from '../names.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

const RoleName = type.enumerated(...ROLES)
export type Role = typeof RoleName.infer

/** A named credential as it is listed. */
export const TokenRecord = object({
  token_id: [Identifier, 'Identifier of the token; its 12 digits begin the token.'],
  name: [Identifier, 'The name that is put on record for what is done with it.'],
  role: [RoleName, 'What it is good for.'],
  agents: [type('string[] | null'), 'The agents that it is good for; null for all.'],
  environments: [type('string[] | null'), 'The environments that it is good for; null for all.'],
  'source?': [
    'string',
    'The source whose aggregates it may send, and nothing else; left out of other tokens.',
  ],
  state: ["'live' | 'expired' | 'revoked'", 'Whether it still opens anything.'],
  created_at: [Timestamp, 'When it was made.'],
  created_by: ['string', 'Who made it.'],
  expires_at: [Timestamp.or('null'), 'When it ends; null where it does not.'],
  revoked_at: [Timestamp.or('null'), 'When it was revoked.'],
  revoked_by: ['string | null', 'Who revoked it.'],
  last_used_at: [Timestamp.or('null'), 'When it was last used, to a minute or so.'],
})
export type TokenRecord = typeof TokenRecord.infer

/** POST /v1/tokens and POST /v1/tokens/{name}/rotate */
export const CreatedToken = object('A new token, which is shown only this once.', {
  '...': TokenRecord,
  token: ['string', 'What is sent as `Authorization: Bearer`.'],
})
export type CreatedToken = typeof CreatedToken.infer

/** GET /v1/tokens */
export const TokenList = object('Named credentials, oldest first, also those that are over.', {
  tokens: [TokenRecord.array(), 'The tokens.'],
})

/** DELETE /v1/tokens/{name} */
export const RevokedToken = object('The tokens of the name open nothing any more.', {
  name: [Identifier, 'The name.'],
  revoked: [Count, 'How many were revoked: two where one was just rotated.'],
})
export type RevokedToken = typeof RevokedToken.infer
