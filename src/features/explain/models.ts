import { type } from 'arktype'
import { Prose, input } from '../../models/all/input.ts'
import { Count, Dimension, Identifier } from '../../models/scalars.ts'

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
