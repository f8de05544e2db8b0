import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { ExplainedLimit } from '../../models/answers/statistics.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from '../../models/answers/window_used.ts'
import { documented, under } from '../../models/docs.ts'
import { RESOLVED_FIELDS, ResolvedScope } from '../../models/documents/policy.ts'
import { Count, Dimension, Identifier, Timestamp } from '../../models/scalars.ts'

const Recorded = type({ passed: 'boolean', reasons: 'string[]' })
const Supposed = type({ passed: 'boolean | null', reasons: 'string[]', unknown: 'string[]' })

const Facts = type({
  action_id: Identifier,
  audit_seq: Count,
  action: "'promote' | 'rollback'",
  release_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  baseline_release_id: 'string | null',
  created_at: Timestamp,
})

/** GET and POST /v1/actions/{action_id}/explain */
export const Explanation = Facts.and({
  window: { text: 'string', since: 'string', until: 'string' },
  'window_used?': UsedWindow,
  evaluated_at: Timestamp,
  rules_version: Count,
  policy_id: Identifier,
  by: "'record' | 'policy'",
  'policy_scope?': ResolvedScope,
  limits: ExplainedLimit.array(),
  recorded: Recorded,
  replayed: Supposed,
  equal: 'boolean',
})
export type Explanation = typeof Explanation.infer

const FACT_FIELDS = {
  action_id: 'Identifier of the action.',
  audit_seq: 'Number in the trail.',
  action: 'What was asked for.',
  release_id: 'The release promoted or rolled back to.',
  agent_id: "The release's agent.",
  environment: 'The environment of the pointer.',
  baseline_release_id: 'What was promoted before; null for a first promotion.',
  created_at: 'When it was recorded.',
} as const

const SUPPOSED_FIELDS = {
  passed: 'Whether it passes; null where the evidence does not tell.',
  reasons: 'Why not, or why it is not asked.',
  unknown: 'What the evidence does not tell.',
} as const

const RECORDED_FIELDS = {
  passed: 'Whether it passed.',
  reasons: 'The reasons that were recorded.',
} as const

export const explanation = documented(Explanation, {
  title: 'Explanation',
  description: 'A decision of the trail, decided again from its evidence alone.',
  fields: {
    ...FACT_FIELDS,
    window: 'The events that it was judged by.',
    'window.text': 'As it was asked for.',
    'window.since': 'Start, inclusive.',
    'window.until': 'End, exclusive.',
    ...WINDOW_USED_FIELDS,
    evaluated_at: 'When it was evaluated.',
    rules_version: 'The rules it was decided by, and is decided by again.',
    policy_id: 'The policy that it is decided by here.',
    by: 'Whether that is the policy of the record, or the one that was given.',
    policy_scope: 'How the overrides of that policy came out; left out where it has none.',
    ...under('policy_scope.', RESOLVED_FIELDS),
    limits:
      'Each limit that the policy sets, then promotes_from and freezes; none for a first promotion alone.',
    'limits[].policy_key': 'The key of the policy or of service.yaml.',
    'limits[].metric': 'What it limits.',
    'limits[].value': 'What was compared with it; null without data.',
    'limits[].limit': 'The limit.',
    'limits[].low': 'Lower end of the interval; null where there is none, as for limits on a mean.',
    'limits[].high': 'Upper end of the interval.',
    'limits[].baseline_runs': 'Runs of the baseline; null of what is not about runs.',
    'limits[].candidate_runs': 'Runs of the candidate.',
    'limits[].verdict':
      'Within the limit, beyond it, neither by its interval, without data, or not told by the evidence.',
    'limits[].passed': 'Whether it lets the release pass; null where the evidence does not tell.',
    'limits[].why': 'Why not, as a reason says it; null where it passes.',
    recorded: 'What the record says.',
    ...under('recorded.', RECORDED_FIELDS),
    replayed: 'What comes out now.',
    ...under('replayed.', SUPPOSED_FIELDS),
    equal: 'Whether both say the same: verdict and reasons; with another policy the verdict alone.',
  },
})

/** POST /v1/policy/test */
export const PolicyTest = type({
  policy_id: Identifier,
  tested: Count,
  changed: Count,
  unknown: Count,
  without_evidence: Count,
  changes: Facts.and({ recorded: Recorded, draft: Supposed, why: 'string[]' }).array(),
  next_after: Count.or('null'),
  limits: 'string[]',
  'warnings?': 'string[]',
})
export type PolicyTest = typeof PolicyTest.infer

export const policyTest = documented(PolicyTest, {
  title: 'PolicyTest',
  description: 'What a policy would have decided on past actions, from their evidence. Nothing is written.',
  fields: {
    policy_id: 'The policy that was tried.',
    tested: 'Actions that were looked at.',
    changed: 'Those of them with another verdict.',
    unknown: 'Those whose evidence does not tell.',
    without_evidence: 'Those recorded without evidence, which can not be tried.',
    changes: 'Those with another verdict, or with none that can be told, newest first.',
    ...under('changes[].', FACT_FIELDS),
    'changes[].recorded': 'What the record says.',
    ...under('changes[].recorded.', RECORDED_FIELDS),
    'changes[].draft': 'What this policy says.',
    ...under('changes[].draft.', SUPPOSED_FIELDS),
    'changes[].why': 'What makes the difference: the reasons of the one that blocks, or what is not known.',
    next_after: 'Pass it as `after` to go on with older actions; null where there are none.',
    limits: 'What each limit of the policy lets through, in words, such as: cost may rise by up to 20 %.',
    warnings:
      'Limits that let through more than somebody is likely to mean, and overrides for agents and environments of which the ' +
      'ledger knows nothing, but for callers who are limited to some; left out where there are none.',
  },
})

export const MODELS = {
  Explanation: explanation,
  PolicyTest: policyTest,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'Explanation.recorded': 'RecordedVerdict',
  'Explanation.replayed': 'ReplayedVerdict',
} as const

/** What the endpoints take. */
export const INPUTS = {
  PolicyTest: input({
    body: {
      policy: [{ document: 'Policy' }, 'The policy to try.'],
      last: [type('1 <= number.integer <= 2000'), 'Most actions to look at, newest first.', 500],
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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
