import { type } from 'arktype'
import { Label, Prose, input, limitField } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { ACCESSES, ROLES } from '../../models/names.ts'
import { Count, Identifier, Timestamp, ofForm } from '../../models/scalars.ts'

const RoleName = type.enumerated(...ROLES)

/** What a session is used by. */
const Kind = type.enumerated('browser', 'cli')
export type SessionKind = typeof Kind.infer

/** Why a session is over. */
const Because = type.enumerated('signed_out', 'revoked', 'replaced', 'idle', 'expired')
export type SessionEnd = typeof Because.infer

/** A session of a person who signed in, as it is listed. */
export const SessionRecord = type({
  session_id: Identifier,
  kind: Kind,
  name: 'string',
  issuer: 'string',
  subject: 'string',
  role: RoleName,
  agents: type('string[] | null'),
  environments: type('string[] | null'),
  state: "'open' | 'ended'",
  created_at: Timestamp,
  last_used_at: Timestamp,
  idle_at: Timestamp,
  expires_at: Timestamp,
  ended_at: Timestamp.or('null'),
  ended_because: Because.or('null'),
  ended_by: 'string | null',
})
export type SessionRecord = typeof SessionRecord.infer

const SESSION_FIELDS = {
  session_id: 'Identifier of the session.',
  kind: 'What it is used by: the web UI in a browser, or `svc`.',
  name: 'The name that is put on record for what is done in it.',
  issuer: 'The identity provider that vouches for the person.',
  subject: 'Who it is there: `sub` of the ID token, unique within the issuer.',
  role: 'What it is good for.',
  agents: 'The agents that it is good for; null for all.',
  environments: 'The environments that it is good for; null for all.',
  state: 'Whether it still opens anything.',
  created_at: 'When the person signed in.',
  last_used_at: 'When it was last used, to a minute or so.',
  idle_at: 'When it ends unless it is used before.',
  expires_at: 'When it ends however it is used.',
  ended_at: 'When it ended; null while it is open.',
  ended_because: 'Why it ended; null while it is open.',
  ended_by: 'Who ended it; null where nobody did.',
} as const

/** GET /v1/sessions */
export const SessionList = type({ sessions: SessionRecord.array() })
export type SessionList = typeof SessionList.infer

export const sessionList = documented(SessionList, {
  title: 'SessionList',
  description: 'Sessions, newest first, also those that have ended.',
  fields: { sessions: 'The sessions.', ...under('sessions[].', SESSION_FIELDS) },
})

/** POST /v1/sessions */
export const OpenedSession = SessionRecord.and({ token: 'string' })
export type OpenedSession = typeof OpenedSession.infer

export const openedSession = documented(OpenedSession, {
  title: 'OpenedSession',
  description: 'A new session. Its token is shown only this once.',
  fields: { ...SESSION_FIELDS, token: 'What is sent as `Authorization: Bearer`.' },
})

/** DELETE /v1/session and DELETE /v1/sessions/{session_id} */
export const EndedSession = type({ ended: Count, 'provider_url?': 'string | null' })
export type EndedSession = typeof EndedSession.infer

export const endedSession = documented(EndedSession, {
  title: 'EndedSession',
  description: 'The session opens nothing any more.',
  fields: {
    ended: 'How many sessions were ended: 0 where nobody was signed in.',
    provider_url:
      'Where the browser signs out at the identity provider too; null where that has no such place.',
  },
})

const CallerFacts = type({
  name: 'string',
  source: "'token' | 'oidc' | 'shared' | 'cli' | 'nobody'",
  allows: type.enumerated(...ACCESSES).array(),
  agents: type('string[] | null'),
  environments: type('string[] | null'),
})

const WayIn = type({
  name: 'string',
  issuer: 'string',
  scopes: 'string[]',
  cli_client_id: 'string | null',
})

/** GET /v1/session */
export const WhoAmI = type({
  caller: CallerFacts.or('null'),
  session: SessionRecord.or('null'),
  problem: 'string | null',
  sign_in: WayIn.array(),
  public_url: 'string | null',
})
export type WhoAmI = typeof WhoAmI.infer

export const whoAmI = documented(WhoAmI, {
  title: 'WhoAmI',
  description: 'Who calls, what that is good for, and how people sign in here.',
  fields: {
    caller: 'Who calls, as far as that is proven; null for a caller without a credential that counts.',
    'caller.name': 'The name of the credential, which is put on record unless it is shared.',
    'caller.source': 'What it is known by; `shared` is a token of the environment, `nobody` needs none here.',
    'caller.allows': 'What it may do.',
    'caller.agents': 'The agents that it is good for; null for all.',
    'caller.environments': 'The environments that it is good for; null for all.',
    session: 'The session of a person who has signed in.',
    ...under('session.', SESSION_FIELDS),
    problem: 'Why the credential that came does not count; null where it does, or none came.',
    sign_in: 'The ways to sign in; none where service.yaml sets no login.',
    'sign_in[].name': 'The name of the way: GET /v1/sign-in/{name} begins it.',
    'sign_in[].issuer': 'The identity provider.',
    'sign_in[].scopes': 'What is asked of it beside openid.',
    'sign_in[].cli_client_id': 'The public client of `svc login`; null where there is none.',
    public_url: 'Where the service says that it is.',
  },
})

export const MODELS = {
  EndedSession: endedSession,
  OpenedSession: openedSession,
  SessionList: sessionList,
  WhoAmI: whoAmI,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
    query: { 'to?': [Prose, 'The query of the page to come back to, such as `?view=diff`.'] },
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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
