import { beforeEach, describe, expect, test } from 'vitest'

import { EventQueue, ServiceClient, isApiError } from '../../src/sdk/index.ts'
import { PRICES, eventOf, releaseOf } from '../support/services/builders.ts'
import { SMALL_SAMPLES } from '../support/services/requests.ts'
import { NOON } from '../support/services/service.ts'
import { type SocketService, socketService } from '../support/services/socket.ts'

let service: SocketService
let client: ServiceClient

beforeEach(async () => {
  service = await socketService({ workspace: SMALL_SAMPLES })
  client = new ServiceClient(service.url, { timeoutMs: 60_000 })
})

const DECISION = { environment: 'local', window: '1h', reason: 'because' } as const

function register(version: string, model = 'm1') {
  return client.registerRelease({ artifact: releaseOf({ version, model }), checksum: 'a'.repeat(64) })
}

function runEvents(release_id: string, count: number, model = 'm1') {
  return Array.from({ length: count }, (_, index) =>
    eventOf({ release_id, run_id: `${release_id}-${index}`, at: NOON - 1000 * (index + 1), model }),
  ) as never[]
}

test('any route can be called, with what its path, query and body take', async () => {
  const requests: unknown[] = []
  const probe = new ServiceClient('http://service.test', {
    fetch: async (url, { method, body }) => {
      requests.push([method, url.replace('http://service.test', ''), body])
      return Response.json({})
    },
  })
  await probe.call('GET /v1/board')
  await probe.call('GET /v1/watches', { query: { state: 'watching', agent: 'a b' } })
  await probe.call('POST /v1/watches/{watch_id}/cancel', {
    path: { watch_id: 'wch_1/2' },
    body: { reason: 'moved' },
  })
  expect(await probe.text('GET /docs')).toBe('{}')
  // @ts-expect-error a route that takes a path is not called without one
  await probe.call('GET /v1/watches/{watch_id}')
  expect(requests.slice(0, 4)).toEqual([
    ['GET', '/v1/board', undefined],
    ['GET', '/v1/watches?state=watching&agent=a+b', undefined],
    ['POST', '/v1/watches/wch_1%2F2/cancel', '{"reason":"moved"}'],
    ['GET', '/docs', undefined],
  ])
})

