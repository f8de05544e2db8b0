import { type } from 'arktype'
import { by, caseFits } from '../checks.ts'
import { documented, under } from '../docs.ts'
import { Amount, Checksum, Count, Dimension, Identifier, JsonObject, Scores } from '../scalars.ts'

/** Cases of an evaluation at most, where they have no identity. */
const MOST_CASES = 50_000

/** The cases of POST /v1/scores. */
export const ScoreCases = Scores.array().atLeastLength(1).atMostLength(MOST_CASES)
export type ScoreCases = typeof ScoreCases.infer

export const scoreCases = documented(ScoreCases, {
  title: 'ScoreCases',
  written: true,
  description:
    'The scores of each case of an evaluation by name; pass_rate is 1 for a case that passed and 0 for others.',
  fields: {},
  examples: [
    [
      { pass_rate: 1, faithfulness: 0.92 },
      { pass_rate: 0, faithfulness: 0.41 },
    ],
  ],
})

/** Tries of cases in one request, and times that a case may be tried. */
const MOST_TRIES = 1000
const MOST_EPOCHS = 10_000
const MOST_TAGS = 20

/** One try of a case, which is known by its id, or by a hash of its input. */
const CaseTry = JsonObject.and({
  'id?': Identifier.or('null'),
  'input_sha256?': Checksum.or('null'),
  'epoch?': `1 <= number.integer <= ${MOST_EPOCHS}`,
  'scores?': Scores,
  'passed?': 'boolean | null',
  'human_passed?': 'boolean | null',
  'cluster?': Identifier.or('null'),
  'tags?': type('1 <= string <= 64').array().atMostLength(MOST_TAGS).or('null'),
  'duration_ms?': Amount.or('null'),
  'tokens?': Count.or('null'),
  'cost_usd?': Amount.or('null'),
  'trace_id?': Dimension.or('null'),
})
  .onUndeclaredKey('reject')
  .narrow(by(caseFits))
export type CaseTry = typeof CaseTry.infer

/** The cases of POST /v1/scores/cases. */
export const CaseTries = CaseTry.array().atLeastLength(1).atMostLength(MOST_TRIES)
export type CaseTries = typeof CaseTries.infer

const TRY_FIELDS = {
  id: 'What tells the case from others, in every evaluation. Either this or input_sha256.',
  input_sha256: 'SHA-256 of the input of a case without an id, in hex. The ledger keeps a keyed hash of it.',
  epoch: 'Which try of the case it is.',
  scores: 'Its scores by name.',
  passed: 'Whether it passed: the score pass_rate.',
  human_passed: 'Whether a human says that it passes.',
  cluster: 'What it shares with others that depend on it, such as a conversation.',
  tags: 'Words that it is shown with.',
  duration_ms: 'How long it took, ms.',
  tokens: 'Tokens that it used.',
  cost_usd: 'What it cost, USD.',
  trace_id: 'Its trace.',
} as const

export const caseTries = documented(CaseTries, {
  title: 'CaseTries',
  written: true,
  description: 'Tries of cases of an evaluation. Texts of inputs and answers are not taken.',
  fields: under('[].', TRY_FIELDS),
  defaults: { '[].epoch': 1 },
  examples: [
    [
      { id: 'refund-in-italian', passed: true, scores: { faithfulness: 0.92 } },
      { id: 'refund-in-italian', epoch: 2, passed: false, scores: { faithfulness: 0.41 } },
    ],
  ],
})
