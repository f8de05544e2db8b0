import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../../src/base/time.ts'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { type EventOptions, PRICES, eventOf, register } from '../../../support/services/builders.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import {
  failedChecks,
  ingest,
  ok,
  promote,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import {
  LIMITS,
  MINUTE_MS,
  type RolloutScene,
  pass,
  rolloutOf,
  rolloutScene,
  start,
} from '../../../support/rollouts/scene.ts'

/** What is no rollout, and who may begin one. */
export function refusedRolloutsContract(makeService: MakeService): void {
  test('what can not be rolled out is refused, and nothing is recorded', async () => {
    const scene = await rolloutScene(makeService)
    const { service, baseline, candidate } = scene
    const foreign = await register(service, { agent: 'other' })
    const unpriced = await register(service, { version: '9', pricing: 'v9' })
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ release_id: 'rel_none' }, /^Unknown release: rel_none$/],
      [{ release_id: foreign }, /^Nothing of other is live in local: .* Promote one first\.$/],
      [{ environment: 'prod' }, /^Nothing of bot is live in prod/],
      [{ release_id: baseline }, /is live in local already\.$/],
      [{ release_id: unpriced }, /^Missing pricing table for candidate acme\/v9/],
      [{ reason: ' ' }, /^reason is required to start a rollout$/],
      [{ steps: '' }, /^Invalid steps: steps must name at least one share/],
      [{ steps: '0%:1h' }, /^Invalid steps: steps must name a share above 0 %/],
      [{ steps: '50%:1h,50%:1h' }, /^Invalid steps: steps must rise: 50%:1h comes after 50 %/],
      [
        { steps: '5%:1h,100%:1h' },
        /^Invalid steps: a share must be below 100 %: 100%:1h; completion is the last step/,
      ],
      [{ steps: '5%:30s' }, /^Invalid steps: the time of a step is a number and m, h or d, from 1m to 30d/],
      [{ steps: '5%:0m' }, /^Invalid steps: the time of a step/],
      [{ steps: '5:1h' }, /^Invalid steps: a step is SHARE%:TIME, such as 5%:1h; "5:1h" is not a step/],
      [{ steps: '-5%:1h' }, /^Invalid steps: a step is SHARE%:TIME/],
      [{ by: 'tenant', steps: '5%:1h,50%:1h' }, /^A rollout by tenant must begin with a step at 0 %/],
      [{ max_duration: '31d' }, /^Invalid max_duration "31d"/],
      [{ hold: '5%' }, /^Invalid hold: hold and hold_for go together/],
      [{ hold: '60%', hold_for: '1d' }, /^Invalid hold: hold must be above 0 % and at most 50 %/],
      [
        { max_duration: '2h' },
        /^This rollout would not complete within 2h: at 19\.2 runs an hour the steps take 22\.1 h/,
      ],
    ]
    for (const [body, message] of cases) expect(await refusal(start(scene, body), 400)).toMatch(message)
    expect(await unprocessableAt(start(scene, { by: 'agent' }))).toEqual([['body', 'by']])
    expect(await unprocessableAt(start(scene, { hold: 'some' }))).toEqual([['body', 'hold']])
    const stale = await start(scene, { expected_baseline_release_id: candidate })
    expect(stale.status).toBe(412)
    expect(stale.body.detail).toMatchObject({ live: { release_id: baseline } })
    await setPolicy(service, { max_latency_ms: 500 })
    expect(await refusal(start(scene), 400)).toMatch(/^The policy has no limit on a change/)
    expect(await ok(service.call('GET /v1/rollouts'))).toEqual({ rollouts: [] })
    const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100 } }))
    expect(entries.filter(({ kind }: { kind: string }) => kind.startsWith('rollout'))).toEqual([])
  })

  /** So many runs of the candidate in the last hour, of which some failed. */
  const candidateRan = (
    { service, candidate }: RolloutScene,
    runs: number,
    failing: number,
    apart = 5000,
    more: Partial<EventOptions> = {},
  ) =>
    ingest(
      service,
      Array.from({ length: runs }, (_, index) =>
        eventOf({
          release_id: candidate,
          run_id: `tried-${index}`,
          at: NOON - (index + 1) * apart,
          latency: 100,
          success: (index * failing) % runs >= failing,
          ...more,
        }),
      ),
    )

  const LONG = { max_duration: '30d' }

  const refusedRollouts = async ({ service }: RolloutScene) =>
    (await ok(service.call('GET /v1/audit', { query: { kind: 'rollout.refused' } }))).entries

  test('a release that is proven to break a limit gets no traffic, whatever its steps', async () => {
    const scene = await rolloutScene(makeService, { ...LIMITS, max_error_rate: 0.05 })
    await candidateRan(scene, 400, 200)
    expect((await promote(scene.service, scene.candidate)).status).toBe(409)
    const reason = /^candidate error_rate 0\.5000, at least 0\.39\d+, exceeds max_error_rate 0\.05 \(n 400\)$/
    for (const body of [{ steps: '99%:1m', ...LONG }, {}, { steps: '99%:1m', ...LONG, dry_run: true }]) {
      const { status, body: answer } = await start(scene, body)
      expect({ status, ...answer.detail }).toEqual({
        status: 409,
        message: expect.stringMatching(/^Rollout blocked: candidate error_rate/),
        reasons: [expect.stringMatching(reason)],
      })
    }
    // A dry run leaves no trace.
    expect(await refusedRollouts(scene)).toMatchObject([
      { actor: 'ann', reason: 'cheaper', details: { reasons: [expect.stringMatching(reason)] } },
      { actor: 'ann' },
    ])
    expect(await ok(scene.service.call('GET /v1/rollouts'))).toEqual({ rollouts: [] })
  })

  test('a start that was blocked is answered the same by its key', async () => {
    const scene = await rolloutScene(makeService, { ...LIMITS, max_error_rate: 0.05 })
    const { service, candidate } = scene
    await candidateRan(scene, 400, 200)
    const body = { release_id: candidate, environment: 'local', reason: 'cheaper', actor: 'ann' }
    const headers = { 'idempotency-key': 'roll-1' }
    const call = () => service.call('POST /v1/rollouts', { body, headers })
    const answers = await Promise.all([call(), call()])
    await setPolicy(service, LIMITS)
    for (const { status, text } of [...answers, await call()])
      expect({ status, text }).toEqual({ status: 409, text: answers[0].text })
    expect(await refusedRollouts(scene)).toHaveLength(1)
    const query = { deep: 'true' }
    expect(await ok(service.call('GET /v1/doctor', { query }))).toMatchObject({ ok: true })
  })

  test.each<[string, object, number, number]>([
    ['the point alone is beyond a limit', { max_error_rate: 0.05 }, 20, 2],
    ['the limit is on a change', { max_error_rate_increase: 0.01 }, 400, 200],
    ['the runs are too few for confidence', { require_high_diff_confidence: true }, 5, 0],
  ])('a release may begin where %s', async (_why, policy, runs, failing) => {
    const scene = await rolloutScene(makeService, { ...LIMITS, ...policy })
    await candidateRan(scene, runs, failing)
    expect(await ok(start(scene, LONG))).toMatchObject({ rollout_id: expect.any(String) })
  })

  test.each<[string, object, object, RegExp]>([
    [
      'cost',
      { max_cost_per_run_usd: 0.001 },
      {},
      /^candidate cost_per_run_usd \S+, at least \S+, exceeds max_cost_per_run_usd 0\.001 /,
    ],
    [
      'latency',
      { max_latency_ms: 200 },
      { latency: 900 },
      /^candidate latency_ms_avg 900\.00, at least 900\.00, exceeds max_latency_ms 200 /,
    ],
    [
      'a percentile',
      { max_latency_p95_ms: 200 },
      { latency: 900 },
      /^candidate latency_p95_ms 9\d\d .* exceeds max_latency_p95_ms 200/,
    ],
    ['a score', { min_scores: { 'reg/quality': 0.9 } }, {}, /score reg\/quality: no data against min_scores/],
    [
      'a suite',
      { suites: { reg: { must_pass: true } } },
      {},
      /^too little evidence on suite reg: it was never imported/,
    ],
  ])('so with a limit on %s', async (_what, policy, more, reason) => {
    const scene = await rolloutScene(makeService, { ...LIMITS, ...policy })
    await candidateRan(scene, 400, 0, 5000, more)
    const { status, body } = await start(scene)
    expect([status, body.detail.reasons]).toEqual([409, [expect.stringMatching(reason)]])
  })

  test('a first step above the largest takes a gate that passes', async () => {
    const scene = await rolloutScene(makeService)
    const text =
      /^The first step gives 60 % of the traffic to the candidate\. Above 50 % \(rollouts\.max_first_step\) the gate must pass, and it does not: /
    for (const steps of ['60%:1h', '0%:1h,60%:1h'])
      expect(await refusal(start(scene, { steps, ...LONG }), 400)).toMatch(text)
    expect(await refusedRollouts(scene)).toEqual([])
    const strict = await rolloutScene(makeService, LIMITS, {
      workspace: { rollouts: { max_first_step: 0.1 } },
    })
    expect(await refusal(start(strict, { steps: '11%:1h', ...LONG }), 400)).toMatch(/Above 10 % /)
    await ok(start(strict, { steps: '10%:1h,90%:1h', ...LONG }))
    const free = await rolloutScene(makeService, LIMITS, { workspace: { rollouts: { max_first_step: 1 } } })
    await ok(start(free, { steps: '97%:1h', ...LONG }))
    // As many runs as the live release has, at the same times: the gate passes.
    await candidateRan(scene, 480, 0, 3 * MINUTE_MS)
    await ok(start(scene, { steps: '60%:1h', ...LONG }))
  })

  test('the guard sees a broken limit from a few runs on, also beside few of the baseline', async () => {
    const scene = await rolloutScene(
      makeService,
      { ...LIMITS, max_error_rate: 0.05 },
      { workspace: { rollouts: { max_first_step: 1 } } },
    )
    await ok(start(scene, { steps: '97%:1h', ...LONG }))
    await pass(scene, 10, { failing: 0.5 })
    expect(await rolloutOf(scene)).toMatchObject({
      state: 'aborted',
      because: expect.stringMatching(
        /^candidate error_rate 0\.\d+, at least 0\.[1-5]\d+, exceeds max_error_rate 0\.05 \(n \d{2}\)$/,
      ),
    })
  })

  test('a place has one rollout at a time, and a new one takes what another holds back', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    const { rollout_id } = await ok(start(scene, { steps: '50%:30m', hold: '5%', hold_for: '7d' }))
    expect(await refusal(start(scene), 400)).toMatch(
      new RegExp(`^${rollout_id} of bot in local is running: an agent has one`),
    )
    await pass(scene, 60, {}, 60)
    const third = await register(service, { version: '3' })
    const second = await ok(start({ ...scene, candidate: third }))
    const { rollouts } = await ok(service.call('GET /v1/rollouts'))
    expect(rollouts).toMatchObject([
      { rollout_id: second.rollout_id, state: 'running', share: 0 },
      { rollout_id, state: 'completed', share: null, hold_until: isoTime(service.clock.now) },
    ])
  })

  test('a place without runs has nothing to split', async () => {
    const scene = await rolloutScene(makeService)
    await ok(promote(scene.service, scene.baseline, { environment: 'prod' }))
    expect(await refusal(start(scene, { environment: 'prod' }), 400)).toMatch(
      /^This rollout would not complete within 1d: bot had no runs in prod in the last 24 h/,
    )
  })

  test('a dry run says how long each step takes, and writes nothing', async () => {
    const scene = await rolloutScene(makeService)
    const planned = await ok(start(scene, { dry_run: true, hold: '5%', hold_for: '7d' }))
    expect(planned).toMatchObject({
      rollout_id: null,
      dry_run: true,
      by: 'session',
      runs_per_hour: 19.2,
      steps: [
        { share: 0, for: '1h', expected_hours: 1 },
        { share: 0.1, for: '10m', expected_hours: 0.2 },
        { share: 0.5, for: '1h', expected_hours: 20.9 },
      ],
      hold: { share: 0.05, for: '7d' },
      limits: { latency_ms: 0.2, cost_per_run_usd: 0.2, error_rate: 0.1 },
    })
    expect(await ok(scene.service.call('GET /v1/rollouts'))).toEqual({ rollouts: [] })
  })

  test('a repeated key begins it once', async () => {
    const scene = await rolloutScene(makeService)
    const { service, candidate } = scene
    const body = { release_id: candidate, environment: 'local', reason: 'so', steps: '50%:1h' }
    const send = () => service.call('POST /v1/rollouts', { body, headers: { 'idempotency-key': 'k-1' } })
    const [first, second] = [await send(), await send()]
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
    expect((await ok(service.call('GET /v1/rollouts'))).rollouts).toHaveLength(1)
  })

  test('it is seen and changed by whom its agent and environment are for', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    const { rollout_id } = await ok(start(scene))
    const path = `GET /v1/rollouts/${rollout_id}` as const
    for (const [name, scope] of Object.entries({ agents: ['other'], environments: ['prod'] })) {
      const caller = bearing(service, await grant(service, name, { role: 'write', [name]: scope }))
      expect((await ok(caller.call('GET /v1/rollouts'))).rollouts).toEqual([])
      await refusal(caller.call(path), 404)
      await refusal(caller.call(`POST /v1/rollouts/${rollout_id}/abort`, { body: { reason: 'so' } }), 404)
    }
    const reader = bearing(service, await grant(service, 'reader', { role: 'read' }))
    expect((await ok(reader.call(path))).rollout_id).toBe(rollout_id)
    await refusal(reader.call(`POST /v1/rollouts/${rollout_id}/abort`, { body: { reason: 'so' } }), 403)
  })

  describe('a freeze, and an order of environments', () => {
    const FROZEN = { freeze: [{ from: '2026-01-31T12:30:00Z', to: '2026-01-31T15:00:00Z', reason: 'sale' }] }

    const kinds = async ({ service }: Awaited<ReturnType<typeof rolloutScene>>): Promise<string[]> => {
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100 } }))
      return entries.map(({ kind }: { kind: string }) => kind)
    }

    test.each([
      ['a freeze', { freeze: [{ ...FROZEN.freeze[0]!, from: '2026-01-31T11:30:00Z' }] }, /\(freeze\)$/],
      ['an order of environments', { promotes_from: { local: 'prod' } }, /\(promotes_from\)$/],
    ])('refuse a dry run too, which writes nothing: %s', async (_, workspace, why) => {
      const scene = await rolloutScene(makeService)
      Object.assign(scene.service.context.workspace, workspace)
      const before = await kinds(scene)
      const planned = await start(scene, { dry_run: true })
      expect(planned.status).toBe(409)
      expect(planned.body.detail.reasons).toEqual([expect.stringMatching(why)])
      expect(await kinds(scene)).toEqual(before)
      expect((await start(scene)).body).toEqual(planned.body)
    })

    test('at the start refuse it, on record', async () => {
      const scene = await rolloutScene(makeService, undefined, { workspace: FROZEN })
      const { service } = scene
      service.clock.now += 3_600_000
      const { status, body } = await start(scene)
      expect(status).toBe(409)
      expect(body.detail.reasons).toEqual([
        expect.stringMatching(/^local is frozen from .*: sale \(freeze\)$/),
      ])
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100 } }))
      expect(entries[0]).toMatchObject({ kind: 'rollout.refused', actor: 'ann', reason: 'cheaper' })
      expect(await ok(service.call('GET /v1/rollouts'))).toEqual({ rollouts: [] })
    })

    test('in mid-rollout hold it', async () => {
      const scene = await rolloutScene(makeService, undefined, { workspace: FROZEN })
      await ok(start(scene, { steps: '10%:10m,50%:1h' }))
      await pass(scene, 20, {}, 20)
      expect(await rolloutOf(scene)).toMatchObject({ step: 1 })
      await pass(scene, 120, {}, 60)
      const { state, last_check } = await rolloutOf(scene)
      expect(state).toBe('running')
      expect(last_check.holds).toEqual([expect.stringMatching(/^local is frozen/)])
      scene.service.clock.now = NOON + 3 * 3_600_000
      await pass(scene, 10, {}, 10)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'completed' })
    })

    test('a release that was not live in the environment before is refused too', async () => {
      const scene = await rolloutScene(makeService)
      Object.assign(scene.service.context.workspace, { promotes_from: { local: 'prod' } })
      const { status, body } = await start(scene)
      expect(status).toBe(409)
      expect(body.detail.reasons).toEqual([
        expect.stringMatching(/^local promotes from prod: .* was never live there/),
      ])
    })
  })

  describe('a workspace that requires approval', () => {
    const request = (scene: Awaited<ReturnType<typeof rolloutScene>>) =>
      scene.service.call('POST /v1/rollouts/request', {
        body: {
          release_id: scene.candidate,
          environment: 'local',
          reason: 'cheaper',
          actor: 'ann',
          steps: '50%:30m',
        },
      })

    /** A rollout that ann has requested, and two have to confirm. */
    async function requested() {
      const scene = await rolloutScene(makeService, undefined, {
        workspace: { promotion_requires_approval: true },
      })
      const { service } = scene
      service.context.workspace.approvals_required = 2
      const { request_id } = await ok(request(scene))
      const confirm = (actor: string) =>
        service.call('POST /v1/rollouts/confirm', { body: { request_id, approval_reason: 'fine', actor } })
      return { scene, service, confirm }
    }

    test('has rollouts requested and confirmed, and records who did', async () => {
      const scene = await rolloutScene(makeService, undefined, {
        workspace: { promotion_requires_approval: true },
      })
      const { service } = scene
      service.context.workspace.approvals_required = 2
      service.context.workspace.approval_by_another = true
      expect(await refusal(start(scene), 400)).toMatch(/^This workspace requires approval/)
      const { request_id, ...made } = await ok(request(scene))
      expect(made).toMatchObject({ status: 'pending', actor: 'ann', approvals: [], approvals_required: 2 })
      const confirm = (actor: string) =>
        service.call('POST /v1/rollouts/confirm', { body: { request_id, approval_reason: 'fine', actor } })
      expect(await refusal(confirm('ann'), 400)).toMatch(/^ann asked for this rollout/)
      expect(await confirm('bea')).toMatchObject({ status: 202, body: { approvals: [{ actor: 'bea' }] } })
      expect(await refusal(confirm('bea'), 400)).toMatch(/^bea has confirmed/)
      const begun = await ok(confirm('cem'))
      expect(begun).toMatchObject({ state: 'running', started_by: 'cem', request: { requested_by: 'ann' } })
      expect(await refusal(confirm('dan'), 400)).toMatch(/is completed already/)
      const { requests } = await ok(service.call('GET /v1/rollout-requests'))
      expect(requests).toMatchObject([{ request_id, status: 'completed', rollout_id: begun.rollout_id }])
      for (const [id, found] of [
        [request_id, requests],
        ['prq_other', []],
      ] as const) {
        const one = service.call('GET /v1/rollout-requests', { query: { id } })
        expect(await ok(one)).toEqual({ requests: found })
      }
      expect(await ok(service.call('GET /v1/promotion-requests', { query: { status: 'pending' } }))).toEqual({
        requests: [],
      })
      await pass(scene, 60, {}, 60)
      const { state, action_id } = await rolloutOf(scene)
      expect(state).toBe('completed')
      const { evidence, reason } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(reason).toBe('cheaper | approval: fine')
      expect(evidence.request).toMatchObject({
        request_id,
        requested_by: 'ann',
        approvals: [{ actor: 'bea' }, { actor: 'cem' }],
      })
    })

    test('has them begun by the last confirmation, also where two come at once', async () => {
      const { service, confirm } = await requested()
      const answers = await Promise.all(['bea', 'cem'].map(confirm))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]))
      const { requests } = await ok(service.call('GET /v1/rollout-requests'))
      expect(requests).toMatchObject([{ status: 'completed', approvals: [{}, {}] }])
      const [{ rollout_id }] = requests
      const begun = await ok(service.call(`GET /v1/rollouts/${rollout_id}`))
      expect(begun.request.approvals).toHaveLength(2)
    })

    type Change = (scene: Awaited<ReturnType<typeof rolloutScene>>) => Promise<unknown>
    const DEARER = { ...PRICES, entries: [{ ...PRICES.entries[0]!, output_usd_per_1k_tokens: 3 }] }
    const CHANGES: readonly (readonly [string, Change, string])[] = [
      [
        'the policy is another',
        ({ service }) => setPolicy(service, { ...LIMITS, max_latency_ms: 900 }),
        'the policy has changed (max_latency_ms)',
      ],
      [
        'the prices are others',
        ({ service }) =>
          ok(service.call('POST /v1/pricing', { body: { table: DEARER, replace: true, reason: 'new' } })),
        'the price table acme/v1 has changed',
      ],
    ]
    test.each(CHANGES)('counts no confirmation any more once %s', async (_what, change, because) => {
      const { scene, service, confirm } = await requested()
      const first = await confirm('bea')
      expect(first).toMatchObject({ status: 202 })
      expect(first.body.approvals[0]).not.toHaveProperty('grounds')
      await change(scene)
      expect(await confirm('cem')).toMatchObject({
        status: 202,
        body: {
          approvals: [{ actor: 'cem' }],
          warnings: [expect.stringMatching(/^The confirmation by bea at \S+ no longer counts: the p/)],
        },
      })
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 1 } }))
      expect(entries).toMatchObject([
        { kind: 'rollout.approved', details: { void_approvals: [{ actor: 'bea', because: [because] }] } },
      ])
      const { requests } = await ok(service.call('GET /v1/rollout-requests'))
      expect(requests).toMatchObject([{ status: 'pending', approvals: [{ actor: 'cem' }] }])
      // Whoever gave it may check again.
      const begun = await ok(confirm('bea'))
      expect(begun.request.approvals).toMatchObject([{ actor: 'cem' }, { actor: 'bea' }])
      expect(begun.request.approvals[0]).not.toHaveProperty('grounds')
      expect(begun).not.toHaveProperty('warnings')
      expect(await failedChecks(service)).toEqual([])
    })

    test('refuses each confirmation once something else is live', async () => {
      const { scene, service, confirm } = await requested()
      service.context.workspace.promotion_requires_approval = false
      await setPolicy(service, {})
      await ok(promote(service, await register(service, { version: '3' })))
      service.context.workspace.promotion_requires_approval = true
      for (const required of [2, 1]) {
        service.context.workspace.approvals_required = required
        expect(await confirm('bea')).toMatchObject({
          status: 412,
          body: {
            detail: {
              message: expect.stringMatching(/; the request expected \w+\..* then request it again\.$/),
              expected_baseline_release_id: scene.baseline,
            },
          },
        })
      }
      const { requests } = await ok(service.call('GET /v1/rollout-requests'))
      expect(requests).toMatchObject([{ status: 'pending', approvals: [] }])
    })

    test('warns where the name of who confirms looks like another', async () => {
      const { confirm } = await requested()
      const warned = (count: number) => ({
        warnings: Array.from({ length: count }, () => expect.stringContaining('looks like')),
      })
      // The first letter is Cyrillic, the last one Armenian.
      expect(await confirm('\u0430nn')).toMatchObject({ status: 202, body: warned(1) })
      expect(await confirm('an\u0578')).toMatchObject({ status: 200, body: warned(2) })
    })

    test('has them confirmed by people alone, where it says so', async () => {
      const scene = await rolloutScene(makeService, undefined, {
        workspace: { promotion_requires_approval: true },
      })
      const { service } = scene
      service.context.workspace.approvals = { people_only: true }
      const { request_id } = await ok(request(scene))
      const body = { request_id, approval_reason: 'fine', actor: 'bea' }
      expect(await refusal(service.call('POST /v1/rollouts/confirm', { body }), 403)).toMatch(
        /^Only people who have signed in may confirm/,
      )
      expect(await ok(service.call('GET /v1/rollouts'))).toEqual({ rollouts: [] })
    })

    test('has them rejected, called back, and ended by their time', async () => {
      const scene = await rolloutScene(makeService, undefined, {
        workspace: { promotion_requires_approval: true, approval_expires: '1h' },
      })
      const { service } = scene
      const ended = async (actor: string) => {
        const { request_id } = await ok(request(scene))
        return ok(service.call('POST /v1/rollouts/reject', { body: { request_id, reason: 'no', actor } }))
      }
      expect(await ended('bea')).toMatchObject({
        status: 'cancelled',
        resolution: 'rejected',
        resolved_by: 'bea',
      })
      expect(await ended('ann')).not.toHaveProperty('resolution')
      const { request_id } = await ok(request(scene))
      service.clock.now += 3_600_000
      const body = { request_id, approval_reason: 'late', actor: 'bea' }
      expect(await refusal(service.call('POST /v1/rollouts/confirm', { body }), 400)).toMatch(/expired at/)
      const { requests } = await ok(
        service.call('GET /v1/rollout-requests', { query: { status: 'cancelled' } }),
      )
      expect(requests).toHaveLength(3)
      await keepLedger(service.context, { version: '1', pace: batch => batch() })
      const { requests: kept } = await ok(service.call('GET /v1/rollout-requests', { query: { limit: 1 } }))
      const reason = 'nobody confirmed it in time'
      expect(kept).toEqual([{ ...requests[0], resolved_by: 'service', resolution_reason: reason }])
      expect(kept).toMatchObject([{ resolution: 'expired', resolved_at: kept[0].expires_at }])
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'request.expired' } }))
      expect(entries).toMatchObject([
        { subject: request_id, actor: 'service', reason, details: { status: 'cancelled' } },
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('pauses one at its end that nobody confirmed', async () => {
      const scene = await rolloutScene(makeService)
      await ok(start(scene, { steps: '50%:30m' }))
      scene.service.context.workspace.promotion_requires_approval = true
      await pass(scene, 60, {}, 60)
      expect(await rolloutOf(scene)).toMatchObject({
        state: 'paused',
        because: expect.stringMatching(/this workspace requires approval now/),
      })
    })
  })
}
