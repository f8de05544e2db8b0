import { expect, test } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { type Route, factsOf } from '../../../src/sdk/call.ts'
import { EventClient } from '../../../src/sdk/event_client.ts'
import type { ClientOptions } from '../../../src/sdk/options.ts'
import { Transport } from '../../../src/sdk/transport.ts'

/** Requests that are sent once: sent twice, they would change something twice. */
const ONCE: readonly Route[] = [
  'POST /v1/pricing',
  'POST /v1/promote/cancel',
  'POST /v1/promote/reject',
  'POST /v1/releases',
  'POST /v1/rollouts/reject',
  'POST /v1/rollouts/{rollout_id}/abort',
  'POST /v1/rollouts/{rollout_id}/pause',
  'POST /v1/rollouts/{rollout_id}/resume',
  'POST /v1/scores',
  'POST /v1/scores/cases',
  'POST /v1/sessions',
  'POST /v1/tokens',
  'POST /v1/tokens/{name}/rotate',
  'POST /v1/watches',
  'POST /v1/watches/{watch_id}/cancel',
  'POST /v1/webhook-deliveries/{delivery_id}/replay',
  'POST /v1/webhooks',
  'POST /v1/webhooks/{webhook_id}/rotate',
  'POST /v1/webhooks/{webhook_id}/test',
]

const KEYED: readonly Route[] = [
  'POST /v1/promote',
  'POST /v1/promote/confirm',
  'POST /v1/promote/request',
  'POST /v1/rollback',
  'POST /v1/rollouts',
  'POST /v1/rollouts/confirm',
  'POST /v1/rollouts/request',
]

/** Options of a client whose requests all get lost; notes the idempotency key of each. */
function flaky(keys: (string | null)[]): ClientOptions {
  return {
    maxRetries: 2,
    retryBackoffMs: 0,
    fetch: async (_url, { headers }) => {
      keys.push(new Headers(headers).get('idempotency-key'))
      throw new TypeError('fetch failed')
    },
  }
}

test('a request whose answer was lost is sent again where that changes nothing twice', async () => {
  const sent = new Map<Route, (string | null)[]>()
  for (const route of Object.keys(routes) as Route[]) {
    const keys: (string | null)[] = []
    sent.set(route, keys)
    const transport = new Transport('http://flaky.test', flaky(keys), factsOf)
    await expect(transport.send(route)).rejects.toThrow("can't reach")
  }
  const those = (is: (keys: (string | null)[]) => boolean): Route[] =>
    [...sent.keys()].filter(route => is(sent.get(route)!)).sort()
  expect(those(keys => keys.length === 1)).toEqual(ONCE)
  expect(those(keys => keys.length === 3)).toHaveLength(sent.size - ONCE.length)
  expect(those(keys => keys[0] !== null && new Set(keys).size === 1)).toEqual(KEYED)
})

test('the client of events, which knows no other routes, sends events again as well', async () => {
  const keys: (string | null)[] = []
  await expect(new EventClient('http://flaky.test', flaky(keys)).ingestJson(['{}'])).rejects.toThrow(
    "can't reach",
  )
  expect(keys).toEqual([null, null, null])
})
