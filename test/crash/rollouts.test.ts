import { describe, expect, test } from 'vitest'
import { assign, isCandidate } from '../../src/base/assignment.ts'
import { CLOCK } from '../../src/sql/dialect.ts'
import { raw, sql } from '../../src/sql/port.ts'
import type { Services } from '../../src/runtime/services.ts'
import { PRICES, eventOf } from '../support/services/builders.ts'
import { scaled } from '../support/scale.ts'
import { killedAnywhere } from './killed_checks.ts'
import { PLACES } from './places.ts'
import { type Place, call, open } from './programs/support.ts'
import { registered } from './registered.ts'
import { expectSound } from './verify.ts'

const HOUR_MS = 3_600_000
/** When the check comes: a little after the step is over. */
const LATER_MS = HOUR_MS + 60_000

/** Checks that change what is in force, by what the candidate's runs take; those of the baseline take 100 ms. */
const CHECKS = [
  { ends: 'completed', latency: 100, actions: 2 },
  { ends: 'aborted', latency: 200, actions: 1 },
] as const

describe.each(PLACES)('on %s', (_name, makePlace) => {
  test.each(CHECKS.slice(0, scaled(1, CHECKS.length)))(
    'a check that is killed between any two statements leaves one rollout that is $ends, once',
    async ({ ends, latency, actions }) => {
      await killedAnywhere({
        what: 'rollouts',
        laterMs: LATER_MS,
        prepare: async () => {
          const place = await makePlace()
          const { baseline, candidate } = await overdue(place, latency)
          const live = ends === 'completed' ? candidate : baseline
          return { place, check: () => expectOneEnd(place, { ends, live, actions }) }
        },
      })
    },
  )
})

/** A ledger with a rollout whose only step is over by the time of the check. */
async function overdue(place: Place, latency: number): Promise<{ baseline: string; candidate: string }> {
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  await call(services, 'PUT /v1/policy', { max_latency_increase_pct: 0.2, max_error_rate_increase: 0.1 })
  await call(services, 'POST /v1/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['promote.succeeded', 'rollout.completed', 'rollout.aborted'],
  })
  const [baseline, candidate] = (await registered(services, ['1', '2'])) as [string, string]
  const now = Date.now()
  const before = Array.from({ length: 480 }, (_, index) =>
    eventOf({
      release_id: baseline,
      run_id: `before-${index}`,
      at: now - (index + 1) * 180_000,
      latency: 100,
    }),
  )
  expect((await call(services, 'POST /v1/events', { events: before })).status).toBe(200)
  const at = { environment: 'local', reason: 'ready' }
  await call(services, 'POST /v1/promote', { ...at, release_id: baseline, window: '2h' })
  const rollout = { ...at, release_id: candidate, steps: '50%:1h', max_duration: '2d' }
  const started = await call(services, 'POST /v1/rollouts', rollout)
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  const { rollout_id } = started.body as { rollout_id: string }

  const events: unknown[] = []
  for (let session = 0; session < 300; session++) {
    const session_id = `session-${session}`
    const isNew = isCandidate(await assign(rollout_id, session_id), 0.5)
    for (let run = 0; run < 2; run++) {
      const mean = (isNew ? latency : 100) * (0.8 + 0.004 * ((session * 37 + run * 11) % 100))
      events.push(
        eventOf({
          release_id: isNew ? candidate : baseline,
          run_id: `${session_id}-${run}`,
          at: now + 600_000 + session * 10_000 + run * 1000,
          latency: Math.round(mean),
          request: { session_id },
        }),
      )
    }
  }
  const stored = await call(later(services), 'POST /v1/events', { events })
  expect(stored.body).toMatchObject({ inserted: events.length })
  await services.sql.close()
  return { baseline, candidate }
}

/** The same ledger when the check comes. */
function later(services: Services): Services {
  const clock = sql`(${CLOCK} + ${raw(String(LATER_MS))})`
  return { ...services, sql: { ...services.sql, clock }, now: () => Date.now() + LATER_MS }
}

async function expectOneEnd(
  place: Place,
  { ends, live, actions }: { readonly ends: string; readonly live: string; readonly actions: number },
): Promise<void> {
  const services = await open(place)
  expect(await expectSound(services.sql)).toHaveLength(actions)
  const [rollouts, entries, deliveries, pointers] = await services.sql.snapshot([
    sql`SELECT state, checks FROM rollouts`,
    sql`SELECT kind FROM audit_log WHERE kind LIKE 'rollout.%' ORDER BY log_seq`,
    sql`SELECT event FROM webhook_deliveries WHERE event LIKE 'rollout.%'`,
    sql`SELECT release_id FROM promoted_pointers`,
  ])
  expect(rollouts!.rows).toEqual([{ state: ends, checks: 1 }])
  // What completes a rollout is the promotion, whose entry is of kind decision.
  const kinds = ends === 'completed' ? ['rollout.started'] : ['rollout.started', `rollout.${ends}`]
  expect(entries!.rows.map(({ kind }) => kind)).toEqual(kinds)
  expect(deliveries!.rows).toEqual([{ event: `rollout.${ends}` }])
  expect(pointers!.rows).toEqual([{ release_id: live }])
  await services.sql.close()
}
