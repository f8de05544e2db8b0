import { expect, test } from 'vitest'
import { PackChoice } from '../../../../src/features/proofs/rules_pack_choice.ts'
import type { PackEntry } from '../../../../src/features/proofs/rules_pack_entry.ts'
import { type DecisionEvidence, evidenceOf } from '../../../../src/features/proofs/rules_pack_evidence.ts'
import { rolledOut } from '../../../../src/features/proofs/rules_pack_rollouts.ts'

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

/** What a pack of the entries from `since` on says of rollouts, without times; `records` are of decisions by log_seq. */
function saidOf(entries: readonly PackEntry[], records: Readonly<Record<number, object>> = {}, since = 0) {
  const choice = new PackChoice(since)
  for (const entry of entries) choice.add(entry)
  const evidence = new Map<number, DecisionEvidence>(
    Object.entries(records).map(([seq, record]) => [Number(seq), evidenceOf(JSON.stringify(record))!]),
  )
  const { found, missing } = rolledOut({
    size: entries.length,
    span: choice.span,
    earlier: choice.earlier(),
    evidence,
  })
  return { found: found.map(text => text.replace(/ 1970-\S+/, '')), missing }
}

const BEGAN =
  'kim (known by token) began rol_1: new beside old of bot in prod, where 50 % of the sessions get new; ' +
  'planned 50 % for 2h; then 5 % for 7d on old'

test('names who requested and approved a rollout, and what the service did to it', () => {
  const entries = logOf(
    REQUESTED,
    { ...APPROVED, actor: 'ann', details: { ...REQUEST, status: 'pending' } },
    APPROVED,
    started('rol_1'),
    byService('rollout.advanced', { step: 1 }),
    byService('rollout.aborted', { state: 'aborted', split: null }),
  )
  expect(saidOf(entries)).toEqual({
    found: [
      `[4] ${BEGAN}; requested by lee [1]; approved by ann [2], kim [3]; reason: fine`,
      '[5] the service (rollout) took rol_1 to step 2, where 50 % of the sessions get new; reason: fine',
      '[6] the service (rollout) aborted rol_1: all get old again; reason: fine',
    ],
    missing: [expect.stringContaining('which users these were')],
  })
})

const OWN = { evidence: { rollout: { rollout_id: 'rol_1', hold: { share: 0.05, until: 1000 } } } }

test('reads the end of a rollout from the decision that ended it', () => {
  const passed = { policy_passed: true }
  const [completed, other] = [decided('act_1', passed), decided('act_2', { ...passed, release_id: 'third' })]
  const end = (said: Given, record: object) =>
    saidOf(logOf(started('rol_1'), said), { 2: record }).found.slice(1)
  expect(end(completed, OWN)).toEqual([
    '[2] the service, in the name of kim, completed rol_1 by act_1, promote new of bot in prod: ' +
      '5 % keep old until 1970-01-01T00:00:01.000Z, all others get it',
  ])
  expect(end(other, { evidence: {} })).toEqual([
    '[2] kim (known by token) ended rol_1 as superseded by promote third of bot in prod (act_2); reason: fine',
  ])
  expect(
    end(decided('act_1', { policy_passed: false }), { ...OWN, policy_reasons: ['latency', 'cost'] }),
  ).toEqual([
    '[2] the service, in the name of kim, paused rol_1, whose promotion was blocked (act_1); reason: latency; cost',
    '[2] is the newest entry of rol_1 up to [2]: it is open there',
  ])
  const after = saidOf(logOf(started('rol_1'), completed, other), { 2: OWN, 3: { evidence: {} } })
  expect(after.found.at(-1)).toContain('ended what rol_1 kept on its baseline by promote third')
  const freed = saidOf(logOf(started('rol_1'), completed, started('rol_2', ['rol_1'])), { 2: OWN })
  expect(freed.found[2]).toContain('began rol_2, which ended what rol_1 kept on its baseline')
})

test('a pack brings rollouts with it that users were in when it begins, and no others', () => {
  const paused: Given = { kind: 'rollout.paused', subject: 'rol_1', details: { ...RUNNING, state: 'paused' } }
  const [resumed, ended] = [
    { ...paused, kind: 'rollout.resumed' },
    byService('rollout.expired', { state: 'expired' }),
  ]
  const later: Given = { kind: 'policy.set', subject: 'p' }
  const open = saidOf(logOf(REQUESTED, APPROVED, started('rol_1'), paused, resumed, paused, later), {}, 7)
  expect(open.found).toEqual([
    `[3] ${BEGAN}; requested by lee [1]; approved by kim [2]; reason: fine`,
    '[6] kim (known by token) paused rol_1 at step 1, where 50 % of the sessions get new; reason: fine',
    '[6] is the newest entry of rol_1 up to [7]: it is open there',
  ])
  expect(saidOf(logOf(started('rol_1'), ended, later), {}, 3)).toEqual({ found: [], missing: [] })
  const completed = logOf(started('rol_1'), decided('act_1', { policy_passed: true }), later)
  expect(saidOf(completed, { 2: OWN }, 3).found).toHaveLength(2)
  expect(saidOf(logOf(REQUESTED, APPROVED, started('rol_1')), {}, 2).found[0]).toContain(
    'requested by lee [1]',
  )
})

test('says what is not evidenced of rollouts, and who was refused one', () => {
  const bare = { ...started('rol_1'), actor_source: 'os', details: RUNNING }
  const refused: Given = {
    kind: 'rollout.refused',
    subject: 'new',
    details: { ...OF, reasons: ['freeze until Monday'] },
  }
  const { found, missing } = saidOf(
    logOf(bare, refused, { ...byService('rollout.paused', {}), subject: 'rol_0' }),
  )
  expect(found.at(-1)).toBe(
    '[2] kim (known by token) was refused a rollout of new of bot in prod: freeze until Monday; reason: fine',
  )
  expect(missing.slice(1)).toEqual([
    'that anybody approved these before users got the candidate: [1]',
    'which steps were planned for these, which an older version wrote: [1]',
    'who began these rollouts: rol_0',
    'that these actors are who they say, because no token or identity provider vouches: [1]',
  ])
})
