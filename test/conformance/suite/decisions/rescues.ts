import { describe, expect, test } from 'vitest'
import { raw } from '../../../../src/sql/port.ts'
import {
  actionsOf,
  diffOf,
  failedChecks,
  ok,
  pointerOf,
  promote,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { minute, promotedScene, runs, watchOf } from '../../../support/watches/scene.ts'

const HOUR_MS = 3_600_000

/** Every limit beyond the contract's four constraints; a release that fails fast makes most of them point backwards. */
const FURTHER = {
  max_cost_increase_pct: 0.1,
  max_latency_increase_pct: 0.1,
  max_error_rate_increase: 0.02,
  max_latency_p95_ms: 1,
  max_latency_p99_ms: 1,
  max_latency_p95_increase_pct: 0.1,
  max_latency_p99_increase_pct: 0.1,
  max_segment_cost_increase_pct: 0.1,
  max_segment_latency_increase_pct: 0.1,
  max_segment_error_rate_increase: 0.02,
  max_tool_calls_increase_pct: 0.1,
  min_scores: { quality: 0.9 },
  max_score_drop: { quality: 0.1 },
  suites: { safety: { must_pass: true } },
  capabilities: { widened: 'block', forbid: ['sends'] },
  max_undeclared_tool_calls: 0,
  min_days_to_retirement: 3650,
}

const WINDOW = { window: '24h' }

/** Rollbacks away from a release that fails, which a policy may not hold up by more than the contract asks. */
export function rescuesContract(makeService: MakeService): void {
  /** Live is a release of which 60 of 100 runs fail after a tenth of the time; the one before is good. */
  async function failingFast(live = 1000, workspace?: Readonly<Record<string, unknown>>) {
    const service = await makeService(workspace === undefined ? {} : { workspace })
    await importPrices(service)
    const [good, bad] = [await register(service, { version: '1' }), await register(service, { version: '2' })]
    await runs(service, good, 1000, NOON - 3 * HOUR_MS, { latency: 1000 })
    await runs(service, bad, live, NOON - HOUR_MS, { latency: 1000, failingFast: 0.6 })
    await setPolicy(service, {})
    const first = { first: true, window: '24h' }
    await ok(promote(service, good, first))
    await setPolicy(service, { require_high_diff_confidence: false })
    await ok(promote(service, bad, WINDOW))
    return { service, good, bad }
  }

  const explained = async (service: TestService): Promise<unknown> => {
    const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
    return ok(service.call(`GET /v1/actions/${action_id}/explain`))
  }

  test('a fix beside a release that fails fast is promoted; older sums are compared over all runs, until they are rebuilt', async () => {
    const { service, good, bad } = await failingFast(10)
    const now = service.clock.now - HOUR_MS
    await runs(service, bad, 1500, now, { latency: 1000, failingFast: 0.15 })
    await runs(service, good, 1500, now, { latency: 1000, failingFast: 0.02 })
    const limits = {
      max_cost_increase_pct: 0.1,
      max_latency_increase_pct: 0.1,
      max_error_rate_increase: 0.02,
    }
    await setPolicy(service, { require_high_diff_confidence: false, ...limits })
    const compared = async (body = {}) => {
      const { statistics, policy } = await diffOf(service, [bad, good], { window: '2h', ...body })
      const { of_succeeded, cost_per_run_usd, latency_ms, warnings } = statistics
      return { of_succeeded, cost_per_run_usd, latency_ms, warnings, passed: policy.passed }
    }
    const found = await compared()
    expect(found).toMatchObject({ of_succeeded: true, passed: true, warnings: [] })
    // With a filter runs are read one by one.
    expect(await compared({ tenant_id: 't1' })).toEqual(found)

    const { sql: db, memo } = service.context
    for (const table of ['rollup_minutes', 'rollup_hours']) {
      await db.batch([
        raw(`UPDATE ${table} SET failed_count = 0, failed_latency_sum = 0, failed_input_sum = 0`),
      ])
    }
    // A process that begins remembers no sums.
    memo.features.clear()
    const { of_succeeded, ...older } = await compared()
    expect([of_succeeded, older.passed, older.warnings]).toEqual([
      undefined,
      false,
      [expect.stringMatching(/^cost and latency are compared over all runs, failed ones too: /)],
    ])
    expect(await failedChecks(service, true)).toEqual([])
    await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
    expect(await compared()).toEqual(found)
    await ok(promote(service, good, { window: '2h' }))
    expect(await explained(service)).toMatchObject({ equal: true })
  })

  describe('a rollback away from a release that fails fast', () => {
    test.each([{}, { strict: true }])('is asked the constraints of the contract alone: %o', async more => {
      const { service, good } = await failingFast(1000, more)
      await setPolicy(service, { ...FURTHER, max_latency_ms: 2000 })
      expect((await promote(service, good, WINDOW)).status).toBe(409)
      const tried = await ok(rollback(service, good, { ...WINDOW, dry_run: true }))
      expect(tried.policy).toMatchObject({ passed: true, reasons: [] })
      await ok(rollback(service, good, WINDOW))
      expect(await pointerOf(service)).toBe(good)
      expect(await explained(service)).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is not held up by a constraint without data in a strict workspace, which is said', async () => {
      const service = await makeService({ workspace: { strict: true } })
      await importPrices(service)
      const [good, bad] = [await register(service), await register(service, { version: '2' })]
      await ok(promote(service, good, { first: true, window: '24h' }))
      await setPolicy(service, { require_high_diff_confidence: false })
      await ok(promote(service, bad, WINDOW))
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_ms: 1 })
      expect((await promote(service, good, WINDOW)).status).toBe(409)
      const { policy } = await ok(rollback(service, good, WINDOW))
      expect(policy).toMatchObject({
        passed: true,
        warnings: [expect.stringMatching(/^max_latency_ms cannot be checked/)],
      })
      expect(await explained(service)).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is asked the limits that on_rollback names', async () => {
      const { service, good, bad } = await failingFast()
      await setPolicy(service, {
        ...FURTHER,
        on_rollback: ['max_cost_increase_pct', 'max_latency_p95_ms', 'min_scores'],
      })
      const blocked = await rollback(service, good, WINDOW)
      // Counted by the runs that succeed, the good release is the cheaper one.
      expect([blocked.status, blocked.body.detail.outcome.policy.reasons]).toEqual([
        409,
        [
          expect.stringMatching(/^candidate latency_p95_ms .* exceeds max_latency_p95_ms/),
          expect.stringMatching(/^too little evidence on score quality/),
        ],
      ])
      expect(await pointerOf(service)).toBe(bad)
      expect(await explained(service)).toMatchObject({ equal: true })
      const override = { environment: 'local', on_rollback: [] }
      await setPolicy(service, { ...FURTHER, on_rollback: ['min_scores'], overrides: [override] })
      await ok(rollback(service, good, WINDOW))
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('refuses what can not be asked of a rollback', async () => {
      const { service } = await failingFast(10)
      for (const key of ['max_cost', 'max_error_rate', 'suites', 'max_segment_cost_increase_pct']) {
        const set = service.call('PUT /v1/policy', { body: { on_rollback: [key] } })
        expect(await unprocessableAt(set)).toEqual([['body', 'on_rollback', 0]])
      }
    })

    test('that is blocked all the same says the way out: force, a setting, or other limits', async () => {
      const { service, good, bad } = await failingFast(40)
      await setPolicy(service, { require_high_diff_confidence: true })
      const blocked = await rollback(service, good, WINDOW)
      expect([blocked.status, blocked.body.detail.message]).toEqual([409, 'Rollback blocked by policy.'])
      const { policy } = blocked.body.detail.outcome
      expect(policy.reasons).toEqual([
        'diff confidence is LOW (baseline sample < 500 runs; LOW floor is 50 runs); promotion requires HIGH',
      ])
      const command = `\`svc release rollback ${good} --env local --force --expect ${bad} --reason WHY\``
      expect(policy.warnings).toEqual([
        `to roll back anyway: allow_forced_rollback: true in service.yaml permits ${command}, which skips the policy; ` +
          'or set require_high_diff_confidence: false, or smaller min_baseline_runs and min_candidate_runs, in the policy for local',
      ])
      const never = await register(service, { version: '3' })
      await setPolicy(service, { require_high_diff_confidence: true })
      const { outcome } = (await rollback(service, never, WINDOW)).body.detail
      expect(outcome.policy.warnings).toEqual([
        expect.stringMatching(/anyway: set require_high_diff_confidence: false/),
        `${never} was never live in local: \`svc release history --agent bot --env local\` lists the decisions`,
      ])
      expect(await pointerOf(service)).toBe(bad)
      await setPolicy(service, { require_high_diff_confidence: false })
      const { policy: passed } = await ok(rollback(service, never, { ...WINDOW, dry_run: true }))
      expect(passed).toMatchObject({ passed: true, warnings: [outcome.policy.warnings[1]] })
      const { policy: back } = await ok(rollback(service, good, { ...WINDOW, dry_run: true }))
      expect(back.warnings).toBeUndefined()
      const forced = await failingFast(1000, { allow_forced_rollback: true })
      await setPolicy(forced.service, { max_latency_ms: 100 })
      const tried = await ok(rollback(forced.service, forced.good, { ...WINDOW, dry_run: true }))
      expect(tried.policy).toMatchObject({
        passed: false,
        warnings: [
          expect.stringMatching(
            /--force --expect rel_\w+ --reason WHY` skips the policy; or relax max_latency_ms in the policy for local/,
          ),
        ],
      })
    })

    test('that could not be made yet is what the doctor warns of', async () => {
      const warned = async (service: TestService): Promise<unknown> => {
        const { checks } = await ok(service.call('GET /v1/doctor'))
        return checks.find(({ name }: { name: string }) => name === 'rescues')
      }
      const { service, good, bad } = await failingFast(40)
      expect(await warned(service)).toBeUndefined()
      await setPolicy(service, { require_high_diff_confidence: true })
      expect(await warned(service)).toMatchObject({
        ok: true,
        warning: true,
        detail: expect.stringContaining(`bot in local (${bad} has 40 of 500 runs)`),
      })
      // Runs of the release before count as well, however often the live one is promoted again.
      await setPolicy(service, { require_high_diff_confidence: false })
      await ok(promote(service, bad, WINDOW))
      const small = { min_baseline_runs: 40 }
      await setPolicy(service, { require_high_diff_confidence: true, ...small, min_candidate_runs: 1001 })
      expect(await warned(service)).toMatchObject({
        detail: expect.stringContaining(`bot in local (${good} has 1000 of 1001 runs)`),
      })
      await setPolicy(service, { require_high_diff_confidence: true, min_baseline_runs: 40 })
      expect(await warned(service)).toBeUndefined()
      const { service: forced } = await failingFast(40, { allow_forced_rollback: true })
      await setPolicy(forced, { require_high_diff_confidence: true })
      expect(await warned(forced)).toBeUndefined()
    })

    test('of a watch passes as well, though all that the live release ran fails', async () => {
      const here = await promotedScene(makeService, { watch: { for: '10m', auto_rollback: true } })
      const { service, baseline } = here
      await setPolicy(service, FURTHER)
      await minute(here, 60, { failingFast: 1 })
      expect(await watchOf(here)).toMatchObject({
        state: 'rolled_back',
        rollback: { passed: true, reasons: [] },
      })
      expect(await pointerOf(service)).toBe(baseline)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })
}
