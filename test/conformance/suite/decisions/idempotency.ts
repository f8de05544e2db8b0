import type { Answer } from '../../../support/services/call.ts'
import { describe, expect, test } from 'vitest'
import { importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  decision,
  ok,
  pointerOf,
  promote,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { promotedByTwo } from '../../../support/services/approvals.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const KEY = { 'idempotency-key': 'deploy-42' }

/** The Idempotency-Key header on promote, rollback, request and confirm (DESIGN, section 8). */
export function idempotencyContract(makeService: MakeService): void {
  describe('a repeated Idempotency-Key', () => {
    test.each(['promote', 'rollback'] as const)(
      'on %s answers with the recorded outcome and writes nothing',
      async action => {
        const { service, candidate } = await promoted(makeService)
        const call = () => service.call(`POST /v1/${action}`, { body: decision(candidate), headers: KEY })
        const first = await call()
        expect(first.status).toBe(200)
        expect(first.headers.get('idempotent-replayed')).toBeNull()
        service.clock.now += 60_000
        await setPolicy(service, { max_cost_per_run_usd: 0 })
        expectReplay(await call(), first)
        expectReplay(await call(), first)
        expect(await actionsOf(service)).toHaveLength(2)
      },
    )

    test('answers a block with the same block', async () => {
      const { service, candidate } = await promoted(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      const call = () => service.call('POST /v1/promote', { body: decision(candidate), headers: KEY })
      const first = await call()
      expect(first.status).toBe(409)
      await setPolicy(service, {})
      expectReplay(await call(), first)
      expect(await actionsOf(service)).toHaveLength(2)
    })

    test('on a request and on its confirmation works alike', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      const release = await register(service)
      const request = () =>
        service.call('POST /v1/promote/request', { body: decision(release), headers: KEY })
      const requested = await request()
      expect(requested.status).toBe(200)
      expectReplay(await request(), requested)
      expect((await ok(service.call('GET /v1/promotion-requests'))).requests).toHaveLength(1)
      const confirm = () =>
        service.call('POST /v1/promote/confirm', {
          body: { request_id: requested.body.request_id, approval_reason: 'fine' },
          headers: { 'idempotency-key': 'confirm-42' },
        })
      const confirmed = await confirm()
      expect(confirmed.status).toBe(200)
      expectReplay(await confirm(), confirmed)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('on a blocked request answers with the same block', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const call = () => service.call('POST /v1/promote/request', { body: decision(candidate), headers: KEY })
      const first = await call()
      expect(first.status).toBe(409)
      await setPolicy(service, {})
      expectReplay(await call(), first)
      expect((await ok(service.call('GET /v1/promotion-requests'))).requests).toHaveLength(1)
      expect(await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).toMatchObject({
        ok: true,
      })
    })

    test.each([
      ['another release', { release_id: 'rel_other' }],
      ['another reason', { reason: 'another' }],
      ['a dry run', { dry_run: true }],
    ])('with %s is 422 and writes nothing', async (_what, more) => {
      const { service, candidate } = await promoted(makeService)
      const call = (body: unknown) => service.call('POST /v1/promote', { body, headers: KEY })
      await ok(call(decision(candidate)))
      const locs = await unprocessableAt(call({ ...decision(candidate), ...more }))
      expect(locs).toEqual([['header', 'Idempotency-Key']])
      expect(await actionsOf(service)).toHaveLength(2)
    })

    test('on another route is 422', async () => {
      const { service, candidate } = await promoted(makeService)
      await ok(service.call('POST /v1/promote', { body: decision(candidate), headers: KEY }))
      const again = service.call('POST /v1/rollback', { body: decision(candidate), headers: KEY })
      expect(await unprocessableAt(again)).toEqual([['header', 'Idempotency-Key']])
    })

    test('that was refused may be used again', async () => {
      const service = await makeService()
      const release = await register(service)
      const call = (body: unknown) => service.call('POST /v1/promote', { body, headers: KEY })
      await refusal(call(decision(release, { window: '7w' })), 400)
      await unprocessableAt(call(decision(release, { colour: 'red' })))
      const first = await call(decision(release))
      expect(first.status).toBe(200)
      expect(first.headers.get('idempotent-replayed')).toBeNull()
    })

    test('that is blank is none, and one that is too long is 422', async () => {
      const { service, candidate } = await promoted(makeService)
      const call = (key: string) =>
        service.call('POST /v1/promote', { body: decision(candidate), headers: { 'idempotency-key': key } })
      await ok(call(' '))
      await ok(call(' '))
      expect(await actionsOf(service)).toHaveLength(3)
      await ok(call('k'.repeat(255)))
      expect(await unprocessableAt(call('k'.repeat(256)))).toEqual([['header', 'Idempotency-Key']])
    })
  })

  describe('duplicates that race', () => {
    test.each(['promote', 'rollback'] as const)('on %s give one action', async action => {
      const { service, candidate } = await promoted(makeService)
      await race(8, () => service.call(`POST /v1/${action}`, { body: decision(candidate), headers: KEY }))
      expect(await actionsOf(service)).toHaveLength(2)
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('on a first promotion give one action, though a second one would be refused', async () => {
      const service = await makeService()
      const release = await register(service)
      await race(8, () => service.call('POST /v1/promote', { body: decision(release), headers: KEY }))
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('on a block give one action', async () => {
      const { service, candidate } = await promoted(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      await race(8, () => service.call('POST /v1/promote', { body: decision(candidate), headers: KEY }), 409)
      expect(await actionsOf(service)).toHaveLength(2)
    })

    test('on a request give one request, and on its confirmation one action', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      const release = await register(service)
      const { request_id } = await race(8, () =>
        service.call('POST /v1/promote/request', { body: decision(release), headers: KEY }),
      )
      expect((await ok(service.call('GET /v1/promotion-requests'))).requests).toHaveLength(1)
      const { action_id } = await race(8, () =>
        service.call('POST /v1/promote/confirm', {
          body: { request_id, approval_reason: 'fine' },
          headers: { 'idempotency-key': 'confirm-42' },
        }),
      )
      expect(await actionsOf(service)).toMatchObject([{ action_id }])
    })

    test('on a blocked request give one answer', async () => {
      const { service, candidate } = await promotedByTwo(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1 })
      const call = () => service.call('POST /v1/promote/request', { body: decision(candidate), headers: KEY })
      expect(await race(8, call, 409)).toMatchObject({ detail: { policy: { passed: false } } })
    })

    test('without a key are decisions of their own, each against the one before it', async () => {
      const { service, baseline, candidate } = await promoted(makeService)
      await importPrices(service, { provider: 'x', pricing_version: '1', entries: [] })
      const answers = await Promise.all(
        [candidate, baseline, candidate, baseline, candidate, baseline].map(release =>
          promote(service, release),
        ),
      )
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200, 200])
      const trail = (await actionsOf(service)).toReversed()
      expect(trail.map(action => action.audit_seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
      for (const [index, action] of trail.entries()) {
        expect(action.baseline_release_id).toBe(index === 0 ? null : trail[index - 1]!.release_id)
      }
      expect(await pointerOf(service)).toBe(trail.at(-1)!.release_id)
      expect((await ok(service.call('GET /v1/doctor'))).ok).toBe(true)
    })

    test('and some that are refused or come twice are as many decisions as are answered', async () => {
      const { service, baseline, candidate } = await promoted(makeService)
      const call = () => service.call('POST /v1/promote', { body: decision(candidate), headers: KEY })
      const answers = await Promise.all([
        promote(service, candidate),
        promote(service, baseline, { expected_baseline_release_id: 'rel_other' }),
        call(),
        promote(service, 'rel_unknown'),
        call(),
        promote(service, baseline),
      ])
      expect(answers.map(answer => answer.status)).toEqual([200, 412, 200, 400, 200, 200])
      const [first, , keyed, , again, last] = answers.map(answer => answer.body.action_id)
      expect(again).toBe(keyed)
      const trail = (await actionsOf(service)).toReversed()
      expect(trail).toHaveLength(4)
      expect(new Set(trail.slice(1).map(action => action.action_id))).toEqual(new Set([first, keyed, last]))
      for (const [index, action] of trail.slice(1).entries()) {
        expect(action.baseline_release_id).toBe(trail[index]!.release_id)
      }
      expect((await ok(service.call('GET /v1/doctor'))).ok).toBe(true)
    })
  })
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status).toBe(first.status)
  expect(answer.body).toEqual(first.body)
  expect(answer.headers.get('idempotent-replayed')).toBe('true')
}

/** Sends the same request at once; all answers must be equal and all but one replayed. Returns their body. */
async function race(count: number, call: () => Promise<Answer>, status = 200) {
  const answers = await Promise.all(Array.from({ length: count }, () => call()))
  for (const answer of answers) {
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answers[0]!.text })
  }
  const replayed = answers.filter(answer => answer.headers.get('idempotent-replayed') === 'true')
  expect(replayed).toHaveLength(count - 1)
  return answers[0]!.body
}

async function promoted(
  makeService: MakeService,
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService()
  await setPolicy(service, {})
  const releases = await twoReleases(service, 1)
  await ok(promote(service, releases.baseline))
  return { service, ...releases }
}
