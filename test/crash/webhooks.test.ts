import { describe, expect, test } from 'vitest'
import { drainOutbox } from '../support/services/drain_outbox.ts'
import { LEASE_MS } from '../../src/ledger/webhooks/outbox.ts'
import { PRICES } from '../support/services/builders.ts'
import { httpReceiver } from '../support/processes/http_receiver.ts'
import { start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import { PLACES } from './places.ts'
import { type Place, call, open } from './programs/support.ts'
import { registered } from './registered.ts'
import { expectSound } from './verify.ts'

const KILLS = scaled(3, 200)

const PROCESSES = 3
const DELIVERIES = scaled(30, 100)

describe.each(PLACES)('on %s', (_name, makePlace) => {
  test(`${KILLS} kills between commit and delivery leave no decision unannounced`, async () => {
    const place = await makePlace()
    let answers = true
    const receiver = await httpReceiver(response => {
      if (answers) response.end('thanks')
    })
    const { releases } = await prepare(place, receiver.url)

    for (let kill = 0; kill < KILLS; kill++) {
      // The last one dies in a delivery: nobody answers it.
      answers = kill < KILLS - 1
      const running = start('announce.ts', { place, releases })
      await running.printed(1 + (kill % 5))
      // The first one dies after a delivery, the others before, in or after one.
      if (kill === 0 || !answers) await receiver.arrived(receiver.received.length + 1)
      else await new Promise(resolve => setTimeout(resolve, Math.random() * 120))
      running.child.kill('SIGKILL')
      const { signal, stderr } = await running.ended
      expect(stderr).toBe('')
      expect(signal).toBe('SIGKILL')
    }

    answers = true
    const restarted = await open(place)
    const before = receiver.received.length
    const { body: metrics } = await call(restarted, 'GET /v1/metrics')
    const { webhook_deliveries_pending } = metrics.counters as { webhook_deliveries_pending: number }
    // Leases of the dead are over by then.
    const later = () => ({ text: String(Date.now() + LEASE_MS), params: [] })
    const sql = Object.defineProperty({ ...restarted.sql }, 'clock', { get: later })
    await drainOutbox({ ...restarted, sql }, { forMs: 600_000 })
    const actions = await expectSound(restarted.sql)
    const idsByAction = new Map<string, Set<string>>()
    for (const { body, headers } of receiver.received) {
      const { delivery_id, data } = JSON.parse(body) as { delivery_id: string; data: { action_id: string } }
      expect(headers['webhook-id']).toBe(delivery_id)
      idsByAction.set(data.action_id, (idsByAction.get(data.action_id) ?? new Set()).add(delivery_id))
    }
    expect([...idsByAction.keys()].toSorted()).toEqual(actions.map(action => action.action_id).toSorted())
    expect([...idsByAction.values()].filter(ids => ids.size !== 1)).toEqual([])
    // The kills left something behind, and something was sent before.
    expect(webhook_deliveries_pending).toBeGreaterThan(0)
    expect(receiver.received.length - before).toBeGreaterThanOrEqual(webhook_deliveries_pending)
    expect(before).toBeGreaterThan(0)
    const { body: after } = await call(restarted, 'GET /v1/metrics')
    expect(after.counters).toMatchObject({ webhook_deliveries_pending: 0, webhook_deliveries_failed: 0 })
    await restarted.sql.close()
  })

  test(`${PROCESSES} processes that drain one outbox at once send each delivery once`, async () => {
    const place = await makePlace()
    const receiver = await httpReceiver()
    const { releases } = await prepare(place, receiver.url)
    const services = await open(place)
    for (let round = 0; round < DELIVERIES; round++) {
      const body = { release_id: releases[0], environment: 'local', window: '1h', reason: `round ${round}` }
      await call(services, 'POST /v1/promote', body)
    }
    const running = Array.from({ length: PROCESSES }, () => start('drain.ts', { place }))
    for (const { ended } of running) expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(receiver.received).toHaveLength(DELIVERIES)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(DELIVERIES)
    const { body } = await call(services, 'GET /v1/metrics')
    expect(body.counters).toMatchObject({ webhook_deliveries_pending: 0, webhook_deliveries_failed: 0 })
    await services.sql.close()
  })
})

/** A ledger with two releases, whose promotions are announced to `url`. */
async function prepare(place: Place, url: string): Promise<{ releases: string[] }> {
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  await call(services, 'PUT /v1/policy', { require_high_diff_confidence: false })
  await call(services, 'POST /v1/webhooks', { url, events: ['promote.succeeded', 'promote.blocked'] })
  const releases = await registered(services, ['1', '2'])
  await services.sql.close()
  return { releases }
}
