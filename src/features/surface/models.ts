import { Label, Prose, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  AcknowledgementsList: input({
    query: {
      'agent?': [Dimension, 'Only this agent_id.'],
      'env?': [Dimension, 'Only this environment.'],
      ...limitField('acknowledgements'),
    },
  }),
  AcknowledgementsMake: input({
    body: {
      release_id: [Dimension, 'Release that may do more.'],
      environment: [Label, 'Environment that it is for.'],
      reason: [Prose, 'Why; kept in the audit log.'],
      'expected_baseline_release_id?': [
        Dimension,
        'What it was compared with: refused where something else is live by now.',
      ],
      ...whoField('acknowledges it'),
    },
  }),
  ReleaseSurface: input({
    path: { release_id: [Dimension, 'Release whose surface to show.'] },
  }),
  ReleaseBom: input({
    path: { release_id: [Dimension, 'Release whose bill of materials to make.'] },
    query: { 'format?': [oneOf(['cyclonedx']), 'Format of it; cyclonedx unless given.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
