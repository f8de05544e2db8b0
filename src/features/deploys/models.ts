import { by, proseBytes } from '../../models/checks.ts'
import { Window, input, oneOf } from '../../models/all/input.ts'
import { Dimension, Identifier, JsonObject, ofForm } from '../../models/scalars.ts'
import { type } from 'arktype'
import { documented, under } from '../../models/docs.ts'
import { SPLIT_FIELDS, Split } from '../../models/deploys/split.ts'

/** GET /v1/pointers/{agent_id}/{environment} */
export const Pointer = type({
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  version: 'string',
  checksum: 'string',
  'split?': Split,
})
export type Pointer = typeof Pointer.infer

export const pointer = documented(Pointer, {
  title: 'Pointer',
  description: 'The release that is promoted for an agent in an environment.',
  fields: {
    agent_id: 'The agent.',
    environment: 'The environment.',
    release_id: 'The promoted release.',
    version: 'Its version.',
    checksum: 'SHA-256 of its bundle.',
    split:
      'Only while a rollout runs: units with u < share get the candidate, all others the baseline. u is the first 52 bits of SHA-256(rollout_id, NUL, unit) as a fraction of 2^52.',
    ...under('split.', SPLIT_FIELDS),
  },
})

/** The body of POST /ofrep/v1/evaluate/flags and of one flag, as OFREP 0.3.0 has it. */
export const FlagQuestion = type({ 'context?': JsonObject })

export const flagQuestion = documented(FlagQuestion, {
  title: 'FlagQuestion',
  description: 'What a flag is asked for.',
  fields: {
    context:
      '`environment` says which; the default environment of the workspace without it. `targetingKey` is what a rollout assigns by: the session, tenant or user.',
  },
})

/** What OFREP answers for a flag. */
export const Flag = type({
  key: 'string',
  value: 'string',
  reason: 'string',
  variant: 'string',
  'metadata?': { rollout_id: 'string', arm: "'baseline' | 'candidate'", 'unit?': 'string' },
})
export type Flag = typeof Flag.infer

export const flag = documented(Flag, {
  title: 'Flag',
  description: 'The promoted release as the value of a flag (OpenFeature Remote Evaluation Protocol).',
  fields: {
    key: 'The agent.',
    value: 'The promoted release.',
    reason:
      '`STATIC`: it is the same for everybody. `SPLIT`: a rollout chose it by the targetingKey. `DEFAULT`: a rollout runs, and there was no targetingKey.',
    variant: 'The version of the release.',
    metadata: 'Only where a rollout chose it.',
    'metadata.rollout_id': 'The rollout.',
    'metadata.arm': 'Which of both sides it is.',
    'metadata.unit': 'Of a rollout by user: what to send as assignment.unit of the run event.',
  },
})

/** What OFREP answers for all flags. */
export const Flags = type({
  flags: Flag.array(),
  'eventStreams?': type({ type: "'sse'", endpoint: { requestUri: 'string' } }).array(),
})

export const flags = documented(Flags, {
  title: 'Flags',
  description: 'All promoted releases of an environment as flags (OpenFeature Remote Evaluation Protocol).',
  fields: {
    flags: 'A flag per agent of which something is promoted there.',
    ...under('flags[].', flag.docs.fields),
    eventStreams:
      'Where to hear that a value may have changed, on the origin that was asked. Absent where the runtime holds no streams.',
    'eventStreams[].type': 'Server-sent events.',
    'eventStreams[].endpoint': 'Where they come from.',
    'eventStreams[].endpoint.requestUri': 'The path and the query.',
  },
})

/** What OFREP answers where there is no value. */
export const FlagError = type({ key: 'string', errorCode: 'string', errorDetails: 'string' })

export const flagError = documented(FlagError, {
  title: 'FlagError',
  description: 'Why there is no value.',
  fields: {
    key: 'The agent.',
    errorCode: '`FLAG_NOT_FOUND`, `PARSE_ERROR` or `INVALID_CONTEXT`.',
    errorDetails: 'The same in words.',
  },
})

/** What OFREP answers where there are no values. */
export const FlagsError = type({ errorCode: 'string', errorDetails: 'string' })

export const flagsError = documented(FlagsError, {
  title: 'FlagsError',
  description: 'Why there are no values.',
  fields: {
    errorCode: '`PARSE_ERROR` or `INVALID_CONTEXT`.',
    errorDetails: 'The same in words.',
  },
})

export const MODELS = {
  Flag: flag,
  FlagError: flagError,
  Flags: flags,
  FlagsError: flagsError,
  FlagQuestion: flagQuestion,
  Pointer: pointer,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

/** Where something is live. */
const PLACE = {
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
} as const

/** Of the gate, however it answers. */
const QUESTION = {
  'release_id?': [
    Identifier,
    'The release that wants to pass. The newest one that was registered for the environment unless given.',
  ],
  window: [Window, 'Events to judge by, counted back from now: {N}d, {N}h or {N}m.'],
  'baseline_release_id?': [Identifier, 'What it is compared with. The promoted release unless given.'],
} as const

export const PART_NAMES = {
  'Pointer.split.baseline': 'ArmRelease',
} as const

/** What the endpoints take. */
export const INPUTS = {
  Gate: input({
    path: PLACE,
    query: QUESTION,
  }),
  GateHook: input({
    path: PLACE,
    query: {
      ...QUESTION,
      'fail_on?': [
        oneOf(['inconclusive', 'block']),
        'The least that is a 409: `inconclusive` unless given, or only `block`.',
      ],
    },
  }),
  GateReport: input({
    path: PLACE,
    query: {
      ...QUESTION,
      'page_url?': [
        ofForm(/^https?:\/\/[^\s"<>]+$/, 'an http or https URL').narrow(by(proseBytes)),
        'Where people reach the service; the report links to the page of the comparison there.',
      ],
    },
  }),
  Pointer: input({
    path: PLACE,
  }),
  Place: input({
    path: PLACE,
    query: {
      'window?': [
        Window,
        'How far back: {N}d, {N}h or {N}m; 24h, or the shortest with enough runs, unless given.',
      ],
    },
  }),
  Stream: input({
    query: {
      'for?': [
        oneOf(['flags']),
        'Events for OpenFeature providers, which ask for their flags again: `{"type": "refetchEvaluation"}`.',
      ],
    },
  }),
  EvaluateFlag: input({
    path: { key: [Dimension, 'The agent.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
