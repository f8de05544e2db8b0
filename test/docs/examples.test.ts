import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { signedRequest } from '../../src/ledger/webhooks/signing.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { type Workspace, makeWorkspace, startService, twoReleases } from '../support/processes/cli.ts'
import { freePort } from '../support/processes/free_port.ts'
import { type Installed, installPackage } from '../support/processes/package.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

let project: Installed

beforeAll(() => {
  project = installPackage()
  cpSync(join(ROOT_PATH, 'examples'), project.folder, { recursive: true })
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(program, args, { cwd: project.folder, env: { ...project.env, ...env } })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number | null, stdout, stderr }
}

async function serve(workspace: Workspace, env: Record<string, string> = {}): Promise<string> {
  const service = await startService(workspace, { env })
  onTestFinished(async () => void (await service.stop()))
  return service.url
}

test('the agent sends a run event per answer, also for one that failed', async () => {
  const workspace = makeWorkspace({ default_environment: 'prod' })
  cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
  await workspace.ok('pricing', 'import', 'prices.yaml')
  const release_id = await workspace.ok('release', 'register', 'candidate')
  const url = await serve(workspace)
  const modelUrl = await startModel()
  const env = { SERVICE_URL: url, RELEASE_ID: release_id, MODEL_URL: modelUrl, MODEL_API_KEY: 'k' }
  const { code, stdout, stderr } = await run(
    'node',
    ['agent/agent.mjs', 'Where is it?', 'overload', 'And now?'],
    env,
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'run events: 3 sent, 0 dropped\n' })
  expect(stdout.split('\n')).toEqual([
    'You asked: Where is it?',
    'Sorry, ask me again later.',
    'You asked: And now?',
    '',
  ])
  const runs: unknown[] = []
  for await (const { metrics, usage } of new ServiceClient(url).exportRuns({ release_id, window: '1h' })) {
    const { input_tokens, cached_input_tokens, output_tokens } = usage.model
    runs.push([metrics?.success, metrics?.error_type, input_tokens, cached_input_tokens, output_tokens])
  }
  expect(runs.toReversed()).toEqual([
    [true, null, 90, 10, 7],
    [false, 'http_503', 0, 0, 0],
    [true, null, 90, 10, 7],
  ])
})

/** A model that answers as chat completions do. */
async function startModel(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] }
    const asked = messages[0]!.content
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10 } }
    if (asked === 'overload') response.writeHead(503).end()
    else response.end(JSON.stringify({ choices: [{ message: { content: `You asked: ${asked}` } }], usage }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Record<string, string>
}

describe('the gate', () => {
  async function gated() {
    const { workspace, baseline, candidate } = await twoReleases()
    const SERVICE_URL = await serve(workspace)
    const gate = (...args: string[]): Promise<Ended> =>
      run('ci/gate.sh', args, { SERVICE_URL, REASON: 'test', USER: 'ann' })
    const client = new ServiceClient(SERVICE_URL)
    return { gate, client, baseline, candidate }
  }
  const said = (part: string) => expect.stringContaining(part) as string

  test('passes, passes again, blocks, wants evidence, and tells all that from an error', async () => {
    const { gate, client, baseline, candidate } = await gated()
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('promoted: {') })
    await client.setPolicy({ require_high_diff_confidence: false })
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('live already: {') })
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    expect(await gate(candidate, 'local', '1h')).toMatchObject({
      code: 3,
      stdout: said('blocked by the policy: {'),
    })
    await client.setPolicy({ min_candidate_runs: 100_000 })
    expect(await gate(candidate, 'local', '1h')).toMatchObject({
      code: 4,
      stdout: said('too little evidence: {'),
    })
    const unknown = await gate('rel_00000000', 'local', '1h')
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: said('Unknown release') })
    const { actions } = await client.listActions()
    expect(actions.map(({ actor, reason, policy_passed }) => [actor, reason, policy_passed])).toEqual([
      ['ann', 'test', false],
      ['ann', 'test', false],
      ['ann', 'test', true],
      ['ann', 'test', true],
    ])
  })

  test.each([
    [[]],
    [['rel_0123456789ab']],
    [['--help', 'local']],
    [['-h', 'local']],
    [['--help=x', 'local']],
    [['--url=http://127.0.0.1:9', 'local']],
    [['rel_0123456789ab --help', 'local']],
    [['rel_0123456789ab', '']],
    [['rel_0123456789ab', '--help']],
    [['rel_0123456789ab', 'local', '--help']],
    [['rel_0123456789ab', 'local', '1h', 'more']],
  ])('given %j it promotes nothing and exits 1', async args => {
    const { gate, client } = await gated()
    expect(await gate(...args)).toMatchObject({ code: 1, stdout: '' })
    expect((await client.listActions()).actions).toEqual([])
  })

  test('without the address of a service it exits 1', async () => {
    const ended = await run('ci/gate.sh', ['rel_0123456789ab', 'local'], { SERVICE_URL: '' })
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: said('SERVICE_URL') })
  })

  test('the steps of the workflow do the same', async () => {
    const { workspace, baseline } = await twoReleases()
    const token = 'of-the-gate'
    const url = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: token })
    const workflow = parse(readFileSync(join(ROOT_PATH, 'examples/ci/github.yml'), 'utf8')) as {
      jobs: { promote: { env: Record<string, string>; steps: Step[] } }
    }
    const values: Record<string, string> = {
      'vars.SERVICE_URL': url,
      'secrets.SERVICE_LOCAL_API_TOKEN': token,
      'github.actor': 'ann',
      'github.run_id': '17',
      'github.workflow': 'Promote',
      'inputs.release_id': baseline,
      'inputs.environment': 'local',
    }
    const { env, steps } = workflow.jobs.promote
    const filled = (variables: Record<string, string> = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          value.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, key: string) => values[key]!),
        ]),
      )
    const commands = steps.filter(step => step.run !== undefined)
    // It is installed here already.
    const { version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(commands.shift()!.run).toBe(`npm install --global ./ci/release-governance-${version}.tgz`)
    // Others may move a tag, but not a commit.
    for (const { uses } of steps) expect(uses ?? `a@${'0'.repeat(40)}`).toMatch(/@[0-9a-f]{40}$/)
    for (const step of commands) {
      const ended = await run('bash', ['-e', '-c', step.run!], { ...filled(env), ...filled(step.env) })
      expect(ended).toMatchObject({ code: 0, stderr: expect.any(String) as string })
    }
    // What decides has the token, and nothing else.
    const withToken = steps.filter(step => filled(step.env).SERVICE_LOCAL_API_TOKEN === token)
    expect(withToken.map(step => step.run)).toEqual([commands.at(-1)!.run])
    expect(Object.values(filled(env))).not.toContain(token)
    const { actions } = await new ServiceClient(url, { token }).listActions()
    expect(actions).toMatchObject([{ actor: 'ann', reason: 'run 17 of Promote', policy_passed: true }])
  })
})

