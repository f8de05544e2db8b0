import { type } from 'arktype'
import { caseFits } from '../checks.ts'
import { Amount, Checksum, Count, Dimension, Identifier, json, Scores } from '../scalars.ts'
import { said } from '../model.ts'

/** Cases of an evaluation at most, where they have no identity. */
const MOST_CASES = 50_000

/** The cases of POST /v1/scores. */
export const ScoreCases = said(
  Scores.array().atLeastLength(1).atMostLength(MOST_CASES),
  'The scores of each case of an evaluation by name; pass_rate is 1 for a case that passed and 0 for others.',
  {
    written: true,
    examples: [
      [
        { pass_rate: 1, faithfulness: 0.92 },
        { pass_rate: 0, faithfulness: 0.41 },
      ],
    ],
  },
)
export type ScoreCases = typeof ScoreCases.infer

/** Tries of cases in one request, and times that a case may be tried. */
const MOST_TRIES = 1000
const MOST_EPOCHS = 10_000
const MOST_TAGS = 20

/** One try of a case, which is known by its id, or by a hash of its input. */
const CaseTry = json(
  {
    '+': 'reject',
    'id?': [Identifier.or('null'), 'Identifies the case, in every evaluation. Either this or input_sha256.'],
    'input_sha256?': [
      Checksum.or('null'),
      'SHA-256 of the input of a case without an id, in hex. The ledger keeps a keyed hash of it.',
    ],
    'epoch?': [`1 <= number.integer <= ${MOST_EPOCHS}`, 'Number of the try.'],
    'scores?': [Scores, 'Its scores by name.'],
    'passed?': ['boolean | null', 'Whether it passed: the score pass_rate.'],
    'human_passed?': ['boolean | null', 'Whether a human says that it passes.'],
    'cluster?': [Identifier.or('null'), 'A group of dependent cases, such as a conversation.'],
    'tags?': [type('1 <= string <= 64').array().atMostLength(MOST_TAGS).or('null'), 'Tags of the case.'],
    'duration_ms?': [Amount.or('null'), 'How long it took, ms.'],
    'tokens?': [Count.or('null'), 'Tokens that it used.'],
    'cost_usd?': [Amount.or('null'), 'What it cost, USD.'],
    'trace_id?': [Dimension.or('null'), 'Its trace.'],
  },
  caseFits,
)
export type CaseTry = typeof CaseTry.infer

/** The cases of POST /v1/scores/cases. */
export const CaseTries = said(
  CaseTry.array().atLeastLength(1).atMostLength(MOST_TRIES),
  'Tries of cases of an evaluation. Texts of inputs and answers are not accepted.',
  {
    written: true,
    defaults: { '[].epoch': 1 },
    examples: [
      [
        { id: 'refund-in-italian', passed: true, scores: { faithfulness: 0.92 } },
        { id: 'refund-in-italian', epoch: 2, passed: false, scores: { faithfulness: 0.41 } },
      ],
    ],
  },
)
export type CaseTries = typeof CaseTries.infer
