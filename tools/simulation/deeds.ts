import { assign, isCandidate } from '../../src/base/assignment.ts'
import { isoTime } from '../../src/base/time.ts'
import type { Pointer } from '../../src/features/deploys/models.ts'
import type { Split } from '../../src/models/deploys/split.ts'
import { releaseOf } from '../../test/support/services/builders.ts'
import type { Answer, Request } from './caller.ts'
import type { Chance } from './chance.ts'
import { type SentTrace, newTrace } from './traces.ts'

/** What callers of a world know of it. */
export interface Known {
  readonly releases: { readonly id: string; readonly agent: string }[]
  readonly requests: string[]
  readonly actions: string[]
  readonly webhooks: string[]
  readonly watches: string[]
  readonly rollouts: string[]
  readonly rolloutRequests: string[]
  readonly environments: string[]
  /** Batches of events that were sent before. */
  readonly sent: unknown[][]
  readonly traces: SentTrace[]
}

/** One thing that a caller does. */
export interface Deed {
  readonly id: number
  readonly chance: Chance
  readonly known: Known
  /** The database's clock, epoch ms. */
  readonly now: number
  readonly ask: (request: Request) => Promise<Answer | undefined>
  /** Erases a tenant, but not from the archive. */
  readonly erase: (tenant: string) => Promise<void>
  /** Restores all that was ever archived. */
  readonly restore: () => Promise<void>
}

export const TENANTS = ['t1', 't2', 't3'] as const

export const AGENTS = ['bot', 'desk'] as const
export const ENVIRONMENTS = ['local', 'prod'] as const
const EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'rollback.succeeded',
  'rollback.forced',
  'promotion.requested',
] as const

/** The word by which a row is known to be of a deed. */
export function markOf(id: number): string {
  return `deed-${id}.`
}

/** By name: what it does, and its frequency. */
export const DEEDS: Readonly<
  Record<string, { readonly weight: number; readonly run: (deed: Deed) => Promise<void> }>
> = {
  ingest: { weight: 30, run: ingest },
  spans: { weight: 20, run: sendSpans },
  resend: { weight: 4, run: resend },
  erase: {
    weight: 1,
    run: ({ chance, erase }) => erase(chance.pick(TENANTS)),
  },
  restore: { weight: 3, run: ({ restore }) => restore() },
  promote: { weight: 22, run: deed => decide(deed, 'POST /v1/promote') },
  rollback: { weight: 8, run: deed => decide(deed, 'POST /v1/rollback') },
  request: { weight: 8, run: request },
  settle: { weight: 12, run: settle },
  policy: { weight: 4, run: setPolicy },
  prices: { weight: 3, run: importPrices },
  release: { weight: 3, run: register },
  webhook: { weight: 3, run: changeWebhook },
  watch: { weight: 3, run: watch },
  rollout: { weight: 8, run: rollout },
  crowd: { weight: 4, run: crowd },
  read: { weight: 14, run: read },
  rebuild: {
    weight: 1,
    run: async ({ ask }) =>
      void (await ask({ route: 'POST /v1/rollups/rebuild', body: {}, repeats: 'as it is' })),
  },
}

async function ingest({ id, chance, known, now, ask }: Deed): Promise<void> {
  const again = known.sent.length > 0 && chance.is(0.2)
  const events = again ? chance.pick(known.sent) : newEvents(id, chance, known, now)
  if (!again) known.sent.push(events)
  await ask({ route: 'POST /v1/events', body: { events }, repeats: 'as it is' })
}

/** All that was sent in some batches, however long ago. */
async function resend({ chance, known, ask }: Deed): Promise<void> {
  for (let batch = 0; batch < 3 && known.sent.length > 0; batch++) {
    await ask({ route: 'POST /v1/events', body: { events: chance.pick(known.sent) }, repeats: 'as it is' })
  }
}

function newEvents(id: number, chance: Chance, known: Known, now: number): unknown[] {
  const { id: release_id, agent: agent_id } = chance.pick(known.releases.slice(-6))
  const environment = chance.pick(known.environments)
  const age = chance.pick([5000, 60_000, 1_800_000, 20_000_000])
  // One release in three fails often.
  const success = known.releases.findIndex(({ id: other }) => other === release_id) % 3 === 2 ? 0.5 : 0.97
  return Array.from({ length: 1 + chance.below(chance.pick([3, 25])) }, (_, index) => ({
    ...runOf(chance, { agent: agent_id, environment, release_id }),
    timestamp: isoTime(now - chance.below(age)),
    run_id: `${id}-${index}`,
    metrics: { success: chance.is(success), latency_ms: chance.below(500) },
  }))
}

