import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { signedRequest } from '../../src/ledger/webhooks/signing.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { makeWorkspace, twoReleases } from '../support/processes/cli.ts'
import { type Examples, installExamples, serve } from '../support/processes/examples.ts'
import { freePort } from '../support/processes/free_port.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

let project: Examples

beforeAll(async () => {
  project = await installExamples()
})

test('the agent sends a run event per answer, also for one that failed', async () => {
  const workspace = makeWorkspace({ default_environment: 'prod' })
  cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
  await workspace.ok('pricing', 'import', 'prices.yaml')
  const release_id = await workspace.ok('release', 'register', 'candidate')
  const url = await serve(workspace)
  const modelUrl = await startModel()
  const env = { SERVICE_URL: url, RELEASE_ID: release_id, MODEL_URL: modelUrl, MODEL_API_KEY: 'k' }
  const { code, stdout, stderr } = await project.end(
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
    const prompt = messages[0]!.content
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10 } }
    if (prompt === 'overload') response.writeHead(503).end()
    else response.end(JSON.stringify({ choices: [{ message: { content: `You asked: ${prompt}` } }], usage }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

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
  expect(await nextLine()).toBe('promote.blocked: rel_2 in prod ("better")')
  expect(await deliver('rollback.succeeded', 'd', { seq: 4, release: 'rel_0' })).toBe(204)
  expect(await nextLine()).toBe('deploy rel_0 to prod')
  expect(await deliver('rollback.forced', 'e', { seq: 5, release: 'rel_1' })).toBe(204)
  expect(await nextLine()).toBe('deploy rel_1 to prod')
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
  const { webhook_id, secret } = await client.call('POST /v1/webhooks', {
    body: {
      url: `http://127.0.0.1:${port}/`,
      events: ['promote.succeeded', 'rollback.succeeded', 'test.ping'],
    },
  })
  const path = { webhook_id }
  const { nextLine } = await startReceiver(secret, port)
  const tested = await client.call('POST /v1/webhooks/{webhook_id}/test', { path })
  expect(tested).toMatchObject({ status: 'delivered', response_code: 204 })
  expect(await nextLine()).toContain('test.ping')
  await client.promote({ release_id: baseline, environment: 'local', window: '1h', reason: 'better' })
  expect(await nextLine()).toBe(`deploy ${baseline} to local`)
  const decision = { environment: 'local', window: '1h', reason: 'back and forth' }
  await client.promote({ ...decision, release_id: candidate })
  expect(await nextLine()).toBe(`deploy ${candidate} to local`)
  await client.rollback({ ...decision, release_id: baseline })
  expect(await nextLine()).toBe(`deploy ${baseline} to local`)
  const delivered = async (): Promise<string[]> =>
    (await client.call('GET /v1/webhooks/{webhook_id}/deliveries', { path })).deliveries.map(
      ({ status }) => status,
    )
  await expect.poll(delivered).toEqual(['delivered', 'delivered', 'delivered'])
  const query = { status: 'delivered' } as const
  const [delivery] = (await client.call('GET /v1/webhook-deliveries', { query })).deliveries
  const { delivery_id } = delivery!
  const replay = 'POST /v1/webhook-deliveries/{delivery_id}/replay'
  expect((await client.call(replay, { path: { delivery_id } })).status).toBe('pending')
  const { webhooks } = await client.call('GET /v1/webhooks')
  expect(webhooks.map(webhook => webhook.webhook_id)).toEqual([webhook_id])
  const deleted = await client.call('DELETE /v1/webhooks/{webhook_id}', { path })
  expect(deleted).toEqual({ webhook_id, deleted: true })
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
