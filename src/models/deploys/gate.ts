import { Count, Identifier, Instant } from '../scalars.ts'
import { Comparison } from '../answers/diff.ts'
import { DiffStatistics } from '../answers/statistics.ts'
import { PowerDifference } from '../answers/capabilities.ts'
import { NamedCase } from '../answers/suites.ts'
import { MissingEvidence, RESULT_FIELD, Result } from '../documents/policy.ts'
import { UsedWindow } from '../answers/window_used.ts'
import { object } from '../model.ts'

/** The answer to GET /v1/gate/{agent_id}/{environment}. */
export const Gate = object('The verdict of the policy in force on a release. Nothing was written.', {
  verdict: [
    "'pass' | 'block' | 'inconclusive'",
    '`pass`; `block` if a limit is violated; `inconclusive` if only confidence or evidence is missing.',
  ],
  passed: ['boolean', 'Whether the verdict is `pass`.'],
  result: [Result, RESULT_FIELD],
  reasons: ['string[]', 'Why it does not pass, one per failed constraint; or why nothing was compared.'],
  warnings: ['string[]', 'Warnings; they change no verdict.'],
  agent_id: [Identifier, 'The agent.'],
  environment: [Identifier, 'The environment.'],
  release_id: [Identifier, 'The release to judge.'],
  version: ['string', 'Its version.'],
  baseline_release_id: ['string | null', 'The release to compare with; null if none is live.'],
  baseline_version: ['string | null', 'Its version.'],
  window: ['string', 'The window of the request.'],
  since: [Instant, 'Start of the window, inclusive.'],
  until: [Instant, 'End of the window, exclusive.'],
  'window_used?': UsedWindow,
  confidence: [
    "'HIGH' | 'MEDIUM' | 'LOW' | null",
    'The confidence of the samples; null if nothing was compared.',
  ],
  confidence_reason: ['string | null', 'What is missing for HIGH; null if nothing is.'],
  samples: object('Runs that were compared; null if none were.', {
    baseline_runs: [Count, 'Runs of the baseline in the window.'],
    candidate_runs: [Count, 'Runs of the release in the window.'],
  }).or('null'),
  'summary?': ['string', 'What changed, in a sentence; left out if nothing was compared.'],
  metrics: [
    Comparison.or('null'),
    'Both releases and their differences, as in a diff; null if nothing was compared.',
  ],
  statistics: [
    DiffStatistics.or('null'),
    'How sure the differences are, as in a diff; null if nothing was compared.',
  ],
  'cases?': [NamedCase.array(), 'The cases that `statistics.suites` lists; left out if it lists none.'],
  limits: object('The limits of the policy that are on.', {
    policy_key: ['string', "The policy's key."],
    metric: ['string', 'The limited metric.'],
    limit: ['number', 'The limit: USD, milliseconds, or a fraction.'],
  }).array(),
  'missing_evidence?': [MissingEvidence, 'What would decide it; only for the verdict `inconclusive`.'],
  'capabilities?': [PowerDifference, 'The difference of capabilities; left out if they are equal.'],
  evaluated_at: [Instant, 'When it was evaluated.'],
})
export type Gate = typeof Gate.infer
