import { expect, test } from 'vitest'
import { decisionsCsv, packDecision, packText } from '../../../../src/features/proofs/rules_pack.ts'
import type { PackEntry } from '../../../../src/features/proofs/rules_pack_entry.ts'

function entry(log_seq: number, kind: string, subject: string, more: Partial<PackEntry> = {}): PackEntry {
  const by = {
    actor: 'kim',
    actor_source: 'token',
    reason: 'fine',
    created_at: 1000,
    fact: null,
    details: {},
  }
  return { log_seq, kind, subject, ...by, ...more }
}

const PLACE = { action: 'promote', release_id: 'new', agent_id: 'bot', environment: 'prod' }
const RECORD = JSON.stringify({
  audit_seq: 1,
  baseline_release_id: 'old',
  policy_reasons: ['too slow'],
  evidence: {
    window: { text: '24h' },
    policy: { policy_id: 'strict' },
    request: { request_id: 'prq_1', requested_by: 'lee' },
    evaluation: { baseline: { variants: [{ runs: 3 }, { runs: 4 }] }, confidence: 'HIGH' },
  },
})

test('a decision is a row and a sentence, by its entry and its record', () => {
  const blocked = entry(2, 'decision', 'act_1', { details: { ...PLACE, policy_passed: false } })
  const decision = packDecision(blocked, RECORD, [], 'f')
  expect(decision).toMatchObject({
    audit_seq: 1,
    policy_sha256: 'f',
    result: 'blocked',
    policy_reasons: 'too slow',
    baseline_runs: 7,
    candidate_runs: null,
    request_id: 'prq_1',
    reviewed_by: null,
  })
  expect(textOf([decision])).toContain(
    '   [2] promote new of bot in prod: 1, act_1, 1970-01-01T00:00:01.000Z; blocked; by kim (known by token): fine; the policy: too slow\n',
  )
})

test('a forced one says who reviewed it; without its record the entry alone is read', () => {
  const forced = entry(2, 'decision', 'act_1', { details: { ...PLACE, forced: true } })
  const review = entry(3, 'action.reviewed', 'rev_1', { actor: 'ann', details: { action_id: 'act_1' } })
  expect(textOf([packDecision(forced, null, [], null)])).toContain('; not reviewed\n')
  const reviewed = packDecision(forced, null, [review], null)
  expect(reviewed).toMatchObject({ result: 'forced', audit_seq: null, reviewed_by: 'ann' })
  expect(textOf([reviewed])).toContain('; reviewed by ann\n')
})

test('the table quotes what CSV takes for its own, and nothing in it begins like a formula', () => {
  const odd = entry(2, 'decision', 'act_1', { reason: 'a "b", c\nd', actor: '=1+1', details: PLACE })
  const [head, row] = decisionsCsv([packDecision(odd, null, [], null)]).split('\r\n')
  expect(head).toMatch(/^log_seq,audit_seq,action_id,/)
  expect(row).toBe(
    '2,,act_1,1970-01-01T00:00:01.000Z,promote,bot,prod,new,,blocked,\'=1+1,token,"a ""b"", c\nd",,,,,,,,,,,',
  )
})

test('what is not evidenced is said', () => {
  expect(textOf([])).toContain('Nothing was promoted or rolled back.')
  expect(textOf([])).toContain(': it is not signed')
})

function textOf(decisions: Parameters<typeof decisionsCsv>[0]): string {
  const at = { since: 'then', until: 'now', size: 9, origin: 'ledger', isSigned: false }
  return packText({ ...at, span: [entry(1, 'policy.set', 'p')], earlier: [], decisions })
}
