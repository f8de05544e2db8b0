import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { createGunzip } from 'node:zlib'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { PRICES, eventOf, releaseOf } from '../support/services/builders.ts'
import { NOON } from '../support/services/service.ts'
import { type SocketService, socketService } from '../support/services/socket.ts'
import { ServiceClient } from '../../src/sdk/index.ts'

const TOKENS = { main: 'main-token', read: 'read-token' }
const AGENT = 'support-bot'

function example(name: string): unknown {
  return parse(readFileSync(join(ROOT_PATH, 'examples/kubernetes', name), 'utf8'))
}

/** A promoted release and a candidate of the agent that the examples name, ten runs each, and how the gate is made to say what. */
async function deploying() {
  const service = await socketService({ tokens: TOKENS })
  const client = new ServiceClient(service.url, { token: TOKENS.main })
  await client.importPrices({ table: PRICES })
  const register = async (version: string): Promise<string> => {
    const artifact = releaseOf({ agent: AGENT, version })
    const checksum = 'a'.repeat(64)
    const { release_id } = await client.registerRelease({ artifact, checksum, environment: 'prod' })
    const events = Array.from({ length: 10 }, (_, run) =>
      eventOf({
        release_id,
        run_id: `${version}-${run}`,
        agent_id: AGENT,
        environment: 'prod',
        at: NOON - 60_000 * (run + 1),
      }),
    )
    await client.ingest(events as never)
    return release_id
  }
  const baseline = await register('1')
  await client.promote({ release_id: baseline, environment: 'prod', window: '1h', reason: 'r' })
  const candidate = await register('2')
  const policies = {
    pass: { require_high_diff_confidence: false },
    block: { max_cost_per_run_usd: 0.1 },
    inconclusive: { min_candidate_runs: 1000 },
  } as const
  return { service, candidate, says: (verdict: keyof typeof policies) => client.setPolicy(policies[verdict]) }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** What Go's client sends: a user and password of the URL as Basic, and no more headers than it is given. */
async function send(
  { url }: SocketService,
  address: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const given = new URL(address)
  const { port, hostname } = new URL(url)
  const outgoing = httpRequest({
    hostname,
    port,
    path: given.pathname + given.search,
    method,
    headers: { host: given.host, 'user-agent': 'Go-http-client/1.1', 'accept-encoding': 'gzip', ...headers },
    ...(given.username === '' ? {} : { auth: `${given.username}:${given.password}` }),
  })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: incoming.statusCode!, headers: incoming.headers, text: await decoded(incoming) }
}

/** Go's client takes gzip, and decodes it unseen. */
function decoded(incoming: IncomingMessage): Promise<string> {
  const isGzip = incoming.headers['content-encoding'] === 'gzip'
  return text(isGzip ? incoming.pipe(createGunzip()) : incoming)
}

/** The languages of these conditions agree with JavaScript in what the examples use. */
function holds(condition: string, values: Record<string, unknown>): boolean {
  return runInNewContext(condition, values) === true
}

describe('Argo Rollouts', () => {
  interface Template {
    readonly spec: {
      readonly metrics: readonly {
        readonly successCondition: string
        readonly failureCondition: string
        readonly inconclusiveLimit?: number
        readonly provider: {
          readonly web: { readonly url: string; readonly headers: { key: string; value: string }[] }
        }
      }[]
    }
  }
  const [metric] = (example('argo-rollouts.yaml') as Template).spec.metrics
  const { web } = metric!.provider

  /** One measurement, as its web metric makes it. */
  async function measure(service: SocketService, args: Record<string, string>): Promise<string> {
    const filled = (value: string): string =>
      value.replaceAll(/\{\{args\.(\w+)\}\}/g, (_, name: string) => args[name]!)
    const headers = Object.fromEntries(web.headers.map(({ key, value }) => [key, filled(value)]))
    const answer = await send(service, filled(web.url), { headers })
    if (answer.status < 200 || answer.status >= 300) return 'Error'
    const result = JSON.parse(answer.text) as unknown
    if (holds(metric!.failureCondition, { result })) return 'Failed'
    return holds(metric!.successCondition, { result }) ? 'Successful' : 'Inconclusive'
  }

  test('goes on, is undone, or pauses, as the gate says', async () => {
    const { service, candidate, says } = await deploying()
    const args = { release: candidate, token: TOKENS.read }
    const phases = { pass: 'Successful', block: 'Failed', inconclusive: 'Inconclusive' } as const
    for (const verdict of ['pass', 'block', 'inconclusive', 'pass'] as const) {
      await says(verdict)
      expect([verdict, await measure(service, args)]).toEqual([verdict, phases[verdict]])
    }
    expect(await measure(service, { ...args, token: 'wrong' })).toBe('Error')
    expect(await measure(service, { ...args, release: 'rel_none' })).toBe('Error')
    expect(metric!.inconclusiveLimit ?? 0).toBe(0)
  })

  test('takes no more than 25 lines', () => {
    const lines = readFileSync(join(ROOT_PATH, 'examples/kubernetes/argo-rollouts.yaml'), 'utf8').trimEnd()
    expect(lines.split('\n').length).toBeLessThanOrEqual(25)
  })
})

