import { sha256 } from '../../../../src/base/bytes.ts'
import { describe, expect, test } from 'vitest'
import { explainAction } from '../../../../src/features/explain/explain.ts'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { type PolicyTestInput, testPolicy } from '../../../../src/features/explain/test_policy.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { EVERYTHING } from '../../../../src/ledger/world/scope.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { sql } from '../../../../src/sql/port.ts'
import { ANN, type PlainLedger } from '../../../support/ledgers/plain_ledger.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'
import { HERE, LAX, SLOW, decided, idsOf } from '../../../support/ledgers/decided_ledger.ts'

describe('an explanation', () => {
  test('decides a row of the trail again, by its id or its number', async () => {
    const { ledger, one, two } = await decided()
    const [, id] = await idsOf(ledger)
    const explanation = await explainAction(ledger, id!)
    expect(explanation).toMatchObject({
      action_id: id,
      audit_seq: 2,
      action: 'promote',
      release_id: two,
      agent_id: 'bot',
      environment: 'local',
      baseline_release_id: one,
      created_at: '2026-03-01T08:01:00.000Z',
      window: { text: '1h' },
      evaluated_at: '2026-03-01T08:01:00.000Z',
      rules_version: 1,
      policy_id: 'default',
      by: 'record',
      recorded: { passed: false, reasons: [SLOW] },
      replayed: { passed: false, reasons: [SLOW], unknown: [] },
      equal: true,
    })
    expect(explanation).not.toHaveProperty('policy_scope')
    expect(await explainAction(ledger, '2')).toEqual(explanation)
    const against = await explainAction(ledger, '2', {
      ...LAX,
      policy_id: 'draft',
      overrides: [{ max_latency_ms: 130 }],
    })
    expect(against).toMatchObject({
      policy_id: 'draft',
      by: 'policy',
      policy_scope: { policy: { max_latency_ms: 130 } },
      replayed: { passed: true, reasons: [], unknown: [] },
      equal: false,
    })
    const other = await explainAction(ledger, '2', { ...LAX, max_latency_ms: 100 })
    expect(other).toMatchObject({
      equal: true,
      replayed: { reasons: ['candidate latency_ms_avg 120.00 exceeds max 100'] },
    })
  })

  test('takes the sample sizes that the decision had', async () => {
    const { ledger, two } = await decided()
    await setPolicy(ledger, DEFAULT_POLICY, { actor: ANN, reason: null })
    await promote(ledger, { ...HERE, release_id: two, actor: ANN })
    const diff = { min_candidate_runs: 1, min_baseline_runs: 1, min_low_runs: 1 }
    const lenient = { ...ledger, workspace: { ...ledger.workspace, diff } }
    expect((await explainAction(lenient, '5')).limits).toMatchObject([
      { policy_key: 'require_high_diff_confidence', value: 'LOW', verdict: 'fail' },
    ])
  })

  test('is refused where there is no such row, and where its row was changed', async () => {
    const { ledger } = await decided()
    const [first, second] = await idsOf(ledger)
    for (const which of ['9', '0', '1234567890123456', 'x2']) {
      await expect(explainAction(ledger, which)).rejects.toMatchObject({ status: 404 })
    }
    await expect(explainAction(ledger, '1234567890123456')).rejects.toThrow(
      'Unknown action: 1234567890123456',
    )
    await expect(explainAction(ledger, '9')).rejects.toThrow('Unknown action: there is no audit_seq 9')
    await tamper(
      ledger.sql,
      'actions',
      sql`UPDATE actions SET record_json = '{"evidence":null}' WHERE audit_seq = 1`,
      sql`UPDATE actions SET record_json = replace(record_json, '"rules_version":1', '"rules_version":99') WHERE audit_seq = 2`,
      sql`UPDATE actions SET policy_reasons = '["another"]' WHERE audit_seq = 3`,
    )
    for (const id of [first!, second!, '3'])
      await expect(explainAction(ledger, id)).rejects.toThrow(
        'was changed in the database after it was written',
      )
  })
})