describe('against a service', () => {
  test('the whole loop: register, ingest, ask, promote, and see it blocked', async () => {
    await client.importPrices({ table: PRICES })
    const { release_id: baseline } = await register('1')
    const { release_id: candidate } = await register('2', 'm2')
    expect((await client.releases()).map(release => release.release_id)).toEqual([candidate, baseline])
    expect((await client.release(baseline)).artifact_json).toEqual(releaseOf({ version: '1' }))
    expect(await client.ingest(runEvents(baseline, 10))).toEqual({ inserted: 10, skipped: 0 })
    expect(await client.ingest(runEvents(candidate, 10, 'm2'))).toEqual({ inserted: 10, skipped: 0 })
    expect((await client.promote({ release_id: baseline, ...DECISION })).promoted_pointer_changed).toBe(true)
    await client.setPolicy({ max_cost_per_run_usd: 3 })
    expect((await client.call('GET /v1/policy')).max_cost_per_run_usd).toBe(3)

    const { policy } = await client.mayPromote({ release_id: candidate, ...DECISION })
    expect(policy).toMatchObject({ passed: false, reasons: [expect.stringContaining('cost_per_run_usd')] })
    const blocked = await client
      .promote({ release_id: candidate, ...DECISION })
      .catch((error: unknown) => error)
    expect(isApiError(blocked, 409)).toBe(true)
    if (!isApiError(blocked, 409) || !('outcome' in blocked.detail)) throw blocked
    expect(blocked.detail.outcome.policy.passed).toBe(false)
    expect(blocked.message).toMatch(/^POST \/v1\/promote: Promotion blocked by policy\. candidate cost/)
    expect(blocked.requestId).toMatch(/^[0-9a-f-]{36}$/)

    const diff = await client.diff({
      baseline_release_id: baseline,
      candidate_release_id: candidate,
      window: '1h',
    })
    expect(diff.samples).toMatchObject({ baseline_runs: 10, candidate_runs: 10, confidence: 'HIGH' })
    expect(await client.promoted()).toEqual([{ agent_id: 'bot', environment: 'local', release_id: baseline }])
    expect((await client.call('GET /v1/metrics')).counters).toMatchObject({
      releases_total: 2,
      run_events_total: 20,
    })
    expect(await client.text('GET /metrics')).toContain('service_releases_total 2')
    expect((await client.call('GET /v1/doctor', { query: { deep: true } })).ok).toBe(true)
    expect(await client.health()).toEqual({ status: 'ok', mutation_auth: 'loopback', read_auth: 'open' })
    expect((await client.call('GET /openapi.json')).openapi).toBe('3.1.0')
  })

  test('a large ingest goes out in chunks, and again counts nothing twice', async () => {
    const { release_id } = await register('1')
    const events = runEvents(release_id, 1201)
    expect(await client.ingest(events)).toEqual({ inserted: 1201, skipped: 0 })
    expect(await client.ingest(events)).toEqual({ inserted: 0, skipped: 1201 })
    const ingests = service.lines.filter(line => line.includes('/v1/events'))
    expect(ingests).toHaveLength(6)
  })

  test('an export goes over all pages, and stays whole while events come in', async () => {
    const { release_id } = await register('1')
    await client.ingest(runEvents(release_id, 1100))
    const exported: string[] = []
    for await (const event of client.exportRuns({ release_id, window: '1h' })) {
      exported.push(event.run_id)
      if (exported.length === 700) {
        await client.ingest(
          Array.from({ length: 20 }, (_, index) =>
            eventOf({ release_id, run_id: `new-${index}`, at: NOON - 1 }),
          ) as never[],
        )
      }
    }
    expect(exported).toEqual(Array.from({ length: 1100 }, (_, index) => `${release_id}-${index}`))
    const page = await client.listRuns({ release_id, window: '1h', limit: 5 })
    expect([page.matched_total, page.returned, page.truncated]).toEqual([1120, 5, true])
  })

  test('the audit trail goes over all pages', async () => {
    await client.importPrices({ table: PRICES })
    const { release_id } = await register('1')
    await client.setPolicy({ require_high_diff_confidence: false })
    for (let round = 0; round < 5; round++) await client.promote({ release_id, ...DECISION })
    const seen: number[] = []
    for await (const action of client.actions({ limit: 2 })) seen.push(action.audit_seq)
    expect(seen).toEqual([5, 4, 3, 2, 1])
    const { actions } = await client.listActions({ limit: 1, evidence: true })
    const path = { action_id: actions[0]!.action_id }
    expect(await client.call('GET /v1/actions/{action_id}', { path })).toEqual(actions[0])
  })

  test('requests, confirmations and cancellations', async () => {
    const approving = await socketService({
      sql: service.sql,
      workspace: { promotion_requires_approval: true },
    })
    const careful = new ServiceClient(approving.url, { actor: 'ann' })
    const { release_id } = await register('1')
    const first = await careful.requestPromotion({ release_id, ...DECISION })
    const second = await careful.requestPromotion({ release_id, ...DECISION }, { actor: 'zoë' })
    expect([first.actor, second.actor]).toEqual(['ann', 'zo%C3%AB'])
    const query = { status: 'pending' } as const
    expect((await careful.call('GET /v1/promotion-requests', { query })).requests).toHaveLength(2)
    const body = { request_id: second.request_id, reason: 'one is enough' }
    await careful.call('POST /v1/promote/cancel', { body })
    const outcome = await careful.confirmPromotion({ request_id: first.request_id, approval_reason: 'fine' })
    expect(outcome.policy.passed).toBe(true)
  })

  test('a repeated idempotency key answers with what was answered first', async () => {
    const { release_id } = await register('1')
    const once = await client.promote({ release_id, ...DECISION }, { idempotencyKey: 'deploy-1' })
    expect(await client.promote({ release_id, ...DECISION }, { idempotencyKey: 'deploy-1' })).toEqual(once)
    expect((await client.listActions()).actions).toHaveLength(1)
  })

  test('a queue delivers what an agent logs', async () => {
    const { release_id } = await register('1')
    const defaults = { agent_id: 'bot', release_id, tenant_id: 't', environment: 'local' }
    const queue = new EventQueue(client, { defaults })
    const usage = { model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 1 } }
    const ids = Array.from({ length: 1700 }, () =>
      queue.add({ task_id: 'k', usage, timestamp: '2026-01-31T11:59:00Z' }),
    )
    expect(await queue.close()).toEqual({ logged: 1700, sent: 1700, dropped: 0, queued: 0 })
    const stored: string[] = []
    for await (const event of client.exportRuns({ release_id, window: '1h' })) stored.push(event.run_id)
    expect(stored.sort()).toEqual(ids)
  })
})
