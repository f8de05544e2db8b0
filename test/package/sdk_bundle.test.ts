import { gzipSync } from 'node:zlib'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { ServiceClient } from '../../src/sdk/index.ts'
import { releaseOf } from '../support/services/builders.ts'
import { bundleOf } from '../support/processes/bundle.ts'
import { COMPATIBILITY } from '../support/workers/workerd.ts'
import { socketService } from '../support/services/socket.ts'

const EVENTS = `export { EventClient, EventQueue } from 'release-governance/sdk'`

// The span processor brings the table of how each instrumentation counts tokens. A cache of pointers brings SHA-256, because `assign` is synchronous and WebCrypto is not. Other programs don't pay for it.
test.each([
  ['the client and its queue', `export { ServiceClient, EventQueue } from 'release-governance/sdk'`, 8000],
  ['the client of events and its queue', EVENTS, 5500],
  ['these two and the span processor', `${EVENTS}\nexport * from 'release-governance/otel'`, 13_100],
  ['all of the SDK', `export * from 'release-governance/sdk'`, 13_500],
])('%s: gzipped bytes in a bundle, which imports nothing', async (_what, program, limit) => {
  const code = await bundleOf(program)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(limit)
  expect(code).not.toMatch(/\bimport\b|\brequire\b/)
})

const WORKER = `
import { EventQueue, ServiceClient, isApiError } from 'release-governance/sdk'

export default {
  async fetch(request, env, context) {
    const client = new ServiceClient(env.SERVICE_URL, { actor: 'worker' })
    const events = new EventQueue(client, {
      waitUntil: promise => context.waitUntil(promise),
      flushIntervalMs: 5,
      defaults: { agent_id: 'bot', release_id: env.RELEASE_ID, tenant_id: 't', environment: 'local' },
    })
    const usage = { model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 1 } }
    const ids = [1, 2, 3].map(() => events.add({ task_id: 'k', usage, timestamp: '2026-01-31T11:59:00Z' }))
    const may = await client.mayPromote({ release_id: env.RELEASE_ID, environment: 'local', window: '1h', reason: 'x' })
    const refused = await client.release('rel_none').catch(error => error)
    return Response.json({ ids, passed: may.policy.passed, refused: isApiError(refused, 404) && refused.detail })
  },
}
`

test('it runs in workerd: calls, typed errors, and a queue that outlives the answer', async () => {
  const service = await socketService()
  const client = new ServiceClient(service.url)
  const { release_id } = await client.registerRelease({ artifact: releaseOf(), checksum: 'a'.repeat(64) })
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleOf(WORKER) }],
    ...COMPATIBILITY,
    bindings: { SERVICE_URL: service.url, RELEASE_ID: release_id },
  })
  onTestFinished(() => worker.dispose())
  const answer = (await (await worker.dispatchFetch('http://worker.test/')).json()) as { ids: string[] }
  expect(answer).toEqual({
    ids: expect.any(Array) as string[],
    passed: true,
    refused: 'Unknown release: rel_none',
  })
  await expect.poll(() => storedRuns(client, release_id)).toEqual(answer.ids.toSorted())
})

async function storedRuns(client: ServiceClient, release_id: string): Promise<string[]> {
  const runs: string[] = []
  for await (const event of client.exportRuns({ release_id, window: '1h' })) runs.push(event.run_id)
  return runs.sort()
}
