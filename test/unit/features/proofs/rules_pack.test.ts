import { expect, test } from 'vitest'
import { type PackFacts, packText } from '../../../../src/features/proofs/rules_pack.ts'
import type { PackEntry } from '../../../../src/features/proofs/rules_pack_entry.ts'
import { evidenceOf } from '../../../../src/features/proofs/rules_pack_evidence.ts'

function entry(log_seq: number, kind: string, subject: string, details: PackEntry['details']): PackEntry {
  const by = { actor: 'kim', actor_source: 'token', reason: 'fine', created_at: log_seq, fact: null }
  return { log_seq, kind, subject, details, ...by }
}

const PASSED = {
  action: 'promote',
  release_id: 'new',
  agent_id: 'bot',
  environment: 'prod',
  policy_passed: true,
}

function packOf(
  record: object,
  approved: 'request.approved' | 'rollout.approved' = 'request.approved',
): string {
  const span = [entry(1, approved, 'req_1', PASSED), entry(2, 'decision', 'act_1', PASSED)]
  const evidence: PackFacts['evidence'] = new Map([[2, evidenceOf(JSON.stringify(record))!]])
  const at = { since: 'then', until: 'now', size: 2, origin: 'ledger', isSigned: true }
  return packText({ ...at, span, earlier: [], evidence, factless: [] })
}

const NOBODY = 'NOT EVIDENCED: that anybody approved these, which passed: [2]'

const UNSEEN =
  'NOT EVIDENCED: that who approved these had seen what they rested on, since a rollout is approved before it begins: [2]'

test('a decision is approved by the request that it carried out, or by that of its rollout', () => {
  const request = { request_id: 'req_1', requested_by: 'lee' }
  const ofPromotion = packOf({ evidence: { request } })
  expect(ofPromotion).not.toContain(NOBODY)
  expect(ofPromotion).not.toContain(UNSEEN)
  const rollout = { rollout_id: 'rol_1' }
  const ofRollout = packOf({ evidence: { request, rollout } }, 'rollout.approved')
  expect(ofRollout).not.toContain(NOBODY)
  expect(ofRollout).toContain(UNSEEN)
  expect(packOf({ evidence: { request: { ...request, request_id: 'req_2' } } })).toContain(NOBODY)
})

test('the name of a release or a reason that repeats the id of a request approves nothing', () => {
  const side = { release_id: 'req_1', variants: [{ runs: 7 }] }
  const evaluation = { baseline: side, candidate: side, confidence: 'HIGH' }
  const text = packOf({ evidence: { request: null, evaluation }, policy_reasons: ['req_1'] })
  expect(text).toContain('req_1 with 7 runs')
  expect(text).toContain(NOBODY)
})
