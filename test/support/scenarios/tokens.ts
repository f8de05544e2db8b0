import type { Peer } from '../../../src/http/access/access.ts'

const CLI: Peer = { kind: 'cli', actor: 'ann' }

const CI_TOKEN = {
  name: 'ci-deploy',
  role: 'write',
  agents: ['support-bot'],
  environments: ['prod'],
  expires: '90d',
}

/** The part of the story of the scenario of the API that is about named credentials. */
export const TOKEN_STEPS = [
  { route: 'POST /v1/tokens', body: CI_TOKEN, peer: CLI },
  { route: 'POST /v1/tokens', body: CI_TOKEN, peer: CLI },
  { route: 'POST /v1/tokens/{name}/rotate', path: { name: 'ci-deploy' }, body: { overlap: '1h' }, peer: CLI },
  { route: 'POST /v1/tokens/{name}/rotate', path: { name: 'unknown' }, body: {}, peer: CLI },
  { route: 'GET /v1/tokens', peer: CLI },
  { route: 'DELETE /v1/tokens/{name}', path: { name: 'ci-deploy' }, peer: CLI },
  { route: 'DELETE /v1/tokens/{name}', path: { name: 'ci-deploy' }, query: { open: 'true' }, peer: CLI },
  { route: 'DELETE /v1/tokens/{name}', path: { name: 'ci-deploy' }, peer: CLI },
] as const
