import { input } from '../../models/all/input.ts'
import { Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  PolicyResolved: input({
    query: {
      'agent_id?': [Dimension, 'The agent; without it, what overrides for all agents say.'],
      'environment?': [Dimension, 'The default environment of the workspace unless given.'],
    },
  }),
} as const
