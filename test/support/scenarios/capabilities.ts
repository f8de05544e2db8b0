import type { RouteName } from '../../../handlers/index.ts'

const SEARCH = { name: 'search_orders', effects: ['reads'], scopes: ['orders.read'] }
const MAIL = { name: 'send_mail', effects: ['sends'], scopes: ['mail.send'] }

/** Capabilities of releases by version, for the story of every endpoint. */
export const CAPABILITY_SETS: Readonly<Record<string, object>> = {
  '1.1.0': { tools: [SEARCH] },
  '1.2.0': { tools: [SEARCH, MAIL] },
}

/** Capabilities of a release that the live one lacks, and when models end. */
export function powerSteps(wider: string): readonly {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
}[] {
  const acknowledged = { release_id: wider, environment: 'prod', reason: 'mail is reviewed', actor: 'ann' }
  const ends = { provider: 'openai', model: 'gpt-4.1-mini', actor: 'ann' }
  return [
    { route: 'GET /v1/releases/{release_id}/capabilities', path: { release_id: wider } },
    { route: 'GET /v1/releases/{release_id}/capabilities', path: { release_id: 'rel_unknown' } },
    { route: 'POST /v1/acknowledgements', body: acknowledged },
    { route: 'POST /v1/acknowledgements', body: { ...acknowledged, reason: ' ' } },
    { route: 'GET /v1/acknowledgements', query: { env: 'prod' } },
    {
      route: 'POST /v1/retirements',
      body: { ...ends, retires_on: '2026-04-01', reason: 'their deprecations page' },
    },
    { route: 'POST /v1/retirements', body: { ...ends, retires_on: '2026-04-01', reason: ' ' } },
    { route: 'GET /v1/retirements', query: { days: 90 } },
  ]
}
