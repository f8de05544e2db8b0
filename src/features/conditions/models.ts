import { input } from '../../models/all/input.ts'
import { Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  PolicyResolved: input({
    query: {
      'agent_id?': [Dimension, 'The agent; without one, the overrides for all agents.'],
      'environment?': [Dimension, 'Default: the default environment of the workspace.'],
    },
  }),
} as const
