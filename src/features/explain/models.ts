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
  passed: ['boolean | null', 'Whether it passes; null where the evidence does not tell.'],
  reasons: ['string[]', 'Why not, or why it is not asked.'],
  unknown: ['string[]', 'What the evidence does not tell.'],
})

const Facts = object({
  action_id: [Identifier, 'Identifier of the action.'],
  audit_seq: [Count, 'Number in the trail.'],
  action: ["'promote' | 'rollback'", 'What was asked for.'],
  release_id: [Identifier, 'The release promoted or rolled back to.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  baseline_release_id: ['string | null', 'What was promoted before; null for a first promotion.'],
  created_at: [Timestamp, 'When it was recorded.'],
})

/** GET and POST /v1/actions/{action_id}/explain */
export const Explanation = object('A decision of the trail, decided again from its evidence alone.', {
  '...': Facts,
  window: object('The events that it was judged by.', {
    text: ['string', 'As it was asked for.'],
    since: ['string', 'Start, inclusive.'],
    until: ['string', 'End, exclusive.'],
  }),
  'window_used?': UsedWindow,
  evaluated_at: [Timestamp, 'When it was evaluated.'],
  rules_version: [Count, 'The rules it was decided by, and is decided by again.'],
  policy_id: [Identifier, 'The policy that it is decided by here.'],
  by: ["'record' | 'policy'", 'Whether that is the policy of the record, or the one that was given.'],
  'policy_scope?': [ResolvedScope, 'How the overrides of that policy came out; left out where it has none.'],
  limits: [
    ExplainedLimit.array(),
    'Each limit that the policy sets, then promotes_from and freezes; none for a first promotion alone.',
  ],
  'summary?': ['string', 'What changed, in a sentence; left out where nothing was evaluated.'],
  recorded: [Recorded, 'What the record says.'],
  replayed: [Supposed, 'What comes out now.'],
  equal: [
    'boolean',
    'Whether both say the same: verdict and reasons; with another policy the verdict alone.',
  ],
})
export type Explanation = typeof Explanation.infer

/** POST /v1/policy/test */
export const PolicyTest = object(
  'What a policy would have decided on past actions, from their evidence. Nothing is written.',
  {
    policy_id: [Identifier, 'The policy that was tried.'],
    tested: [Count, 'Actions that were checked.'],
    changed: [Count, 'Those of them with another verdict.'],
    unknown: [Count, 'Those whose evidence does not tell.'],
    without_evidence: [Count, 'Those recorded without evidence, which can not be tried.'],
    changes: [
      Facts.and(
        object({
          recorded: [Recorded, 'What the record says.'],
          draft: [Supposed, 'What this policy says.'],
          why: [
            'string[]',
            'What makes the difference: the reasons of the one that blocks, or what is not known.',
          ],
        }),
      ).array(),
      'Those with another verdict, or with none that can be told, newest first.',
    ],
    next_after: [
      Count.or('null'),
      'Pass it as `after` to go on with older actions; null where there are none.',
    ],
    limits: [
      'string[]',
      'What each limit of the policy lets through, in words, such as: cost may rise by up to 20 %.',
    ],
    'warnings?': [
      'string[]',
      'Limits that let through more than somebody is likely to mean, and overrides for agents and environments of which the ledger knows nothing, but for callers who are limited to some; left out where there are none.',
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