describe('Flagger', () => {
  interface Canary {
    readonly metadata: { readonly name: string }
    readonly spec: { readonly analysis: { readonly webhooks: readonly { type: string; url: string }[] } }
  }
  const { metadata, spec } = example('flagger.yaml') as Canary

  /** Calls a hook of a type, and returns what Flagger takes for an error: the answer of any status above 202. */
  async function call(
    service: SocketService,
    type: string,
    token = TOKENS.read,
  ): Promise<string | undefined> {
    const hook = spec.analysis.webhooks.find(webhook => webhook.type === type)!
    const answer = await send(service, hook.url.replace('READ_TOKEN', token), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: metadata.name, namespace: 'agents', phase: 'Progressing' }),
    })
    return answer.status > 202 ? answer.text : undefined
  }

  test('fails for a block, and waits with the promotion for a pass', async () => {
    const { service, says } = await deploying()
    await says('pass')
    expect([await call(service, 'rollout'), await call(service, 'confirm-promotion')]).toEqual([
      undefined,
      undefined,
    ])
    await says('inconclusive')
    expect(await call(service, 'rollout')).toBeUndefined()
    expect(await call(service, 'confirm-promotion')).toMatch(/^too little evidence:\ndiff confidence is LOW/)
    await says('block')
    for (const type of ['rollout', 'confirm-promotion']) {
      expect(await call(service, type)).toMatch(/^blocked:\ncandidate cost_per_run_usd .* exceeds max/)
    }
    expect(await call(service, 'rollout', 'wrong')).toContain('The Bearer token is not valid.')
  })
})

describe('Kargo', () => {
  interface Config {
    readonly url: string
    readonly queryParams: readonly { name: string; value: string }[]
    readonly headers: readonly { name: string; value: string }[]
    readonly successExpression: string
    readonly failureExpression: string
  }
  interface Stage {
    readonly spec: {
      readonly promotionTemplate: { readonly spec: { readonly steps: readonly { config: Config }[] } }
    }
  }
  const [step] = (example('kargo.yaml') as Stage).spec.promotionTemplate.spec.steps
  const { config } = step!

  /** One run of its http step. */
  async function run(service: SocketService, values: Record<string, string>): Promise<string> {
    const filled = (value: string): string =>
      value.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => values[expression]!)
    const url = new URL(config.url)
    for (const { name, value } of config.queryParams) url.searchParams.append(name, filled(value))
    const headers = Object.fromEntries(config.headers.map(({ name, value }) => [name, filled(value)]))
    const answer = await send(service, url.href, { headers })
    const isJson = answer.headers['content-type'] === 'application/json'
    const response = { status: answer.status, body: isJson ? (JSON.parse(answer.text) as unknown) : {} }
    if (holds(config.failureExpression, { response })) return 'Failed'
    return holds(config.successExpression, { response }) ? 'Succeeded' : 'Running'
  }

  test('succeeds, fails or asks again, as the gate says', async () => {
    const { service, candidate, says } = await deploying()
    const values = { 'vars.release': candidate, "secret('release-gate').token": TOKENS.read }
    const statuses = { pass: 'Succeeded', block: 'Failed', inconclusive: 'Running' } as const
    for (const verdict of ['inconclusive', 'pass', 'block'] as const) {
      await says(verdict)
      expect([verdict, await run(service, values)]).toEqual([verdict, statuses[verdict]])
    }
    expect(await run(service, { ...values, 'vars.release': 'rel_none' })).toBe('Failed')
    expect(await run(service, { ...values, "secret('release-gate').token": 'wrong' })).toBe('Failed')
  })
})