test('the receiver acts once on what is signed and new, and on nothing else', async () => {
  const secret = newSecret('a secret of 32 bytes, as it seems')
  const { url, nextLine } = await startReceiver(secret)
  const noon = Date.now()
  /** Delivers news of the decision `seq`, all made at noon; `signedAt` is when it was sent. */
  async function deliver(
    event: string,
    deliveryId: string,
    { seq = 1, release = 'rel_1', key = secret, signedAt = noon, without = [] as string[] } = {},
  ): Promise<number> {
    const created_at = new Date(noon).toISOString()
    const place = { agent_id: 'bot', release_id: release, environment: 'prod' }
    const data = { ...place, actor: 'ann', reason: 'better', audit_seq: seq }
    const body = JSON.stringify({ event, delivery_id: deliveryId, created_at, data })
    const { headers } = await signedRequest({ url, secret: key, event, deliveryId, body }, signedAt)
    const kept = Object.entries(headers).filter(([name]) => !without.includes(name))
    return (await fetch(url, { method: 'POST', body, headers: kept })).status
  }
  expect(await deliver('promote.succeeded', 'a', { key: newSecret('another') })).toBe(401)
  expect(await deliver('promote.succeeded', 'a', { signedAt: noon - 600_000 })).toBe(401)
  const timed = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  expect(await deliver('promote.succeeded', 'a', { without: timed })).toBe(401)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  expect(await deliver('promote.succeeded', 'a', { seq: 1 })).toBe(204)
  expect(await nextLine()).toBe('deploy rel_1 to prod')
  expect(await deliver('promote.succeeded', 'a', { seq: 1 })).toBe(204)
  expect(await deliver('promote.blocked', 'b', { seq: 2, release: 'rel_2' })).toBe(204)
  expect(await nextLine()).toBe('promote.blocked: rel_2 in prod (better)')
  expect(await deliver('rollback.succeeded', 'd', { seq: 4, release: 'rel_0' })).toBe(204)
  expect(await nextLine()).toBe('deploy rel_0 to prod')
  expect(await deliver('promote.succeeded', 'c', { seq: 3, release: 'rel_2' })).toBe(204)
  expect(await nextLine()).toBe('overtaken: rel_2 in prod')
})

function newSecret(key: string): string {
  return `whsec_${Buffer.from(key).toString('base64')}`
}

test('the receiver hears of promotions and rollbacks from the service itself', async () => {
  const { workspace, baseline, candidate } = await twoReleases()
  const client = new ServiceClient(await serve(workspace))
  const port = await freePort()
  const { webhook_id, secret } = await client.createWebhook({
    url: `http://127.0.0.1:${port}/`,
    events: ['promote.succeeded', 'rollback.succeeded', 'test.ping'],
  })
  const { nextLine } = await startReceiver(secret, port)
  expect(await client.testWebhook(webhook_id)).toMatchObject({ status: 'delivered', response_code: 204 })
  expect(await nextLine()).toContain('test.ping')
  await client.promote({ release_id: baseline, environment: 'local', window: '1h', reason: 'better' })
  expect(await nextLine()).toBe(`deploy ${baseline} to local`)
  const decision = { environment: 'local', window: '1h', reason: 'back and forth' }
  await client.promote({ ...decision, release_id: candidate })
  expect(await nextLine()).toBe(`deploy ${candidate} to local`)
  await client.rollback({ ...decision, release_id: baseline })
  expect(await nextLine()).toBe(`deploy ${baseline} to local`)
  const delivered = async (): Promise<string[]> =>
    (await client.webhookDeliveries(webhook_id)).map(({ status }) => status)
  await expect.poll(delivered).toEqual(['delivered', 'delivered', 'delivered'])
  const [delivery] = await client.deliveries({ status: 'delivered' })
  expect((await client.replayDelivery(delivery!.delivery_id)).status).toBe('pending')
  expect((await client.webhooks()).map(webhook => webhook.webhook_id)).toEqual([webhook_id])
  expect(await client.deleteWebhook(webhook_id)).toEqual({ webhook_id, deleted: true })
})

async function startReceiver(
  secret: string,
  port = 0,
): Promise<{ url: string; nextLine: () => Promise<string> }> {
  const child = spawn('node', ['webhook-receiver/receiver.mjs'], {
    cwd: project.folder,
    env: { ...project.env, WEBHOOK_SECRET: secret, PORT: String(port) },
  })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  return { url: /http:\S+/.exec(await nextLine())![0], nextLine }
}
