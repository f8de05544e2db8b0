import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import type { Endpoint } from '../../../../src/http/endpoint/endpoint.ts'
import { bodyOf } from '../../../../src/http/endpoint/bodies.ts'
import { namesIn, shapesOf } from '../../../../src/http/endpoint/read_input.ts'
import type { Plain } from '../../../../src/models/shape.ts'
import { visit } from '../../../support/access/visit.ts'
import { signInAt } from '../../../support/access/visitor.ts'
import { type Things, type Hooks, type World, worldOf } from '../../../support/access/world.ts'
import { type Granted, bearing, grant } from '../../../support/services/credentials.ts'
import type { Answer } from '../../../support/services/call.ts'
import { eventOf, releaseOf } from '../../../support/services/builders.ts'

/** What removes comes last. */
const ROUTES = (Object.keys(routes) as RouteName[]).sort((a, b) => lateness(a) - lateness(b))
function lateness(route: string): number {
  return route === 'DELETE /v1/session' ? 2 : Number(route.startsWith('DELETE'))
}
const PLACES = ['a', 'b'].flatMap(agent => ['prod', 'stage'].map(environment => ({ agent, environment })))

/** What each role opens (docs/access.md), said here a second time. */
const OPENS: Readonly<Record<Granted['role'], readonly string[]>> = {
  read: ['open', 'read'],
  ingest: ['open', 'ingest'],
  write: ['open', 'read', 'write'],
  admin: ['open', 'read', 'ingest', 'write', 'admin', 'aggregates'],
}

const SCOPES: Readonly<Record<string, Pick<Granted, 'agents' | 'environments'>>> = {
  everything: {},
  'agent a': { agents: ['a'] },
  prod: { environments: ['prod'] },
  'agent a in prod': { agents: ['a'], environments: ['prod'] },
}

/** Routes of one thing by its id, of which the world has none. */
const UNKNOWN = new Set<string>([
  'GET /v1/watches/{watch_id}',
  'GET /v1/rollouts/{rollout_id}',
  'DELETE /v1/sessions/{session_id}',
])

/** Routes that name nothing that somebody owns. A new one is for credentials without a scope until it is listed here. */
const SHARED = new Set<string>([
  'GET /health',
  'GET /ready',
  'GET /docs',
  'GET /openapi.json',
  'GET /v1/session',
  'DELETE /v1/session',
  'POST /v1/sessions',
  'GET /v1/sign-in/{provider}',
  'GET /v1/sign-in/{provider}/callback',
  'GET /v1/workspace',
  'GET /v1/stream',
  'GET /v1/policy',
  'GET /v1/policy/resolved',
  'GET /v1/pricing',
  'GET /v1/pricing/{provider}/{pricing_version}',
])
const LISTS = new Set<string>([
  'GET /v1/board',
  'GET /v1/promoted',
  'GET /v1/promotion-requests',
  'GET /v1/actions',
  'GET /v1/releases',
  'GET /v1/webhooks',
  'GET /v1/webhook-deliveries',
  'GET /v1/watches',
  'GET /v1/rollouts',
  'GET /v1/rollout-requests',
  'GET /v1/live',
  'GET /v1/runs/find',
  'GET /v1/acknowledgements',
  'GET /v1/aggregates/sources',
  'GET /v1/retirements',
])
/** Kept by the operation, item by item: their own tests say how. */
const CHECKED = new Set<string>([
  'GET /v1/sessions',
  'POST /v1/traces',
  'POST /v1/aggregates',
  'POST /v1/policy/test',
  'POST /v1/watches/{watch_id}/cancel',
  'POST /v1/rollouts/confirm',
  'POST /v1/rollouts/{rollout_id}/abort',
  'POST /v1/rollouts/{rollout_id}/pause',
  'POST /v1/rollouts/{rollout_id}/resume',
  'POST /v1/rollouts/reject',
  'POST /ofrep/v1/evaluate/flags',
  'POST /ofrep/v1/evaluate/flags/{key}',
])

const endpoints = new Map<RouteName, Endpoint>()
beforeAll(async () => {
  for (const route of ROUTES) endpoints.set(route, (await routes[route]()).default)
})

/** Closed, so that every route but the open ones asks for a token. */
function closedWorld(): Promise<World> {
  const { public_url, auth } = signInAt({ url: 'https://issuer.example' }) as {
    public_url: string
    auth: object
  }
  return worldOf(PLACES, { auth: { ...auth, mode: 'named' }, public_url, default_environment: 'prod' })
}

test.each(ROUTES)('%s says what it is about', route => {
  const { spec } = endpoints.get(route)!
  expect(spec.scope, `${route} declares no scope: see src/http/endpoint/scope.ts`).toBeDefined()
})

