import { expect, test } from 'vitest'
import { PackChoice } from '../../../../src/features/proofs/rules_pack_choice.ts'
import type { PackEntry } from '../../../../src/features/proofs/rules_pack_entry.ts'

type Given = Partial<PackEntry> & Pick<PackEntry, 'kind' | 'subject'>

const PLACE = { agent_id: 'bot', environment: 'prod' }
const OF = { ...PLACE, candidate_release_id: 'new', baseline_release_id: 'old' }
const PLAN = { steps: [{ share: 0.5, for: '2h' }], hold: { share: 0.05, for: '7d' } }
const HALF = { by: 'session', share: 0.5, until: null }
const RUNNING = { ...OF, state: 'running', step: 0, split: HALF }

/** A log of these entries; each is a millisecond after the one before. */
function logOf(...entries: readonly Given[]): PackEntry[] {
  const by = { actor: 'kim', actor_source: 'token', reason: 'fine', fact: null, details: {} }
  return entries.map((entry, index) => ({ log_seq: index + 1, created_at: index + 1, ...by, ...entry }))
}

function started(subject: string, others: readonly string[] = []): Given {
  const rollouts = Object.fromEntries([subject, ...others].map(id => [id, 'hash']))
  return { kind: 'rollout.started', subject, details: { ...RUNNING, ...PLAN, holds: { rollouts } } }
}

function byService(kind: string, details: object): Given {
  const actor = { actor: 'rollout', actor_source: 'service' }
  return { kind, subject: 'rol_1', ...actor, details: { ...RUNNING, ...details } }
}

function decided(subject: string, details: object): Given {
  const holds = { rollouts: { rol_1: 'hash' } }
  return {
    kind: 'decision',
    subject,
    details: { action: 'promote', release_id: 'new', ...PLACE, holds, ...details },
  }
}

const REQUEST = { ...PLACE, release_id: 'new' }
const REQUESTED: Given = { kind: 'rollout.requested', subject: 'rrq_1', actor: 'lee', details: REQUEST }
const APPROVED: Given = {
  kind: 'rollout.approved',
  subject: 'rrq_1',
  details: { ...REQUEST, status: 'completed' },
}

/** The log_seq of entries of before `since` that a pack brings along. */
function earlierOf(entries: readonly PackEntry[], since: number): number[] {
  const choice = new PackChoice(since)
  for (const entry of entries) choice.add(entry)
  return choice.earlier().map(({ log_seq }) => log_seq)
}

test('a pack brings rollouts with it that users were in when it begins, and no others', () => {
  const paused: Given = { kind: 'rollout.paused', subject: 'rol_1', details: { ...RUNNING, state: 'paused' } }
  const [resumed, ended] = [
    { ...paused, kind: 'rollout.resumed' },
    byService('rollout.expired', { state: 'expired' }),
  ]
  const later: Given = { kind: 'policy.set', subject: 'p' }
  const log = logOf(REQUESTED, APPROVED, started('rol_1'), paused, resumed, paused, later)
  expect(earlierOf(log, 7)).toEqual([1, 2, 3, 6])
  expect(earlierOf(logOf(started('rol_1'), ended, later), 3)).toEqual([])
  const completed = logOf(started('rol_1'), decided('act_1', { policy_passed: true }), later)
  expect(earlierOf(completed, 3)).toEqual([1, 2])
  expect(earlierOf(logOf(REQUESTED, APPROVED, started('rol_1')), 2)).toEqual([1])
})
