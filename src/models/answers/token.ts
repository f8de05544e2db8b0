import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { ROLES } from '../names.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'

const RoleName = type.enumerated(...ROLES)
export type Role = typeof RoleName.infer

/** A named credential as it is listed. */
export const TokenRecord = type({
  token_id: Identifier,
  name: Identifier,
  role: RoleName,
  agents: type('string[] | null'),
  environments: type('string[] | null'),
  'source?': 'string',
  state: "'live' | 'expired' | 'revoked'",
  created_at: Timestamp,
  created_by: 'string',
  expires_at: Timestamp.or('null'),
  revoked_at: Timestamp.or('null'),
  revoked_by: 'string | null',
  last_used_at: Timestamp.or('null'),
})
export type TokenRecord = typeof TokenRecord.infer

const TOKEN_FIELDS = {
  token_id: 'Identifier of the token; its 12 digits begin the token.',
  name: 'The name that is put on record for what is done with it.',
  role: 'What it is good for.',
  agents: 'The agents that it is good for; null for all.',
  environments: 'The environments that it is good for; null for all.',
  source: 'The source whose aggregates it may send, and nothing else; left out of other tokens.',
  state: 'Whether it still opens anything.',
  created_at: 'When it was made.',
  created_by: 'Who made it.',
  expires_at: 'When it ends; null where it does not.',
  revoked_at: 'When it was revoked.',
  revoked_by: 'Who revoked it.',
  last_used_at: 'When it was last used, to a minute or so.',
} as const

/** POST /v1/tokens and POST /v1/tokens/{name}/rotate */
export const CreatedToken = TokenRecord.and({ token: 'string' })
export type CreatedToken = typeof CreatedToken.infer

export const createdToken = documented(CreatedToken, {
  title: 'CreatedToken',
  description: 'A new token, which is shown only this once.',
  fields: { ...TOKEN_FIELDS, token: 'What is sent as `Authorization: Bearer`.' },
})

/** GET /v1/tokens */
export const TokenList = type({ tokens: TokenRecord.array() })

export const tokenList = documented(TokenList, {
  title: 'TokenList',
  description: 'Named credentials, oldest first, also those that are over.',
  fields: { tokens: 'The tokens.', ...under('tokens[].', TOKEN_FIELDS) },
})

/** DELETE /v1/tokens/{name} */
export const RevokedToken = type({ name: Identifier, revoked: Count })
export type RevokedToken = typeof RevokedToken.infer

export const revokedToken = documented(RevokedToken, {
  title: 'RevokedToken',
  description: 'The tokens of the name open nothing any more.',
  fields: { name: 'The name.', revoked: 'How many were revoked: two where one was just rotated.' },
})
