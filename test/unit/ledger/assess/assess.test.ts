import { describe, expect, test } from 'vitest'
import { promote, rollback } from '../../../../src/ledger/decide/promote.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON } from '../../../../src/rules/result.ts'
import { EIGHT, HERE, promoted, put } from '../../../support/ledgers/decided_ledger.ts'
import { ANN, BOB, logOf, plainLedger, ran, registered } from '../../../support/ledgers/plain_ledger.ts'

describe('a forced rollback', () => {
  test('goes back to what was live, skips the policy, and says so everywhere', async () => {
    const { ledger, one, two } = await promoted()
    await put(ledger, { watch: { for: '1h' } })
    await promote(ledger, { ...HERE, release_id: two, actor: ANN })
    await put(ledger, { max_latency_ms: 1 })
    const { result } = await rollback(ledger, { ...HERE, release_id: one, actor: BOB, force: true })
    expect(result).toEqual({
      action_id: 'act_000000000009',
      action: 'rollback',
      release_id: one,
      version: '1',
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: two,
      baseline_version: '2',
      promoted_pointer_changed: true,
      policy: { passed: false, result: 'forced', reasons: [FORCED_REASON], evaluated_at: EIGHT },
      forced: true,
    })
    expect(await ledger.rows('promoted_pointers')).toMatchObject([{ release_id: one }])
    expect(await ledger.rows('watches')).toMatchObject([{ state: 'rolled_back' }])
    const row = (await ledger.rows('actions')).at(-1)!
    expect(row).toMatchObject({ forced: 1, policy_passed: 0 })
    expect(JSON.parse(String(row.record_json))).toMatchObject({
      forced: true,
      evidence: { forced: true, evaluation: null },
    })
    expect((await logOf(ledger)).at(-1)!.details).toMatchObject({ policy_passed: false, forced: true })
    expect(ledger.logged.at(-1)).toEqual([
      'warn',
      'rollback was forced',
      {
        action_id: 'act_000000000009',
        action: 'rollback',
        release_id: one,
        agent_id: 'bot',
        environment: 'local',
        actor: 'bob',
        policy_passed: false,
        reason: 'because',
      },
    ])
    const again = await rollback(ledger, { ...HERE, release_id: one, actor: BOB, force: true, dry_run: true })
    expect(again.result).toMatchObject({
      action_id: null,
      promoted_pointer_changed: false,
      dry_run: true,
      policy: { warnings: ['This release is already live in local, so nothing changes.'] },
    })
    const stays = await rollback(ledger, { ...HERE, release_id: one, actor: BOB, force: true })
    expect(stays.result.promoted_pointer_changed).toBe(false)
  })

  test('is refused where none is allowed, nothing is promoted, or the release was never live there', async () => {
    const { ledger, one, two } = await promoted()
    const force = { ...HERE, actor: BOB, force: true }
    await expect(rollback(ledger, { ...force, release_id: two })).rejects.toThrow(
      `${two} was never live in local: only a release that was live can be forced`,
    )
    await expect(rollback(ledger, { ...force, release_id: one, environment: 'prod' })).rejects.toThrow(
      'nothing to roll back to',
    )
    const strict = await promoted({ allow_forced_rollback: false })
    await expect(rollback(strict.ledger, { ...force, release_id: strict.one })).rejects.toThrow(
      'Forced rollbacks are off',
    )
  })
})

describe('what a decision compares', () => {
  test('has the latencies that the policy limits', async () => {
    const { ledger, two } = await promoted()
    await put(ledger, { max_latency_p95_ms: 1000 })
    await promote(ledger, { ...HERE, release_id: two, actor: ANN })
    const row = (await ledger.rows('actions')).at(-1)!
    expect(JSON.parse(String(row.record_json)).evidence.evaluation.statistics).toMatchObject({
      latency_percentiles: { known_since: null },
    })
  })

  test('is refused by the name of the side that has no price', async () => {
    const { ledger, one, two } = await promoted()
    const request = { ...HERE, release_id: two, actor: ANN }
    ledger.clock.now += 60_000
    await ran(ledger, two, 1, { model: 'm2' })
    await expect(promote(ledger, request)).rejects.toThrow(`events of candidate ${two} used`)
    await expect(rollback(ledger, request)).rejects.toThrow(`events of rollback target ${two} used`)
    await ran(ledger, one, 1, { model: 'm2' })
    for (const decide of [promote, rollback]) {
      await expect(decide(ledger, request)).rejects.toThrow(`events of promoted_baseline ${one} used`)
    }
  })
})

describe('a first promotion', () => {
  test.each<
    [what: string, workspace: object, fields: { environment: string; first?: boolean }, warned: string[]]
  >([
    ['where the release was registered', {}, { environment: 'staging' }, []],
    [
      'elsewhere',
      {},
      { environment: 'prod' },
      [
        'bot has never had a live release in prod: nothing is compared, and no policy is evaluated. The release was registered for staging.',
      ],
    ],
    ['as such where the workspace is strict', { strict: true }, { environment: 'staging', first: true }, []],
  ])('%s passes', async (_what, workspace, fields, warned) => {
    const ledger = await plainLedger(workspace)
    const release_id = await registered(ledger, '1', { environment: 'staging' })
    const { result } = await promote(ledger, { ...HERE, ...fields, release_id, actor: ANN })
    expect(result.policy).toEqual({
      passed: true,
      result: 'first',
      reasons: [FIRST_PROMOTION_REASON],
      evaluated_at: EIGHT,
      ...(warned.length === 0 ? {} : { warnings: warned }),
    })
    const [row] = await ledger.rows('actions')
    expect(JSON.parse(String(row!.record_json)).evidence.strict).toBe(
      'strict' in workspace ? true : undefined,
    )
  })

  test('names where the agent is promoted, also where the release was registered for this place', async () => {
    const { ledger } = await promoted()
    const release_id = await registered(ledger, '3', { environment: 'prod' })
    const { result } = await promote(ledger, {
      ...HERE,
      environment: 'prod',
      release_id,
      actor: ANN,
      dry_run: true,
    })
    expect(result.policy.warnings).toEqual([
      'bot has never had a live release in prod: nothing is compared, and no policy is evaluated. The agent is promoted in local.',
    ])
  })

  test('is refused where the workspace is strict and nobody said that it is meant', async () => {
    const ledger = await plainLedger({ strict: true })
    const release_id = await registered(ledger, '1')
    await expect(promote(ledger, { ...HERE, release_id, actor: ANN })).rejects.toThrow(
      'This workspace is strict: pass --first (first: true) if you mean it.',
    )
    expect(await ledger.rows('actions')).toEqual([])
  })
})