/** Who calls by what. */
const CALLERS: Readonly<
  Record<string, (service: World['service'], granted: Granted) => Promise<World['service']>>
> = {
  token: async (service, granted) => bearing(service, await grant(service, 'caller', granted)),
  session: async (service, granted) => (await visit(service, granted)).service,
}

const CREDENTIALS = (Object.keys(OPENS) as Granted['role'][]).flatMap(role =>
  Object.keys(SCOPES).flatMap(scope =>
    Object.keys(CALLERS)
      .filter(kind => process.env.PROVE === '1' || isTried(kind, role, scope))
      .map(kind => [kind, role, scope] as const),
  ),
)

/**
 * A session may do what a token of its role and scope may, so sessions are tried in the narrowest scope. What a scope hides
 * does not depend on the role, so only readers are tried in all scopes.
 */
function isTried(kind: string, role: string, scope: string): boolean {
  if (scope === 'agent a in prod') return true
  return kind === 'token' && (role === 'read' || scope === 'everything')
}

test.each(CREDENTIALS)(
  'a %s to %s, for %s, at every route, for things of every owner',
  async (kind, role, name) => {
    const world = await closedWorld()
    const scope = SCOPES[name]!
    const caller = await CALLERS[kind]!(world.service, { role, ...scope })
    const wrong: unknown[] = []
    for (const route of ROUTES) {
      const { spec } = endpoints.get(route)!
      const access = spec.closable === true ? 'read' : spec.access
      for (const things of ownersOf(route, world)) {
        const answer = await call(caller, route, things, world.hooks)
        const wanted = OPENS[role].includes(access) ? verdictFor(route, scope, things) : 'forbidden'
        const got = await verdictOf(answer, caller, route, things, world.hooks)
        if (got !== wanted)
          wrong.push([route, things?.agent, things?.environment, { wanted, got }, answer.text])
        if (LISTS.has(route) && answer.status === 200) expectOnlyOwn(answer, scope)
      }
    }
    expect(wrong).toEqual([])
  },
)

test('every route asks for a token, unless it is open', async () => {
  const world = await closedWorld()
  for (const route of ROUTES) {
    const { spec } = endpoints.get(route)!
    const { status } = await call(world.service, route, world.things[0], world.hooks)
    expect([route, status === 401]).toEqual([route, spec.access !== 'open' || spec.closable === true])
  }
})

test("a release of another agent that is asked for beside one's own is like none", async () => {
  const world = await closedWorld()
  const granted = { role: 'read', agents: ['a'] } as const
  const caller = bearing(world.service, await grant(world.service, 'caller', granted))
  const other = world.things.find(({ agent }) => agent === 'b')!.release
  for (const name of ['release_id', 'baseline_release_id']) {
    const ask = async (id: string): Promise<unknown> => {
      const query = { window: '1h', [name]: id }
      const { status, text } = await caller.call('GET /v1/gate/a/prod', { query })
      return [status, text.replaceAll(id, 'X')]
    }
    expect(await ask(other)).toEqual(await ask('rel_none'))
  }
})

type Verdict = 'admitted' | 'forbidden' | 'unknown'

/** Computed from what the route names, not from what it declares. */
function verdictFor(route: RouteName, scope: (typeof SCOPES)[string], things: Things | undefined): Verdict {
  const { agents, environments } = scope
  // There is none here: their own tests say who sees which.
  if (UNKNOWN.has(route)) return 'unknown'
  const isLimited = agents !== undefined || environments !== undefined
  if (!isLimited || SHARED.has(route) || LISTS.has(route) || CHECKED.has(route)) return 'admitted'
  if (/webhook_id|delivery_id/.test(route)) return 'unknown'
  if (things === undefined) return 'forbidden'
  const names = fieldsOf(route)
  const ownsAgent = agents === undefined || agents.includes(things.agent)
  const ownsPlace = environments === undefined || environments.includes(things.environment)
  if (names.has('action_id') || names.has('request_id'))
    return ownsAgent && ownsPlace ? 'admitted' : 'unknown'
  const namesPlace = names.has('environment') || route === 'POST /v1/events'
  if (namesPlace && !ownsPlace) return 'forbidden'
  // Scores decide wherever the release is promoted.
  if (['POST /v1/scores', 'POST /v1/scores/cases'].includes(route) && environments !== undefined)
    return 'forbidden'
  const namesAgent = names.has('agent_id') || names.has('artifact') || route === 'POST /v1/events'
  if (!ownsAgent) return namesAgent ? 'forbidden' : 'unknown'
  return 'admitted'
}

