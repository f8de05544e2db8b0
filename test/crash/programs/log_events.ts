import { EventQueue, type QueueCounts, ServiceClient } from '../../../src/sdk/index.ts'
import { acknowledge, input } from './support.ts'

/**
 * Logs events until it is ended. Prints how many it is about to have logged before it logs them, and every batch that
 * was acknowledged. With `ownHandler` it ends itself at SIGTERM, as a server would, and prints the counts.
 */
const { url, name, maxEvents, ownHandler } = input<{
  url: string
  name: string
  maxEvents: number
  ownHandler: boolean
}>()

const client = new ServiceClient(url, {
  timeoutMs: 1000,
  chunkSize: 20,
  fetch: async (target, init) => {
    const response = await fetch(target, init)
    const body = await response.text()
    if (response.ok)
      acknowledge({
        acknowledged: [...(init.body as string).matchAll(/"run_id":"([^"]+)"/g)].map(([, id]) => id),
      })
    return new Response(body, response)
  },
})
const queue = new EventQueue(client, {
  maxEvents,
  flushIntervalMs: 10,
  onError: () => {},
  defaults: { agent_id: 'bot', release_id: 'rel_x', tenant_id: 't', task_id: 'k', environment: 'prod' },
})

let logged = 0
const ticking = setInterval(logSome, 2)
if (ownHandler) {
  process.once('SIGTERM', () => {
    clearInterval(ticking)
    void queue.close().then(counts => acknowledge({ counts }))
  })
}

function logSome(): void {
  const count = 1 + Math.floor(Math.random() * 4)
  acknowledge({ logged: logged + count })
  for (let index = 0; index < count; index++) {
    queue.add({
      run_id: `${name}-${logged++}`,
      usage: { model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 1 } },
    })
  }
  if (!isBalanced(queue.counts)) throw new Error(`${JSON.stringify(queue.counts)} after ${logged}`)
}

function isBalanced({ sent, dropped, queued, ...counts }: QueueCounts): boolean {
  return counts.logged === logged && sent + dropped + queued === logged
}
