import { type } from 'arktype'
import { Label, Prose, input, limitField } from '../../models/all/input.ts'
import { ACCESSES, ROLES } from '../../models/names.ts'
import { Count, Identifier, Timestamp, ofForm } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const RoleName = type.enumerated(...ROLES)

/** What a session is used by. */
const Kind = type.enumerated('browser', 'cli')
export type SessionKind = typeof Kind.infer

/** Why a session is over. */
const Because = type.enumerated('signed_out', 'revoked', 'replaced', 'idle', 'expired')
export type SessionEnd = typeof Because.infer

/** A session of a person who signed in, as it is listed. */
export const SessionRecord = object({
  session_id: [Identifier, 'Identifier of the session.'],
  kind: [Kind, 'What it is used by: the web UI in a browser, or `svc`.'],
  name: ['string', 'The name that is put on record for what is done in it.'],
  issuer: ['string', 'The identity provider that vouches for the person.'],
  subject: ['string', 'Who it is there: `sub` of the ID token, unique within the issuer.'],
  role: [RoleName, 'What it is good for.'],
  agents: [type('string[] | null'), 'The agents that it is good for; null for all.'],
  environments: [type('string[] | null'), 'The environments that it is good for; null for all.'],
  state: ["'open' | 'ended'", 'Whether it still opens anything.'],
  created_at: [Timestamp, 'When the person signed in.'],
  last_used_at: [Timestamp, 'When it was last used, to a minute or so.'],
  idle_at: [Timestamp, 'When it ends unless it is used before.'],
  expires_at: [Timestamp, 'When it ends however it is used.'],
  ended_at: [Timestamp.or('null'), 'When it ended; null while it is open.'],
  ended_because: [Because.or('null'), 'Why it ended; null while it is open.'],
  ended_by: ['string | null', 'Who ended it; null where nobody did.'],
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
export const EndedSession = object('The session opens nothing any more.', {
  ended: [Count, 'How many sessions were ended: 0 where nobody was signed in.'],
  'provider_url?': [
    'string | null',
    'Where the browser signs out at the identity provider too; null where that has no such place.',
  ],
})
export type EndedSession = typeof EndedSession.infer

const CallerFacts = object({
  name: ['string', 'The name of the credential, which is put on record unless it is shared.'],
  source: [
    "'token' | 'oidc' | 'shared' | 'cli' | 'nobody'",
    'What it is known by; `shared` is a token of the environment, `nobody` needs none here.',
  ],
  allows: [type.enumerated(...ACCESSES).array(), 'What it may do.'],
  agents: [type('string[] | null'), 'The agents that it is good for; null for all.'],
  environments: [type('string[] | null'), 'The environments that it is good for; null for all.'],
})

const WayIn = object({
  name: ['string', 'The name of the way: GET /v1/sign-in/{name} begins it.'],
  issuer: ['string', 'The identity provider.'],
  scopes: ['string[]', 'What is asked of it beside openid.'],
  cli_client_id: ['string | null', 'The public client of `svc login`; null where there is none.'],
})

/** GET /v1/session */
export const WhoAmI = object('The caller, its permissions, and how people sign in here.', {
  caller: [
    CallerFacts.or('null'),
    'Who calls, as far as that is proven; null for a caller without a credential that counts.',
  ],
  session: [SessionRecord.or('null'), 'The session of a person who has signed in.'],
  problem: [
    'string | null',
    'Why the credential that came does not count; null where it does, or none came.',
  ],
  sign_in: [WayIn.array(), 'The ways to sign in; none where service.yaml sets no login.'],
  public_url: ['string | null', 'Where the service says that it is.'],
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
      'access_token?': [Prose, 'The access token, where claims come from the userinfo endpoint.'],
      'nonce_secret?': [Prose, 'What the nonce was made of.'],
    },
  }),
  SessionRevoke: input({
    path: { session_id: [Label, 'The session.'] },
  }),
  SignInBegin: input({
    path: { provider: [SignInName, 'Name of the way to sign in.'] },
    query: { 'to?': [Prose, 'The query of the page to come back to, such as `?view=log`.'] },
  }),
  SignInFinish: input({
    path: { provider: [SignInName, 'Name of the way to sign in.'] },
    query: {
      'code?': [Prose, 'What the provider exchanges for an ID token.'],
      'state?': [Prose, 'What the sign-in was begun with.'],
      'iss?': [Prose, 'The issuer that answers (RFC 9207).'],
      'error?': [Prose, 'Why the provider let nobody in.'],
      'error_description?': [Prose, 'The same in words.'],
    },
  }),
} as const