/** The things of each owner in turn, where a route names any. */
function ownersOf(route: RouteName, world: World): readonly (Things | undefined)[] {
  const names = fieldsOf(route)
  const owned = ['release_id', 'baseline_release_id', 'action_id', 'request_id', 'agent_id', 'artifact']
  return owned.some(name => names.has(name)) || route === 'POST /v1/events' ? world.things : [undefined]
}

function fieldsOf(route: RouteName): ReadonlySet<string> {
  const { path, query, body } = shapesOf(endpoints.get(route)!.spec)
  return new Set([path, query, body].flatMap(namesIn))
}

/** A request that is right but for what it may name. */
function call(
  caller: World['service'],
  route: RouteName,
  things: Things | undefined,
  hooks: Hooks,
): Promise<Answer> {
  const { spec } = endpoints.get(route)!
  const shapes = shapesOf(spec)
  const body = bodyOf(spec)
  const values: Record<string, unknown> = {
    ...valuesOf(things),
    webhook_id: hooks.webhook,
    delivery_id: hooks.delivery,
    ...(route === 'POST /v1/scores/cases' ? { cases: [{ id: 'a-case', passed: true }] } : {}),
  }
  const filled = route.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => (values[name] as string | undefined) ?? 'some',
  )
  const pick = (shape: Plain = {}): Record<string, unknown> =>
    Object.fromEntries(
      namesIn(shape)
        .filter(name => name in values && (name in (shape.required ?? {}) || name === 'environment'))
        .map(name => [name, values[name]]),
    )
  return caller.call(filled as RouteName, {
    query: pick(shapes.query) as Record<string, string>,
    ...(body === undefined
      ? {}
      : { body: body.kind === 'fields' ? pick(shapes.body) : otherBody(route, things) }),
  })
}

function valuesOf(things: Things | undefined): Record<string, unknown> {
  const owned =
    things === undefined
      ? {}
      : {
          release_id: things.release,
          baseline_release_id: things.release,
          candidate_release_id: things.release,
          action_id: things.action,
          request_id: things.request,
          agent_id: things.agent,
          environment: things.environment,
          artifact: releaseOf({ agent: things.agent }),
        }
  return {
    ...owned,
    checksum: 'a'.repeat(64),
    window: '1h',
    // Blank, so that nothing is decided: that is looked at after the scope.
    reason: ' ',
    approval_reason: ' ',
    by: 'tenant',
    table: { provider: 'p', pricing_version: 'v', entries: [] },
    url: 'https://hooks.example.com',
    events: ['promote.succeeded'],
    name: 'some',
    id: 'some',
    role: 'read',
    suite: 'regression',
    cases: [{ pass_rate: 1 }],
    policy: { policy_id: 'p' },
  }
}

function otherBody(route: RouteName, things: Things | undefined): unknown {
  if (route !== 'POST /v1/events') return { x: 1 }
  const { agent, environment, release } = things!
  const run_id = `${agent} ${environment}`
  return { events: [eventOf({ release_id: release, run_id, agent_id: agent, environment })] }
}

/** What is out of scope has to be answered like what there isn't. */
async function verdictOf(
  answer: Answer,
  caller: World['service'],
  route: RouteName,
  things: Things | undefined,
  hooks: Hooks,
): Promise<string> {
  // A caller that gets "this runtime holds no streams" has passed the gate.
  if (answer.status === 501) return 'admitted'
  if (answer.status === 401 || answer.status >= 500 || answer.status === 429) return `${answer.status}`
  if (answer.status === 403) return 'forbidden'
  if (!answer.text.startsWith('{"detail":"Unknown ')) return 'admitted'
  if (things === undefined) return 'unknown'
  const nothing = { ...things, release: 'rel_none', action: 'act_none', request: 'prq_none' }
  const absent = await call(caller, route, nothing, hooks)
  const named = [things.release, things.action, things.request]
  const same = named.reduce((text, id) => text.replaceAll(id, 'X'), answer.text)
  const other = absent.text.replaceAll(/rel_none|act_none|prq_none/g, 'X')
  return answer.status === absent.status && same === other ? 'unknown' : `unlike ${absent.text}`
}

/** A list names nothing of others. */
function expectOnlyOwn(answer: Answer, { agents, environments }: (typeof SCOPES)[string]): void {
  const lists = Object.values(answer.body as Record<string, unknown>).filter(Array.isArray) as Record<
    string,
    unknown
  >[][]
  for (const item of lists.flat()) {
    if (agents !== undefined) expect(agents).toContain(item.agent_id)
    // The environment of a release is but a label.
    if (environments !== undefined && !('checksum' in item)) expect(environments).toContain(item.environment)
  }
}
