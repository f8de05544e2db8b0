import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { ExplainedLimit } from '../../models/answers/statistics.ts'
import { UsedWindow } from '../../models/answers/window_used.ts'
import { ResolvedScope } from '../../models/documents/policy.ts'
import { Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const Recorded = object({
  passed: ['boolean', 'Whether it passed.'],
  reasons: ['string[]', 'The reasons that were recorded.'],
})
const Supposed = object({
  passed: ['boolean | null', 'Whether it passes; null if the evidence is not enough.'],
  reasons: ['string[]', 'Why not, or why it was not evaluated.'],
  unknown: ['string[]', 'What the evidence lacks.'],
})

const Facts = object({
  action_id: [Identifier, 'Identifier of the action.'],
  audit_seq: [Count, 'Number in the trail.'],
  action: ["'promote' | 'rollback'", 'The kind of decision.'],
  release_id: [Identifier, 'The release promoted or rolled back to.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  baseline_release_id: ['string | null', 'The live release before; null for a first promotion.'],
  created_at: [Timestamp, 'When it was recorded.'],
})

/** GET and POST /v1/actions/{action_id}/explain */
export const Explanation = object('A decision of the trail, decided again from its evidence alone.', {
  '...': Facts,
  window: object('The events that were counted.', {
    text: ['string', 'As requested.'],
    since: ['string', 'Start, inclusive.'],
    until: ['string', 'End, exclusive.'],
  }),
  'window_used?': UsedWindow,
  evaluated_at: [Timestamp, 'When it was evaluated.'],
  rules_version: [Count, 'The version of the rules that decided; the replay uses the same.'],
  policy_id: [Identifier, 'The policy of this replay.'],
  by: ["'record' | 'policy'", 'Whether it is the recorded policy or the given one.'],
  'policy_scope?': [ResolvedScope, 'The resolved overrides of the policy; left out if it has none.'],
  limits: [
    ExplainedLimit.array(),
    'Each limit of the policy, then promotes_from and freezes; empty if only a first promotion was decided.',
  ],
  'summary?': ['string', 'What changed, in a sentence; left out if nothing was evaluated.'],
  recorded: [Recorded, 'The recorded result.'],
  replayed: [Supposed, 'The result of the replay.'],
  equal: ['boolean', 'Whether both are equal: verdict and reasons; with another policy the verdict alone.'],
})
export type Explanation = typeof Explanation.infer

/** POST /v1/policy/test */
export const PolicyTest = object(
  'What a policy would have decided on past actions, from their evidence. Nothing is written.',
  {
    policy_id: [Identifier, 'The policy that was tried.'],
    tested: [Count, 'Actions that were checked.'],
    changed: [Count, 'Those of them with another verdict.'],
    unknown: [Count, 'Actions whose evidence is not enough.'],
    without_evidence: [Count, 'Actions without evidence.'],
    changes: [
      Facts.and(
        object({
          recorded: [Recorded, 'The recorded result.'],
          draft: [Supposed, 'The result by this policy.'],
          why: [
            'string[]',
            'The cause of the difference: the reasons of the policy that blocks, or the unknowns.',
          ],
        }),
      ).array(),
      'Actions with another verdict, or an unknown one, newest first.',
    ],
    next_after: [Count.or('null'), 'Pass it as `after` to get older actions; null if there are none.'],
    limits: ['string[]', 'The meaning of each limit, such as: cost may rise by up to 20 %.'],
    'warnings?': [
      'string[]',
      'Limits that are likely larger than intended, and overrides for unknown agents and environments, the latter only for callers without limits of their own; left out if there are none.',
    ],
  },
)
export type PolicyTest = typeof PolicyTest.infer

export const PART_NAMES = {
  'Explanation.recorded': 'RecordedVerdict',
  'Explanation.replayed': 'ReplayedVerdict',
} as const

/** What the endpoints take. */
export const INPUTS = {
  PolicyTest: input({
    body: {
      policy: [{ document: 'Policy' }, 'The policy to try.'],
      last: [type('1 <= number.integer <= 2000'), 'Most actions to check, newest first.', 500],
      'since?': [Prose, 'Only actions since then: a window such as 30d, a date or a timestamp.'],
      'agent_id?': [Identifier, 'Only actions of this agent.'],
      'environment?': [Identifier, 'Only actions in this environment.'],
      'after?': [Count, 'Only actions older than this audit_seq: pass next_after to go on.'],
    },
  }),
  AuditExplain: input({
    path: { action_id: [Dimension, 'Action to explain: its action_id, or its audit_seq.'] },
  }),
  AuditExplainAgainst: input({
    path: { action_id: [Dimension, 'Action to explain: its action_id, or its audit_seq.'] },
    body: { policy: [{ document: 'Policy' }, 'The policy to decide by.'] },
  }),
} as const