function runOf(
  chance: Chance,
  { agent, ...place }: { readonly agent: string; readonly environment: string; readonly release_id: string },
) {
  return {
    agent_id: agent,
    ...place,
    tenant_id: chance.pick(TENANTS),
    task_id: 'k1',
    usage: {
      model: {
        provider: 'acme',
        model: chance.pick(['m1', 'm2']),
        input_tokens: chance.below(2000),
        output_tokens: chance.below(900),
        cached_input_tokens: 0,
      },
    },
  }
}

/** Spans of one trace: its requests in the order in which spans end, all of them at once, or any of them once more. */
async function sendSpans({ id, chance, known, now, ask }: Deed): Promise<void> {
  const isNew = known.traces.length === 0 || chance.is(0.4)
  const place = {
    release: chance.pick(known.releases.slice(-6)),
    environment: chance.pick(known.environments),
  }
  if (isNew) known.traces.push(newTrace(id, chance, place, now))
  const { requests } = isNew ? known.traces.at(-1)! : chance.pick(known.traces.slice(-5))
  const send = (body: unknown) => ask({ route: 'POST /v1/traces', body, repeats: 'as it is' })
  const how = chance.pick(['in order', 'at once', 'one'] as const)
  if (how === 'at once') await Promise.all(requests.map(send))
  else for (const body of how === 'one' ? [chance.pick(requests)] : requests) await send(body)
}

function proposal({ id, chance, known }: Deed): Record<string, unknown> {
  return {
    release_id: chance.pick(known.releases.slice(-6)).id,
    environment: chance.pick(known.environments),
    window: chance.pick(['30m', '1h', '6h']),
    reason: markOf(id),
  }
}

async function decide(deed: Deed, route: 'POST /v1/promote' | 'POST /v1/rollback'): Promise<void> {
  const { chance, known, ask } = deed
  const force = route === 'POST /v1/rollback' && chance.is(0.3) ? { force: true } : {}
  const dry = chance.is(0.05) ? { dry_run: true } : {}
  const body = { ...proposal(deed), ...force, ...dry }
  // Without a key nobody knows after a lost answer whether it was decided: it is not sent again.
  const answer = await ask(chance.is(0.7) ? { route, body, repeats: 'by key' } : { route, body })
  const action: string | null | undefined = answer?.body.action_id ?? answer?.body.detail?.outcome?.action_id
  if (action != null) known.actions.push(action)
}

async function request(deed: Deed): Promise<void> {
  const answer = await deed.ask({
    route: 'POST /v1/promote/request',
    body: proposal(deed),
    repeats: 'by key',
    approving: true,
  })
  if (answer?.status === 200) deed.known.requests.push(answer.body.request_id as string)
}

async function settle({ id, chance, known, ask }: Deed): Promise<void> {
  if (known.requests.length === 0) return
  const request_id = chance.pick(known.requests.slice(-2))
  const how = chance.pick(['confirm', 'confirm', 'confirm', 'cancel', 'reject'] as const)
  const actor = chance.pick(['bea', 'cem', 'dan'])
  if (how === 'confirm') {
    const body = { request_id, approval_reason: markOf(id) }
    await ask({ route: 'POST /v1/promote/confirm', body, repeats: 'by key', actor, approving: true })
  } else {
    await ask({
      route: `POST /v1/promote/${how}`,
      body: { request_id, reason: markOf(id) },
      actor,
      approving: true,
    })
  }
}

/** Limits that say which deed set them, and block nothing by that. */
async function setPolicy({ id, chance, ask }: Deed): Promise<void> {
  const body = {
    max_cost_per_run_usd: 1000 + id,
    max_error_rate: chance.pick([0.2, 1, 1]),
    min_candidate_runs: chance.pick([0, 0, 0, 5]),
    require_high_diff_confidence: chance.is(0.2),
    // A rollout takes a limit on a change; what is not proven blocks nothing here.
    on_inconclusive: 'pass',
    max_error_rate_increase: chance.pick([0.05, 0.3, 1]),
    ...(chance.is(0.4) ? { watch: { for: '30m', auto_rollback: true, min_runs: 10 } } : {}),
  }
  await ask({ route: 'PUT /v1/policy', body, repeats: 'as it is' })
}

