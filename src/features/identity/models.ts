import { type } from 'arktype'
import { Label, Prose, input, limitField } from '../../models/all/input.ts'
import { ACCESSES, ROLES } from '../../models/names.ts'
import { Count, Identifier, Timestamp, ofForm } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const RoleName = type.enumerated(...ROLES)

const Kind = type.enumerated('browser', 'cli')
export type SessionKind = typeof Kind.infer

const Because = type.enumerated('signed_out', 'revoked', 'replaced', 'idle', 'expired')
export type SessionEnd = typeof Because.infer

/** A session of a person who signed in, as it is listed. */
export const SessionRecord = object({
  session_id: [Identifier, 'Identifier of the session.'],
  kind: [Kind, 'Its client: the web UI in a browser, or `svc`.'],
  name: ['string', "The name that is put on record for the session's changes."],
  issuer: ['string', 'The identity provider that vouches for the person.'],
  subject: ['string', "The person's id there: `sub` of the ID token, unique within the issuer."],
  role: [RoleName, 'Its role.'],
  agents: [type('string[] | null'), 'Its agents; null for all.'],
  environments: [type('string[] | null'), 'Its environments; null for all.'],
  state: ["'open' | 'ended'", 'Its state.'],
  created_at: [Timestamp, 'When the person signed in.'],
  last_used_at: [Timestamp, 'Its last use, to a minute or so.'],
  idle_at: [Timestamp, 'When it ends unless it is used before.'],
  expires_at: [Timestamp, 'When it ends in any case.'],
  ended_at: [Timestamp.or('null'), 'When it ended; null while it is open.'],
  ended_because: [Because.or('null'), 'Why it ended; null while it is open.'],
  ended_by: ['string | null', 'Who ended it; null if no person did.'],
})
export type SessionRecord = typeof SessionRecord.infer

/** GET /v1/sessions */
export const SessionList = object('Sessions, newest first, also those that have ended.', {
  sessions: [SessionRecord.array(), 'The sessions.'],
})
export type SessionList = typeof SessionList.infer

/** POST /v1/sessions */
export const OpenedSession = object('A new session. Its token is shown only this once.', {
  '...': SessionRecord,
  token: ['string', 'What is sent as `Authorization: Bearer`.'],
})
export type OpenedSession = typeof OpenedSession.infer

/** DELETE /v1/session and DELETE /v1/sessions/{session_id} */
export const EndedSession = object('The session has ended.', {
  ended: [Count, 'How many sessions were ended: 0 if nobody was signed in.'],
  'provider_url?': ['string | null', 'The sign-out address of the identity provider; null if it has none.'],
})
export type EndedSession = typeof EndedSession.infer

const CallerFacts = object({
  name: ['string', 'The name of the credential, which is put on record unless it is shared.'],
  source: [
    "'token' | 'oidc' | 'shared' | 'cli' | 'nobody'",
    'The kind of credential; `shared` is a token of the environment, `nobody` needs none here.',
  ],
  allows: [type.enumerated(...ACCESSES).array(), 'Its permissions.'],
  agents: [type('string[] | null'), 'Its agents; null for all.'],
  environments: [type('string[] | null'), 'Its environments; null for all.'],
})

const WayIn = object({
  name: ['string', 'The name: GET /v1/sign-in/{name} begins the sign-in.'],
  issuer: ['string', 'The identity provider.'],
  scopes: ['string[]', 'Scopes in addition to openid.'],
  cli_client_id: ['string | null', 'The public client of `svc login`; null where there is none.'],
})

/** GET /v1/session */
export const WhoAmI = object('The caller, its permissions, and how people sign in here.', {
  caller: [CallerFacts.or('null'), 'The caller, as far as proven; null without a valid credential.'],
  session: [SessionRecord.or('null'), 'The session of a person who has signed in.'],
  problem: [
    'string | null',
    'Why the credential of the request is not valid; null if it is, or none was sent.',
  ],
  sign_in: [WayIn.array(), 'The ways to sign in; none if service.yaml sets no login.'],
  public_url: ['string | null', 'The address of the service.'],
})
export type WhoAmI = typeof WhoAmI.infer

const SignInName = ofForm(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name of a-z, 0-9 and -, at most 32 long')

export const PART_NAMES = {
  'SessionList.sessions': 'SessionRecord',
} as const

/** What the endpoints take. */
export const INPUTS = {
  SessionList: input({
    query: { ...limitField('sessions') },
  }),
  SessionOpen: input({
    body: {
      id_token: [Prose, 'The ID token.'],
      'access_token?': [Prose, 'The access token, if claims come from the userinfo endpoint.'],
      'nonce_secret?': [Prose, 'The secret behind the nonce.'],
    },
  }),
  SessionRevoke: input({
    path: { session_id: [Label, 'The session.'] },
  }),
  SignInBegin: input({
    path: { provider: [SignInName, 'Name of the way to sign in.'] },
    query: { 'to?': [Prose, 'The query of the page to return to, such as `?view=log`.'] },
  }),
  SignInFinish: input({
    path: { provider: [SignInName, 'Name of the way to sign in.'] },
    query: {
      'code?': [Prose, 'What the provider exchanges for an ID token.'],
      'state?': [Prose, 'The state that began the sign-in.'],
      'iss?': [Prose, 'The issuer that answers (RFC 9207).'],
      'error?': [Prose, "The provider's error."],
      'error_description?': [Prose, 'The same as a sentence.'],
    },
  }),
} as const
