import type { CallOptions } from '../../../support/services/call.ts'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { eventOf, releaseOf } from '../../../support/services/builders.ts'

/** A request that may be good, but mostly is not. */
export interface BadRequest {
  readonly route: `${string} /${string}`
  readonly options: CallOptions
}

/** A stream has no end to wait for. */
const ROUTES = (Object.keys(routes) as RouteName[]).filter(route => route !== 'GET /v1/stream')

/** Values that programs have stumbled over. */
export const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  "'; DROP TABLE actions; --",
  '%s%n${7*7}{{7*7}}',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  'x'.repeat(5000),
  '🦄'.repeat(300),
  [],
  [[[[[[]]]]]],
  {},
  { __proto__: null },
  { constructor: { prototype: { polluted: true } } },
  '2026-13-45T99:99:99Z',
  '99999999999999d',
  '1e999',
]

/** Bodies that are not even JSON, or not quite. */
const RAW: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"__proto__":{"polluted":true}}',
  '{"events":[{"__proto__":{"api_version":"v1"}}]}',
  '{"a":1e999}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '{"reason":"\\u0000"}',
  '{"reason":"\\ud800"}',
  '\u{feff}{}',
  '{"a":1,"a":2}',
]

/** One request, drawn from the seed: route, path, query, headers and body each good, mutated, or nonsense. */
export function drawRequest(random: () => number): BadRequest {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const route = pick(ROUTES)
  const [method, template] = route.split(' ') as [string, string]
  const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(textOf(pick(HOSTILE))).slice(0, 300))
  const wild =
    random() < 0.05
      ? pick(['/v1/%', '/v1/%zz', '//v1/releases', '/v1/../v1/releases', '/v1/runs/../..'])
      : path
  const verb = random() < 0.05 ? pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) : method
  const hasBody = verb !== 'GET' && random() < 0.95
  return {
    route: `${verb} ${wild}` as BadRequest['route'],
    options: {
      query: random() < 0.5 ? drawQuery(random, pick) : {},
      headers: drawHeaders(random, pick),
      ...(hasBody ? { body: drawBody(random, pick, route) } : {}),
    },
  }
}

type Pick = <T>(items: readonly T[]) => T

function drawQuery(random: () => number, pick: Pick): Record<string, string> {
  const names = [
    'limit',
    'offset',
    'window',
    'release_id',
    'status',
    'after',
    'env',
    'agent',
    'tenant_id',
    'deep',
    '__proto__',
  ]
  return Object.fromEntries(
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => [
      pick(names),
      textOf(pick(HOSTILE)).slice(0, 500),
    ]),
  )
}

function drawHeaders(random: () => number, pick: Pick): Record<string, string> {
  const headers: Record<string, string> = {}
  if (random() < 0.1)
    headers['content-type'] = pick(['text/plain', 'application/xml', 'application/json;charset=latin1', ''])
  if (random() < 0.1)
    headers['x-service-actor'] = pick(['', ' ', 'ann', 'x'.repeat(3000), '☃'.normalize()].map(latin1))
  if (random() < 0.1) headers['idempotency-key'] = pick(['', 'k', 'k'.repeat(300)])
  if (random() < 0.05)
    headers.authorization = pick(['Bearer', 'Bearer x', 'Basic eDp5', 'Bearer '.repeat(100)])
  return headers
}

/** A header takes bytes, not Unicode. */
function latin1(text: string): string {
  return text.replaceAll(/[^\u0020-\u00ff]/g, '?')
}

/** A good body with some of its values replaced, one of the raw ones, or anything at all. */
function drawBody(random: () => number, pick: Pick, route: RouteName): unknown {
  if (random() < 0.2) return pick(RAW)
  if (random() < 0.1) return pick(HOSTILE)
  return mutate(goodBody(route), random, pick)
}

function goodBody(route: RouteName): unknown {
  const proposal = {
    release_id: 'rel_no',
    environment: 'local',
    window: '1h',
    reason: 'r',
    actor: 'a',
    dry_run: true,
  }
  const bodies: Partial<Record<RouteName, unknown>> = {
    'POST /v1/events': {
      events: [eventOf({ release_id: 'rel_no', run_id: 'r', request: { trace_id: 't' } })],
    },
    'POST /v1/releases': { artifact: releaseOf(), checksum: 'a'.repeat(64), environment: 'local' },
    'POST /v1/pricing': {
      table: { provider: 'p', pricing_version: 'v', entries: [{ model: 'm' }] },
      replace: false,
    },
    'PUT /v1/policy': { policy_id: 'p', max_error_rate: 0.5, min_low_runs: 3 },
    'POST /v1/diff/groups': {
      baseline_release_id: 'a',
      candidate_release_id: 'b',
      window: '1h',
      by: 'tenant',
      metric: 'latency_ms',
    },
    'POST /v1/diff': { baseline_release_id: 'a', candidate_release_id: 'b', window: '1h', tenant_id: 't' },
    'POST /v1/promote/confirm': { request_id: 'prq_no', approval_reason: 'r' },
    'POST /v1/promote/cancel': { request_id: 'prq_no', reason: 'r' },
    'POST /v1/webhooks': { url: 'https://a.example', events: ['promote.succeeded'], description: 'd' },
    'POST /v1/rollups/rebuild': {},
  }
  return bodies[route] ?? proposal
}

/** Replaces values at random, at least one of them, so that the result is seldom good. */
function mutate(value: unknown, random: () => number, pick: Pick): unknown {
  const paths = pathsOf(value)
  let result = value
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    result = replaceAt(result, pick(paths), random() < 0.2 ? undefined : pick(HOSTILE))
  }
  return result
}

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  return [[...path], ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))]
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value }
  Reflect.set(copy, key, replaceAt(Reflect.get(value, key), rest, replacement))
  return copy
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[\ud800-\udfff]/g, '') : (JSON.stringify(value) ?? '')
}
