import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../../src/base/time.ts'
import type { Answer } from '../../../support/services/call.ts'
import { overtaken } from '../../../support/databases/tampering/tamper.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  decision,
  failedChecks,
  ok,
  pointerOf,
  promote,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, type TestService, sameLedger } from '../../../support/services/service.ts'

const APPROVAL = { promotion_requires_approval: true }

/** Decisions that say what they replace. */
export function staleBaselineContract(makeService: MakeService): void {
  /** Three releases; the first was promoted, and then the second, a minute later, by ann. */
  async function live(): Promise<{ service: TestService; one: string; two: string; three: string }> {
    const service = await makeService({ workspace: { allow_forced_rollback: true } })
    await importPrices(service)
    await setPolicy(service, {})
    const [one, two, three] = [
      await register(service, { version: '1.0' }),
      await register(service, { version: '2.0' }),
      await register(service, { version: '3.0' }),
    ]
    await ok(promote(service, one))
    service.clock.now += 60_000
    await ok(promote(service, two, { actor: 'ann' }))
    return { service, one, two, three }
  }

  /** All that a refused decision might have left. */
  async function left(service: TestService): Promise<unknown> {
    const { entries } = await ok(service.call('GET /v1/audit'))
    const { requests } = await ok(service.call('GET /v1/promotion-requests'))
    const { counters } = await ok(service.call('GET /v1/metrics'))
    return { entries, requests, counters, live: await pointerOf(service) }
  }

  describe('a decision that names what it replaces', () => {
    test('is made where that is live, and says which version replaced which', async () => {
      const { service, one, two, three } = await live()
      const promoted = await ok(promote(service, three, { expected_baseline_release_id: two }))
      expect(promoted).toMatchObject({
        release_id: three,
        version: '3.0',
        baseline_release_id: two,
        baseline_version: '2.0',
        promoted_pointer_changed: true,
      })
      const back = { expected_baseline_release_id: three }
      expect(await ok(rollback(service, one, back))).toMatchObject({
        version: '1.0',
        baseline_version: '3.0',
      })
      const first = { environment: 'prod', expected_baseline_release_id: null }
      expect(await ok(promote(service, one, first))).toMatchObject({
        version: '1.0',
        baseline_version: null,
      })
    })

    test.each<[string, (of: { one: string }) => string | null]>([
      ['the release before', ({ one }) => one],
      ['nothing', () => null],
      ['a release that there is none of', () => 'rel_none'],
    ])('where it expects %s is 412 with who made what live when, and records nothing', async (_, of) => {
      const { service, one, two, three } = await live()
      const expected = of({ one })
      const before = await left(service)
      const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
      const at = isoTime(service.clock.now)
      const detail = {
        message:
          `Live for bot in local is now 2.0 (${two}), promoted by ann at ${at}; you expected ${expected ?? 'nothing'}. ` +
          'Nothing was recorded: compare with the live release, then decide again.',
        expected_baseline_release_id: expected,
        live: { release_id: two, version: '2.0', action_id, action: 'promote', actor: 'ann', created_at: at },
      }
      const more = { expected_baseline_release_id: expected }
      for (const call of [
        promote(service, three, more),
        rollback(service, three, more),
        promote(service, three, { ...more, dry_run: true }),
        rollback(service, one, { ...more, force: true }),
      ]) {
        expect(await stale(call)).toEqual(detail)
      }
      expect(await left(service)).toEqual(before)
      expect(await failedChecks(service)).toEqual([])
    })

    test('names a rollback, a forced one too, as what made the release live', async () => {
      const { service, one, two, three } = await live()
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      await ok(rollback(service, one, { force: true, actor: 'bob' }))
      const detail = await stale(promote(service, three, { expected_baseline_release_id: two }))
      expect(detail).toMatchObject({ live: { release_id: one, action: 'rollback', actor: 'bob' } })
      expect(detail.message).toContain(`is now 1.0 (${one}), rolled back to by bob at `)
    })

    test('is 412 where nothing is live at all', async () => {
      const { service, two, three } = await live()
      const elsewhere = { environment: 'prod', expected_baseline_release_id: two }
      const detail = await stale(promote(service, three, elsewhere))
      expect(detail).toMatchObject({ expected_baseline_release_id: two, live: null })
      expect(detail.message).toMatch(/^Nothing is live for bot in prod; you expected rel_/)
      expect(await pointerOf(service, 'bot', 'prod')).toBeUndefined()
    })

    test('is checked at a request and at each of its confirmations', async () => {
      const { service, one, two, three } = await live()
      const workspace = { ...APPROVAL, approvals_required: 2 }
      const careful = await sameLedger(service, service.sql, workspace)
      const request = (expected_baseline_release_id: string) =>
        careful.call('POST /v1/promote/request', { body: decision(three, { expected_baseline_release_id }) })
      expect(await stale(request(one))).toMatchObject({ live: { release_id: two } })
      const { request_id } = await ok(request(two))
      const confirm = (actor: string, expected_baseline_release_id: string | null) =>
        careful.call('POST /v1/promote/confirm', {
          body: { request_id, approval_reason: 'fine', actor, expected_baseline_release_id },
        })
      const before = await left(careful)
      expect(await stale(confirm('cy', one))).toMatchObject({ live: { release_id: two } })
      expect(await left(careful)).toEqual(before)
      expect((await confirm('cy', two)).status).toBe(202)
      await ok(rollback(service, one))
      expect(await stale(confirm('di', two))).toMatchObject({ live: { release_id: one } })
      // What the request expects holds whatever a confirmation expects.
      expect(await stale(confirm('di', one))).toMatchObject({
        message: expect.stringContaining('; the request expected rel_'),
        expected_baseline_release_id: two,
      })
      await ok(promote(service, two))
      expect(await ok(confirm('di', two))).toMatchObject({ version: '3.0', baseline_version: '2.0' })
    })

    test('has to name it by a text, or null', async () => {
      const { service, three } = await live()
      for (const expected_baseline_release_id of [7, '', ['rel_a'], false]) {
        const call = promote(service, three, { expected_baseline_release_id })
        expect(await unprocessableAt(call)).toEqual([['body', 'expected_baseline_release_id']])
      }
    })
  })

  describe('of decisions that meet', () => {
    test('one wins, on two servers too; the others name what it made live', async () => {
      const { service, two, three, one } = await live()
      const other = await sameLedger(service)
      const answers = await Promise.all(
        [service, other, service, other].map((server, index) =>
          promote(server, index < 2 ? one : three, { expected_baseline_release_id: two }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412])
      const winner = answers.find(({ status }) => status === 200)!.body
      for (const { body } of answers.filter(({ status }) => status === 412)) {
        expect(body.detail.live).toMatchObject({ action_id: winner.action_id, release_id: winner.release_id })
      }
      expect(await actionsOf(service)).toHaveLength(3)
    })

    test('one that loses its guard to a move is 412, to anything else it is made', async () => {
      const { service, one, two, three } = await live()
      const expecting = { expected_baseline_release_id: two }
      const after = (when: () => Promise<unknown>) =>
        sameLedger(service, overtaken(service.sql, 'INTO actions', when))
      const policySet = await after(() => setPolicy(service, { max_latency_ms: 1 }))
      expect(await ok(promote(policySet, two, expecting))).toMatchObject({ baseline_release_id: two })
      const moved = await after(() => ok(promote(service, one, { actor: 'eve' })))
      expect(await stale(promote(moved, three, expecting))).toMatchObject({
        live: { release_id: one, actor: 'eve' },
      })
      expect(await pointerOf(service)).toBe(one)
      expect(await failedChecks(service)).toEqual([])
    })
  })

  describe('an Idempotency-Key', () => {
    test('gives the recorded outcome though something else is live by then', async () => {
      const { service, one, two, three } = await live()
      const once = (release: string, expected_baseline_release_id: string, key: string) =>
        service.call('POST /v1/promote', {
          body: decision(release, { expected_baseline_release_id }),
          headers: { 'idempotency-key': key },
        })
      const made = await ok(once(three, two, 'k1'))
      const again = await once(three, two, 'k1')
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.body).toEqual(made)
      expect(await stale(once(one, two, 'k2'))).toMatchObject({ live: { release_id: three } })
      await ok(rollback(service, two))
      expect(await ok(once(one, two, 'k2'))).toMatchObject({ promoted_pointer_changed: true })
    })
  })
}

/** The detail of a 412. */
async function stale(answer: Promise<Answer>): Promise<{ message: string }> {
  const { status, text, body } = await answer
  expect({ status, text }).toMatchObject({ status: 412 })
  expect(Object.keys(body)).toEqual(['detail'])
  return body.detail
}
