import { describe, expect, test } from 'vitest'
import { promote, rollback } from '../../../../src/ledger/decide/promote.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { FIRST_PROMOTION_REASON } from '../../../../src/rules/result.ts'
import { SqlError } from '../../../../src/sql/port.ts'
import { EIGHT, HERE, promoted, put } from '../../../support/ledgers/decided_ledger.ts'
import { AHEAD_MS, ANN, BOB, MORNING, storedRows, logOf } from '../../../support/ledgers/plain_ledger.ts'
import { losingAnswer } from '../../../support/databases/tampering/tamper.ts'

const HOUR_MS = 3_600_000

describe('a promotion', () => {
  test('that is the first one is a row, an entry of the log, and the pointer', async () => {
    const { ledger, one } = await promoted()
    const [row] = await ledger.rows('actions')
    const record = {
      audit_seq: 1,
      prev_hash: '',
      action_id: 'act_000000000004',
      action: 'promote',
      release_id: one,
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: null,
      reason: 'because',
      actor: 'ann',
      actor_source: 'cli',
      policy_passed: true,
      policy_reasons: [FIRST_PROMOTION_REASON],
      created_at: MORNING,
      decided_at: MORNING + AHEAD_MS,
      evidence: {
        rules_version: 1,
        window: { text: '1h', since: '2026-03-01T07:00:00.000Z', until: EIGHT },
        promotion_requires_approval: false,
        policy: DEFAULT_POLICY,
        evaluated_at: EIGHT,
        evaluation: null,
        request: null,
      },
    }
    expect(JSON.parse(String(row!.record_json))).toEqual(record)
    const { evidence: _, ...columns } = record
    expect(row).toMatchObject({ ...columns, policy_passed: 1, forced: 0, policy_reasons: expect.any(String) })
    expect((await logOf(ledger)).at(-1)).toMatchObject({
      kind: 'decision',
      subject: record.action_id,
      actor: 'ann',
      actor_source: 'cli',
      reason: 'because',
      created_at: MORNING + AHEAD_MS,
      fact: row!.hash,
    })
    expect((await logOf(ledger)).at(-1)!.details).toEqual({
      audit_seq: 1,
      action: 'promote',
      release_id: one,
      agent_id: 'bot',
      environment: 'local',
      policy_passed: true,
    })
    expect(await ledger.rows('promoted_pointers')).toEqual([
      { agent_id: 'bot', environment: 'local', release_id: one, action_id: record.action_id },
    ])
    expect(ledger.logged).toEqual([
      [
        'info',
        'decision recorded',
        {
          action_id: record.action_id,
          action: 'promote',
          release_id: one,
          agent_id: 'bot',
          environment: 'local',
          actor: 'ann',
          policy_passed: true,
        },
      ],
    ])
    expect(ledger.filled.times).toBe(1)
  })

  test('that the policy blocks is recorded, says what is missing, and moves nothing', async () => {
    const { ledger, one, two } = await promoted()
    const { result } = await promote(ledger, { ...HERE, release_id: two, actor: BOB })
    expect(result).toEqual({
      action_id: 'act_000000000005',
      action: 'promote',
      release_id: two,
      version: '2',
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: one,
      baseline_version: '1',
      promoted_pointer_changed: false,
      policy: {
        passed: false,
        result: 'not_yet',
        reasons: [expect.stringContaining('diff confidence is LOW')],
        evaluated_at: EIGHT,
        missing_evidence: {
          baseline_runs_needed: 495,
          candidate_runs_needed: 495,
          baseline_runs_per_hour: 5,
          candidate_runs_per_hour: 5,
          hours: 99,
          window: '5d',
        },
      },
      missing_for_high: { baseline_runs_needed: 495, candidate_runs_needed: 495, shortest_window: null },
    })
    const [, row] = await ledger.rows('actions')
    expect(JSON.parse(String(row!.record_json))).toMatchObject({
      claimed_actor: 'robert',
      actor_source: 'header',
      policy_passed: false,
      evidence: {
        evaluation: {
          confidence: 'LOW',
          baseline: { release_id: one, rates: [{ model: 'm1' }], variants: [{ runs: 5 }] },
          candidate: { release_id: two },
        },
      },
    })
    expect(await ledger.rows('promoted_pointers')).toMatchObject([{ release_id: one }])
  })

  test('of what is live already says so, and under a policy for some has its rules', async () => {
    const { ledger, one } = await promoted()
    await put(ledger, { overrides: [{ environment: 'local', max_latency_ms: 500 }] })
    const { result } = await promote(ledger, { ...HERE, release_id: one, actor: ANN })
    expect(result).toMatchObject({
      promoted_pointer_changed: false,
      policy: {
        passed: true,
        warnings: ['This release is already live in local, so nothing changes.'],
      },
      policy_scope: { policy: { max_latency_ms: 500 } },
    })
    expect(result.policy.warnings).toHaveLength(1)
    expect(result).not.toHaveProperty('missing_for_high')
    const [, row] = await ledger.rows('actions')
    const { evidence } = JSON.parse(String(row!.record_json))
    expect(evidence.policy_scope).toMatchObject({ policy_checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(evidence.policy).toMatchObject({ max_latency_ms: 500 })
  })

  test('that is watched begins a watch, which the next decision ends', async () => {
    const { ledger, one, two } = await promoted()
    await put(ledger, { watch: { for: '1h' } })
    const { result } = await promote(ledger, { ...HERE, release_id: two, actor: ANN })
    expect(result.watch_id).toBe('wch_000000000007')
    const watch = {
      watch_id: 'wch_000000000007',
      release_id: two,
      baseline_release_id: one,
      state: 'watching',
      started_at: MORNING + AHEAD_MS,
      ends_at: MORNING + AHEAD_MS + HOUR_MS,
    }
    expect(await ledger.rows('watches')).toMatchObject([watch])
    const begun = await storedRows(ledger, 'watches')
    expect(begun.says).toEqual(begun.are)
    await put(ledger, { max_latency_ms: 1 })
    await promote(ledger, { ...HERE, release_id: one, actor: BOB })
    expect(await ledger.rows('watches')).toMatchObject([watch])
    expect((await storedRows(ledger)).says).toEqual({})
    await put(ledger, {})
    await rollback(ledger, { ...HERE, release_id: one, actor: BOB })
    expect(await ledger.rows('watches')).toMatchObject([{ ...watch, state: 'rolled_back', ended_by: 'bob' }])
    const ended = await storedRows(ledger, 'watches')
    expect(ended.says).toEqual(ended.are)
  })
})

describe('a decision whose answer was lost', () => {
  test('is one decision', async () => {
    const { ledger, two } = await promoted()
    await put(ledger, {})
    const lost = () => new SqlError('uncertain', 'the connection was lost')
    const losing = losingAnswer(ledger.sql, 'INTO actions', async () => {}, lost)
    const { result } = await promote({ ...ledger, sql: losing }, { ...HERE, release_id: two, actor: ANN })
    expect(await ledger.rows('actions')).toMatchObject([{}, { action_id: result.action_id }])
    expect(ledger.logged).toHaveLength(2)
  })
})
