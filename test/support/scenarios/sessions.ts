import type { Peer } from '../../../src/http/access/access.ts'
import { LATEST } from './latest.ts'

const CLI: Peer = { kind: 'cli', actor: 'ann' }

/** In the place of an ID token of the provider, where people sign in. */
export const ID_TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1LTEifQ.c2lnbmF0dXJl'

/** The part of the story of the scenario of the API that is about people who sign in. */
export const SESSION_STEPS = [
  { route: 'GET /v1/session', to: 'people', peer: CLI },
  { route: 'POST /v1/sessions', to: 'people', body: { id_token: ID_TOKEN } },
  { route: 'POST /v1/sessions', to: 'people', body: { id_token: 'e30.e30.x' } },
  { route: 'GET /v1/sessions', to: 'people', peer: CLI, query: { limit: 10 } },
  { route: 'DELETE /v1/sessions/{session_id}', to: 'people', peer: CLI, path: { session_id: LATEST } },
  { route: 'DELETE /v1/sessions/{session_id}', to: 'people', peer: CLI, path: { session_id: 'ses_unknown' } },
  { route: 'DELETE /v1/session', to: 'people' },
  { route: 'GET /v1/sign-in/{provider}', to: 'people', path: { provider: 'sso' } },
  {
    route: 'GET /v1/sign-in/{provider}/callback',
    to: 'people',
    path: { provider: 'sso' },
    query: { code: 'c', state: 's' },
  },
] as const