async function importPrices({ id, chance, ask }: Deed): Promise<void> {
  const rate = (): number => (1 + chance.below(9)) / 1000
  const entries = ['m1', 'm2'].map(model => ({
    model,
    input_usd_per_1k_tokens: rate(),
    output_usd_per_1k_tokens: rate(),
  }))
  const table = { provider: 'acme', pricing_version: 'v1', entries }
  await ask({ route: 'POST /v1/pricing', body: { table, replace: true, reason: markOf(id) } })
}

async function register({ id, chance, known, ask }: Deed): Promise<void> {
  const { agent } = chance.pick(known.releases)
  const answer = await ask({
    route: 'POST /v1/releases',
    body: { artifact: releaseOf({ agent, version: `v${id}.` }), checksum: 'a'.repeat(64) },
  })
  if (answer?.status === 200) known.releases.push({ id: answer.body.release_id as string, agent })
}

async function changeWebhook({ id, chance, known, ask }: Deed): Promise<void> {
  if (known.webhooks.length < 3) {
    const body = {
      url: `https://receiver-${id}.example.com/`,
      events: EVENTS.filter((_, index) => index === 0 || chance.is(0.6)),
      description: markOf(id),
    }
    const answer = await ask({ route: 'POST /v1/webhooks', body })
    if (answer?.status === 200) known.webhooks.push(answer.body.webhook_id as string)
    return
  }
  const path = `/v1/webhooks/${chance.pick(known.webhooks)}`
  if (chance.is(0.2)) await ask({ route: 'DELETE /v1/webhooks/{webhook_id}', path })
  else await ask({ route: 'PATCH /v1/webhooks/{webhook_id}', path, body: { enabled: chance.is(0.7) } })
}

async function watch({ chance, known, ask }: Deed): Promise<void> {
  if (known.watches.length > 0 && chance.is(0.3)) {
    const path = `/v1/watches/${chance.pick(known.watches)}/cancel`
    await ask({ route: 'POST /v1/watches/{watch_id}/cancel', path, body: { reason: 'enough' } })
    return
  }
  const body = {
    agent_id: chance.pick(known.releases).agent,
    environment: chance.pick(known.environments),
    for: '15m',
    auto_rollback: chance.is(0.7),
    min_runs: 10,
  }
  const answer = await ask({ route: 'POST /v1/watches', body })
  if (answer?.status === 200) known.watches.push(answer.body.watch_id as string)
}

/** Begins a rollout, alone or with a confirmation, or changes one. */
async function rollout(deed: Deed): Promise<void> {
  const { id, chance, known, ask } = deed
  if (known.rolloutRequests.length > 0 && chance.is(0.3)) {
    const request_id = chance.pick(known.rolloutRequests.slice(-2))
    const actor = chance.pick(['bea', 'cem', 'dan'])
    await (chance.is(0.8)
      ? ask({
          route: 'POST /v1/rollouts/confirm',
          body: { request_id, approval_reason: rolloutMarkOf(id) },
          repeats: 'by key',
          actor,
          approving: true,
        }).then(answer => noteRollout(known, answer))
      : ask({
          route: 'POST /v1/rollouts/reject',
          body: { request_id, reason: rolloutMarkOf(id) },
          actor,
          approving: true,
        }))
    return
  }
  if (known.rollouts.length > 0 && chance.is(0.4)) {
    const verb = chance.pick(['pause', 'resume', 'resume', 'abort'] as const)
    const path = `/v1/rollouts/${chance.pick(known.rollouts.slice(-2))}/${verb}`
    await ask({ route: `POST /v1/rollouts/{rollout_id}/${verb}`, path, body: { reason: rolloutMarkOf(id) } })
    return
  }
  const { agent } = chance.pick(known.releases)
  const environment = chance.pick(known.environments)
  const live = await pointerOf(deed, agent, environment)
  if (live === undefined) return decide(deed, 'POST /v1/promote')
  // Without runs it would take for ever.
  if (chance.is(0.6)) await sendCrowd(deed, agent, environment, live)
  const others = known.releases.filter(({ id: other }) => other !== live.release_id || chance.is(0.1))
  const body = {
    release_id: chance.pick(others.filter(other => other.agent === agent)).id,
    environment,
    steps: chance.pick(['50%:1m', '10%:1m,50%:5m', '0%:5m,50%:5m', '1%:2m,25%:5m,40%:10m']),
    by: chance.pick(['session', 'session', 'session', 'user'] as const),
    max_duration: chance.pick(['1h', '30d', '30d', '30d']),
    ...(chance.is(0.4) ? { hold: '5%', hold_for: chance.pick(['10m', '7d']) } : {}),
    reason: rolloutMarkOf(id),
  }
  if (chance.is(0.25)) {
    const wanted = { route: 'POST /v1/rollouts/request', body, repeats: 'by key', approving: true } as const
    const answer = await ask(wanted)
    if (answer?.status === 200) known.rolloutRequests.push(answer.body.request_id as string)
  } else noteRollout(known, await ask({ route: 'POST /v1/rollouts', body, repeats: 'by key' }))
}

