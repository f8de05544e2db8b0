import { describe, expect, test } from 'vitest'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { cancel, confirm, request } from '../../../support/services/approvals.ts'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok, promote, rollback, setPolicy } from '../../../support/services/requests.ts'
import type { BoardEntry } from '../../../../src/models/answers/board.ts'
import type { Answer } from '../../../support/services/call.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const HOUR_MS = 3_600_000

/** The stored states of places: each change of what a place shows rebuilds its state. */
export function keptBoardContract(makeService: MakeService): void {
  const askBoard = async (service: TestService) => (await ok(service.call('GET /v1/board'))).board

  /** The board once each place of it is evaluated: a request leaves to the next one what the database refuses, being busy. */
  async function boardOf(service: TestService) {
    const isOutdated = ({ place, promoted }: BoardEntry) =>
      place.outdated === true ||
      (place.evaluated_at === null && (promoted !== null || place.candidate !== null))
    let board = await askBoard(service)
    const isEvaluated = async () => !(board = await askBoard(service)).some(isOutdated)
    if (board.some(isOutdated)) await expect.poll(isEvaluated, { timeout: 10_000 }).toBe(true)
    return board
  }

  /** Waits until what the last request read is kept. */
  async function keeps(service: TestService): Promise<void> {
    const outdated = sql`SELECT agent_id FROM place_answers WHERE evaluated_at IS NULL OR facts_stamp IS NULL
      OR facts_stamp <> '2 ' || (SELECT CAST(revision AS TEXT) FROM audit_head) || ' ' || CAST(changes AS TEXT)`
    await expect.poll(() => rowsOf(service.sql, outdated), { timeout: 10_000 }).toEqual([])
  }

  /** Acts where all places are kept, and expects the board to be another one then, which is that of a ledger that keeps nothing. */
  async function changes<T>(service: TestService, act: () => Promise<T>): Promise<T> {
    await boardOf(service)
    await keeps(service)
    const before = await boardOf(service)
    await service.sql.batch([sql`UPDATE place_answers SET facts_stamp = NULL`])
    expect(await boardOf(service)).toEqual(before)
    await keeps(service)
    const answer = await act()
    const after = await boardOf(service)
    expect(after).not.toEqual(before)
    await keeps(service)
    await service.sql.batch([sql`UPDATE place_answers SET facts_stamp = NULL`])
    expect(await boardOf(service)).toEqual(after)
    return answer
  }

  describe('what the board keeps of a place', () => {
    test('is read again after each change that it shows', async () => {
      const service = await makeService({ workspace: { approval_expires: '24h' } })
      // In this process no time passes by this clock, so that no request waits for its share of it.
      Object.assign(service.context, { elapsed: () => service.clock.now })
      const settings = service.context.workspace as { promotion_requires_approval: boolean }
      const does = (act: () => Promise<Answer>) => changes(service, () => ok(act()))
      const call = (route: Parameters<typeof service.call>[0], body: unknown) => () =>
        service.call(route, { body })
      await setPolicy(service, {})
      const baseline = await register(service, { version: '1' })
      await changes(service, () => importPrices(service))
      await changes(service, () => register(service, { version: '1', agent: 'other' }))
      await does(() => promote(service, baseline))
      const candidate = await changes(service, () => register(service, { version: '2' }))

      settings.promotion_requires_approval = true
      const wanted = await does(() => request(service, candidate))
      await does(() => cancel(service, wanted.request_id))
      await does(() => request(service, candidate))
      await changes(service, async () => (service.clock.now += 25 * HOUR_MS))
      const confirmed = await does(() => request(service, candidate))
      await does(() => confirm(service, confirmed.request_id, { actor: 'bea' }))
      settings.promotion_requires_approval = false
      await does(() => rollback(service, baseline))
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      await ingest(
        service,
        [baseline, candidate].flatMap(release_id =>
          Array.from({ length: 40 }, (_, index) =>
            eventOf({ release_id, run_id: `${release_id}-${index}`, at: service.clock.now - 60_000 }),
          ),
        ),
      )
      await changes(service, async () => {
        expect((await promote(service, candidate)).status).toBe(409)
      })
      await setPolicy(service, {})
      await does(() => promote(service, candidate))
      const place = { agent_id: 'bot', environment: 'local' }
      const { watch_id } = await does(call('POST /v1/watches', place))
      await does(call(`POST /v1/watches/${watch_id}/cancel`, { reason: 'moved' }))

      await setPolicy(service, { max_latency_increase_pct: 0.2 })
      const next = await changes(service, () => register(service, { version: '3' }))
      const plan = {
        release_id: next,
        environment: 'local',
        reason: 'r',
        steps: '50%:7d',
        max_duration: '30d',
      }
      const { rollout_id } = await does(call('POST /v1/rollouts', plan))
      for (const verb of ['pause', 'resume', 'abort'])
        await does(call(`POST /v1/rollouts/${rollout_id}/${verb}`, { reason: 'so' }))
      await changes(service, () => register(service, { version: '4', pricing: 'v2' }))
      const table = { ...PRICES, pricing_version: 'v2' }
      await changes(service, () => importPrices(service, table))
    })

    test('is shown for five minutes where somebody changed it in the database, however often the board is read', async () => {
      const service = await makeService({})
      Object.assign(service.context, { elapsed: () => service.clock.now })
      await setPolicy(service, {})
      await importPrices(service)
      await ok(promote(service, await register(service, { version: '1' })))
      await register(service, { version: '2' })
      const before = await boardOf(service)
      await keeps(service)
      const later = service.clock.now + 400 * 24 * HOUR_MS
      await service.sql.batch([
        sql`UPDATE place_answers SET facts_json = replace(facts_json, '"version":"1"', '"version":"9"'),
          answer_json = replace(answer_json, '"result":"not_yet"', '"result":"passed"'), evaluated_at = CAST(${later} AS BIGINT)`,
      ])
      service.clock.now += HOUR_MS / 12
      const after = await boardOf(service)
      expect(after).toEqual(
        (before as BoardEntry[]).map(entry => ({
          ...entry,
          place: { ...entry.place, evaluated_at: expect.any(String) },
        })),
      )
      await expect
        .poll(async () => {
          const [row] = await rowsOf(service.sql, sql`SELECT facts_json, evaluated_at FROM place_answers`)
          return [String(row!.facts_json).includes('"version":"9"'), row!.evaluated_at === later]
        })
        .toEqual([false, false])
    })
  })
}