describe('a trial of a policy', () => {
  const draft = { ...LAX, policy_id: 'draft', max_latency_ms: 110 }
  const trial = async (ledger: PlainLedger, input: Partial<PolicyTestInput> = {}) => {
    let turns = 0
    const nextTurn = async () => void (turns += 1)
    const answer = await testPolicy(
      { ...ledger, nextTurn },
      { policy: draft, last: 9, scope: EVERYTHING, ...input },
    )
    return { ...answer, turns }
  }

  test('names what would have come out otherwise', async () => {
    const { ledger, one, two } = await decided()
    const ids = await idsOf(ledger)
    const { changes, ...total } = await trial(ledger)
    expect(total).toEqual({
      policy_id: 'draft',
      tested: 4,
      unknown: 0,
      changed: 1,
      without_evidence: 0,
      next_after: null,
      turns: 1,
    })
    expect(changes).toEqual([
      {
        action_id: ids[2],
        audit_seq: 3,
        action: 'promote',
        release_id: two,
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: one,
        created_at: '2026-03-01T08:02:00.000Z',
        recorded: { passed: true, reasons: [] },
        draft: { passed: false, reasons: [SLOW], unknown: [] },
        why: [SLOW],
      },
    ])
    const lax = await trial(ledger, { policy: { ...LAX, policy_id: 'lax' } })
    expect(lax.changes.map(({ audit_seq, why }) => [audit_seq, why])).toEqual([[2, [SLOW]]])
    const overrides = [{ environment: 'local', max_latency_ms: 110 }]
    const local = await trial(ledger, { policy: { ...LAX, policy_id: 'local', overrides } })
    expect(local.changes.map(({ audit_seq, why }) => [audit_seq, why])).toEqual([
      [3, [`${SLOW} (overrides[0]: environment local)`]],
    ])
  })

  test('says what the evidence does not tell', async () => {
    const { ledger } = await decided()
    const { changes, ...total } = await trial(ledger, { policy: { ...LAX, max_latency_p95_ms: 1000 } })
    expect(total).toMatchObject({ tested: 4, unknown: 2, changed: 0 })
    const unknown = [
      "max_latency_p95_ms can't be told: it wasn't measured, because no policy limited it then",
    ]
    const expected = { draft: { passed: null, reasons: [], unknown }, why: unknown }
    expect(changes).toMatchObject([
      { audit_seq: 3, ...expected },
      { audit_seq: 2, ...expected },
    ])
  })

  const TRIED: readonly [input: Partial<PolicyTestInput>, tested: number, next: number | null][] = [
    [{ last: 2 }, 2, 3],
    [{ last: 2, after: 3 }, 2, null],
    [{ last: 4 }, 4, null],
    [{ since: '2026-03-01T08:02:00Z' }, 2, null],
    [{ since: '2026-03-01T08:02:00Z', last: 3 }, 2, null],
    [{ since: '2m' }, 3, null],
    [{ agent_id: 'bat' }, 0, null],
    [{ environment: 'prod' }, 0, null],
    [{ scope: { agents: ['bat'], environments: null } }, 0, null],
  ]

  test('is of the actions that are asked for, or refused for a since that is none', async () => {
    const { ledger } = await decided()
    for (const [input, tested, next] of TRIED) {
      const answer = await trial(ledger, input)
      expect([input, answer.tested, answer.next_after]).toEqual([input, tested, next])
    }
    await expect(trial(ledger, { since: 'x'.repeat(50) })).rejects.toThrow(
      `Invalid since "${'x'.repeat(40)}": use 30d, 24h or 30m, a date or a timestamp.`,
    )
  })

  test('reads 50 at a time, and counts those without evidence', async () => {
    const { ledger } = await decided()
    const [first] = await ledger.rows('actions')
    const sealedAs = async (seq: number, action_id: string) => {
      const record = JSON.parse(String(first!.record_json)) as object
      const json = JSON.stringify({ ...record, audit_seq: seq, action_id, evidence: null })
      return { seq, action_id, json, hash: await sha256(json) }
    }
    const { json, hash } = await sealedAs(1, String(first!.action_id))
    await tamper(
      ledger.sql,
      'actions',
      sql`UPDATE actions SET record_json = ${json}, hash = ${hash} WHERE audit_seq = 1`,
    )
    expect(await trial(ledger)).toMatchObject({ tested: 4, without_evidence: 1, changed: 1 })
    const rows = await Promise.all(Array.from({ length: 60 }, (_, n) => sealedAs(n + 5, `act_${n + 5}`)))
    await ledger.sql.batch(
      rows.map(
        row => sql`INSERT INTO actions (action_id, action, release_id, agent_id, environment, reason, actor,
            policy_passed, policy_reasons, created_at, decided_at, audit_seq, forced, actor_source, record_json, prev_hash, hash)
          SELECT ${row.action_id}, action, release_id, agent_id, environment, reason, actor, policy_passed, policy_reasons,
            created_at, decided_at, ${row.seq}, 0, actor_source, ${row.json}, prev_hash, ${row.hash}
          FROM actions WHERE audit_seq = 1`,
      ),
    )
    await tamper(ledger.sql, 'actions', sql`UPDATE actions SET reason = 'other' WHERE audit_seq = 64`)
    await expect(trial(ledger, { last: 60 })).rejects.toThrow('act_64 was changed in the database')
    await tamper(
      ledger.sql,
      'actions',
      sql`UPDATE actions SET reason = ${first!.reason!} WHERE audit_seq = 64`,
    )
    expect(await trial(ledger, { last: 60 })).toMatchObject({ tested: 60, turns: 2, next_after: 5 })
    expect(await trial(ledger, { last: 200 })).toMatchObject({ tested: 64, turns: 2, next_after: null })
  })
})