function noteRollout(known: Known, answer: Answer | undefined): void {
  const id: unknown = answer?.status === 200 ? answer.body.rollout_id : undefined
  if (typeof id === 'string') known.rollouts.push(id)
}

/** As {@link markOf}, for what a promotion repeats as its reason: several may be of one rollout. */
export function rolloutMarkOf(id: number): string {
  return `rollout-${id}.`
}

/** Hundreds of sessions, on the release that each gets by the split in force. */
async function crowd(deed: Deed): Promise<void> {
  const { agent } = deed.chance.pick(deed.known.releases)
  const environment = deed.chance.pick(deed.known.environments)
  const pointer = await pointerOf(deed, agent, environment)
  if (pointer !== undefined) await sendCrowd(deed, agent, environment, pointer)
}

async function pointerOf({ ask }: Deed, agent: string, environment: string): Promise<Pointer | undefined> {
  const path = `/v1/pointers/${agent}/${environment}`
  const answer = await ask({ route: 'GET /v1/pointers/{agent_id}/{environment}', path })
  return answer?.status === 200 ? (answer.body as Pointer) : undefined
}

/** Enough for a step, where none is lost. */
const CROWD = 500

async function sendCrowd(
  { id, chance, known, now, ask }: Deed,
  agent: string,
  environment: string,
  { release_id, split }: Pointer,
): Promise<void> {
  const events = await Promise.all(
    Array.from({ length: CROWD }, async (_, index) => {
      const session_id = `session-${id}-${index}`
      const arm = split && (await armOf(split, session_id))
      return {
        ...runOf(chance, { agent, environment, release_id: arm?.release_id ?? release_id }),
        timestamp: isoTime(now - chance.below(60_000)),
        run_id: `${id}-${index}`,
        metrics: { success: chance.is(0.97), latency_ms: chance.below(500) },
        request: { session_id },
      }
    }),
  )
  known.sent.push(events)
  await ask({ route: 'POST /v1/events', body: { events }, repeats: 'as it is' })
}

async function armOf(split: Split, unit: string): Promise<Split['baseline']> {
  const isNew = isCandidate(await assign(split.rollout_id, unit), split.share)
  return split[isNew ? 'candidate' : 'baseline']
}

async function read({ chance, known, ask }: Deed): Promise<void> {
  const environment = chance.pick(known.environments)
  const { id: release, agent } = chance.pick(known.releases)
  const action = known.actions.length === 0 ? '1' : chance.pick(known.actions)
  const paths = {
    'GET /v1/actions': '/v1/actions?limit=20',
    'GET /v1/actions/{action_id}/explain': `/v1/actions/${action}/explain`,
    'GET /v1/promoted': '/v1/promoted',
    'GET /v1/promotion-requests': '/v1/promotion-requests',
    'GET /v1/board': '/v1/board?window=1h',
    'GET /v1/runs': `/v1/runs?release_id=${release}&environment=${environment}&window=6h&limit=20`,
    'GET /v1/audit': '/v1/audit?limit=20',
    'GET /v1/rollouts': '/v1/rollouts',
    'GET /v1/pointers/{agent_id}/{environment}': `/v1/pointers/${agent}/${environment}`,
    'GET /v1/gate/{agent_id}/{environment}': `/v1/gate/${agent}/${environment}?window=1h`,
  } as const
  const route = chance.pick(Object.keys(paths) as (keyof typeof paths)[])
  await ask({ route, path: paths[route] })
}
