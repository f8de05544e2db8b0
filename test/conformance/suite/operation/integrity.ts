import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/sql/port.ts'
import {
  eventOf,
  importPrices,
  ingestMany,
  register,
  twoReleases,
} from '../../../support/services/builders.ts'
import {
  failedChecks,
  actionsOf,
  diff,
  ingest,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'

/** What no crash, clock, restore or hand on the database may turn into a wrong decision, or hide from the doctor. */
export function integrityContract(makeService: MakeService): void {
  describe('the promoted pointer', () => {
    async function blocked() {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service)
      await setPolicy(service, { max_latency_ms: 1 })
      await ok(promote(service, baseline))
      expect((await promote(service, candidate)).status).toBe(409)
      return { service, baseline, candidate }
    }

    test('is not deleted by the database', async () => {
      const { service } = await blocked()
      await expect(service.sql.batch([sql`DELETE FROM promoted_pointers`])).rejects.toMatchObject({
        kind: 'other',
      })
      expect(await pointerOf(service)).toBeDefined()
    })

    test('that is gone makes no first promotion: the decision is refused, the doctor names it, a rebuild mends it', async () => {
      const { service, baseline, candidate } = await blocked()
      await tamper(service.sql, 'promoted_pointers', sql`DELETE FROM promoted_pointers`)
      expect(await refusal(promote(service, candidate), 400)).toMatch(/pointer is missing.*svc doctor/)
      expect(await failedChecks(service)).toEqual([
        ['promoted_pointer:bot:local', expect.stringMatching(/is missing/)],
      ])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await pointerOf(service)).toBe(baseline)
      expect((await promote(service, candidate)).status).toBe(409)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that was moved past the trail is refused and named', async () => {
      const { service, baseline, candidate } = await blocked()
      const moved = sql`UPDATE promoted_pointers SET release_id = ${candidate}`
      await service.sql.batch([moved])
      expect(await refusal(rollback(service, baseline), 400)).toMatch(/changed by another program/)
      expect(await failedChecks(service)).toMatchObject([['promoted_pointer:bot:local', expect.any(String)]])
      const { differences } = await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(differences).toEqual([
        `the pointer of bot in local is ${candidate}, but the last passed decision chose ${baseline}`,
      ])
      expect(await pointerOf(service)).toBe(baseline)
      expect((await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))).differences).toEqual([])
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'rollups' } }))
      expect(entries).toMatchObject([{ details: { differences: [] } }, { details: { differences } }])
    })

    test('is put back only after the log says so', async () => {
      const { service, candidate } = await blocked()
      await service.sql.batch([sql`UPDATE promoted_pointers SET release_id = ${candidate}`])
      await tamper(service.sql, 'audit_head', sql`UPDATE audit_head SET log_seq = log_seq - 1`)
      expect((await service.call('POST /v1/rollups/rebuild', { body: {} })).status).toBe(500)
      expect(await pointerOf(service)).toBe(candidate)
    })
  })

  describe('the audit trail', () => {
    async function threeDecisions(): Promise<TestService> {
      const service = await makeService()
      await importPrices(service)
      await setPolicy(service, {})
      for (const version of ['1', '2', '3']) await ok(promote(service, await register(service, { version })))
      return service
    }

    test('is verified from its first row on', async () => {
      const service = await threeDecisions()
      await tamper(service.sql, 'actions', sql`UPDATE actions SET actor = 'nobody' WHERE audit_seq = 2`)
      expect(await failedChecks(service, true)).toEqual([
        ['audit_chain_and_decisions', expect.stringMatching(/^audit_seq 2: its actor differs/)],
      ])
    })

    test('is a history of pointers: a baseline that was not promoted then is named', async () => {
      const service = await threeDecisions()
      const forged = sql`UPDATE actions SET baseline_release_id = NULL WHERE audit_seq = 3`
      await tamper(service.sql, 'actions', forged)
      expect(await failedChecks(service)).toEqual([
        ['audit_chain', expect.stringMatching(/^audit_seq 3: its baseline is none/)],
      ])
    })

    test('is held against the releases that its decisions were about', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service)
      await setPolicy(service, {})
      for (const release of [baseline, candidate]) await ok(promote(service, release))
      const forged = sql`UPDATE releases SET checksum = ${'f'.repeat(64)} WHERE release_id = ${candidate}`
      await tamper(service.sql, 'releases', forged)
      expect(await failedChecks(service, true)).toEqual([
        ['audit_chain_and_decisions', expect.stringMatching(/another checksum than at the decision/)],
        ['audit_log', expect.stringMatching(/releases seq 2 is not as it was written/)],
      ])
    })
  })

  describe('sums', () => {
    test.each([
      ['of the largest counts', 1e12, 60],
      ['beyond what a double holds exactly', 1e12, 9100],
    ])('%s behind the window leave nothing in it', async (_what, tokens, count) => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 0)
      const inside = Array.from({ length: 10 }, (_, index) =>
        eventOf({
          release_id: candidate,
          run_id: `in-${index}`,
          at: NOON + 1000,
          input: 100,
          output: 0,
          latency: 5,
        }),
      )
      await ingest(service, inside)
      for (let start = 0; start < count; start += 500) {
        const later = Array.from({ length: Math.min(500, count - start) }, (_, index) =>
          eventOf({
            release_id: candidate,
            run_id: `later-${start + index}`,
            at: NOON + 30_000,
            input: tokens,
            output: tokens,
            cached: tokens,
            latency: 1e10,
          }),
        )
        await ingest(service, later)
      }
      service.clock.now = NOON + 10_000
      const { metrics, samples } = await ok(diff(service, [baseline, candidate]))
      expect(samples.candidate_runs).toBe(10)
      expect(metrics).toMatchObject({ candidate_cost_per_run_usd: 0.1, candidate_latency_ms_avg: 5 })
    })

    test.each([
      ['input_tokens', { input: 1e12 + 1 }],
      ['output_tokens', { output: 1e12 + 1 }],
      ['cached_input_tokens', { cached: Number.MAX_SAFE_INTEGER }],
      ['latency_ms', { latency: 1e10 + 1 }],
    ])('stay exact, because %s above its bound is refused', async (field, values) => {
      const service = await makeService()
      const event = eventOf({ release_id: 'rel_a', run_id: 'a', ...values })
      const answer = service.call('POST /v1/events', { body: { events: [event] } })
      expect(await refusal(answer, 400)).toContain(field)
    })
  })

  describe('a rebuild', () => {
    test('while events come in counts each of them once', async () => {
      const service = await makeService()
      const { baseline } = await twoReleases(service, 0)
      const state = { isOver: false }
      const write = async (writer: number) => {
        for (let round = 0; !state.isOver; round++) {
          const at = NOON - ((round * 37 + writer * 11) % 50) * 60_000
          await ingest(service, [eventOf({ release_id: baseline, run_id: `${writer}-${round}`, at })])
        }
      }
      const writers = [1, 2, 3].map(write)
      for (let round = 0; round < 4; round++) await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      state.isOver = true
      await Promise.all(writers)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  test('a run that is counted for another release than its text says is named', async () => {
    const service = await makeService()
    const { baseline, candidate } = await twoReleases(service, 0)
    for (const release_id of [baseline, candidate]) await ingestMany(service, 1, { release_id })
    const swapped = sql`UPDATE scopes SET release_id = CASE release_id
      WHEN ${baseline} THEN ${candidate} ELSE ${baseline} END || '-'`
    await tamper(service.sql, 'scopes', swapped)
    expect(await failedChecks(service, true)).toEqual([
      ['event_ids', expect.stringMatching(/run_id .* was stored for another release or model than rel_/)],
    ])
    expect(await actionsOf(service)).toEqual([])
  })
}
