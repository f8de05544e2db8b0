import { by, proseBytes } from '../../models/checks.ts'
import { Window, input, oneOf } from '../../models/all/input.ts'
import { Dimension, Identifier, JsonObject, ofForm } from '../../models/scalars.ts'
import { Split } from '../../models/deploys/split.ts'
import { object } from '../../models/model.ts'

/** GET /v1/pointers/{agent_id}/{environment} */
export const Pointer = object('The release that is promoted for an agent in an environment.', {
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
  release_id: [Identifier, 'The promoted release.'],
  version: ['string', 'Its version.'],
  checksum: ['string', 'SHA-256 of its bundle.'],
  'split?': [
    Split,
    'Only while a rollout runs: units with u < share get the candidate, all others the baseline. u is the first 52 bits of SHA-256(rollout_id, NUL, unit) as a fraction of 2^52.',
  ],
})
export type Pointer = typeof Pointer.infer

/** The body of POST /ofrep/v1/evaluate/flags and of one flag, as OFREP 0.3.0 has it. */
export const FlagQuestion = object('The context of a flag.', {
  'context?': [
    JsonObject,
    "`environment`: default the workspace's. `targetingKey`: the session, tenant or user that a rollout assigns by.",
  ],
})

export const Flag = object(
  'The promoted release as the value of a flag (OpenFeature Remote Evaluation Protocol).',
  {
    key: ['string', 'The agent.'],
    value: ['string', 'The promoted release.'],
    reason: [
      'string',
      '`STATIC`: it is the same for everybody. `SPLIT`: a rollout chose it by the targetingKey. `DEFAULT`: a rollout runs, and the request has no targetingKey.',
    ],
    variant: ['string', 'The version of the release.'],
    'metadata?': object('Only if a rollout chose it.', {
      rollout_id: ['string', 'The rollout.'],
      arm: ["'baseline' | 'candidate'", 'Baseline or candidate.'],
      'unit?': ['string', 'For a rollout by user: send it as assignment.unit of the run event.'],
    }),
  },
)
export type Flag = typeof Flag.infer

export const Flags = object(
  'All promoted releases of an environment as flags (OpenFeature Remote Evaluation Protocol).',
  {
    flags: [Flag.array(), 'A flag per agent with a live release there.'],
    'eventStreams?': object(
      'A stream that announces changed values, on the same origin. Absent if the runtime has no streams.',
      {
        type: ["'sse'", 'Server-sent events.'],
        endpoint: object('Its origin.', { requestUri: ['string', 'The path and the query.'] }),
      },
    ).array(),
  },
)

export const FlagError = object('Why there is no value.', {
  key: ['string', 'The agent.'],
  errorCode: ['string', '`FLAG_NOT_FOUND`, `PARSE_ERROR` or `INVALID_CONTEXT`.'],
  errorDetails: ['string', 'The same as a sentence.'],
})

export const FlagsError = object('Why there are no values.', {
  errorCode: ['string', '`PARSE_ERROR` or `INVALID_CONTEXT`.'],
  errorDetails: ['string', 'The same as a sentence.'],
})

/** Where something is live. */
const PLACE = {
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
} as const

/** Of the gate, however it answers. */
const QUESTION = {
  'release_id?': [
    Identifier,
    'The release to judge. Default: the newest one that was registered for the environment.',
  ],
  window: [Window, 'How far back events count: {N}d, {N}h or {N}m.'],
  'baseline_release_id?': [Identifier, 'The release to compare with. Default: the live one.'],
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
        'The mildest verdict that is a 409: `inconclusive` (default) or only `block`.',
      ],
    },
  }),
  GateReport: input({
    path: PLACE,
    query: {
      ...QUESTION,
      'page_url?': [
        ofForm(/^https?:\/\/[^\s"<>]+$/, 'an http or https URL').narrow(by(proseBytes)),
        'The URL of the web UI; the report links to its page of the comparison.',
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
        'How far back: {N}d, {N}h or {N}m; default 24h, or the shortest window with enough runs.',
      ],
    },
  }),
  Stream: input({
    query: {
      'for?': [
        oneOf(['flags']),
        'Events for OpenFeature providers, which then evaluate their flags again: `{"type": "refetchEvaluation"}`.',
      ],
    },
  }),
  EvaluateFlag: input({
    path: { key: [Dimension, 'The agent.'] },
  }),
} as const
