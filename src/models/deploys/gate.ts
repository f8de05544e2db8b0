import { Count, Identifier, Instant } from '../scalars.ts'
import { Comparison } from '../answers/diff.ts'
import { DiffStatistics } from '../answers/statistics.ts'
import { PowerDifference } from '../answers/capabilities.ts'
import { NamedCase } from '../answers/suites.ts'
import { MissingEvidence, RESULT_FIELD, Result } from '../documents/policy.ts'
import { UsedWindow } from '../answers/window_used.ts'
import { object } from '../model.ts'

/** The answer to GET /v1/gate/{agent_id}/{environment}. */
export const Gate = object('Whether a release may pass by the policy in force. Nothing was written.', {
  verdict: [
    "'pass' | 'block' | 'inconclusive'",
    '`pass`; `block` where a limit is violated; `inconclusive` where only confidence or evidence is missing.',
  ],
  passed: ['boolean', 'Whether the verdict is `pass`.'],
  result: [Result, RESULT_FIELD],
  reasons: ['string[]', 'Why it does not pass, one per failed constraint; or why nothing was compared.'],
  warnings: ['string[]', 'Warnings; they change no verdict.'],
  agent_id: [Identifier, 'The agent that was asked about.'],
  environment: [Identifier, 'The environment that was asked about.'],
  release_id: [Identifier, 'The release that wants to pass.'],
  version: ['string', 'Its version.'],
  baseline_release_id: ['string | null', 'What it was compared with; null where nothing is promoted.'],
  baseline_version: ['string | null', 'The version of that.'],
  window: ['string', 'The window of the request.'],
  since: [Instant, 'Start of the window, inclusive.'],
  until: [Instant, 'End of the window, exclusive.'],
  'window_used?': UsedWindow,
  confidence: [
    "'HIGH' | 'MEDIUM' | 'LOW' | null",
    'How far the samples reach; null where nothing was compared.',
  ],
  confidence_reason: ['string | null', 'What lacks for HIGH; null where nothing does.'],
  samples: object('Runs that were compared; null where nothing was.', {
    baseline_runs: [Count, 'Runs of the baseline in the window.'],
    candidate_runs: [Count, 'Runs of the release in the window.'],
  }).or('null'),
  'summary?': ['string', 'What changed, in a sentence; left out where nothing was compared.'],
  metrics: [
    Comparison.or('null'),
    'Both sides and their differences, as a diff has them; null where nothing was compared.',
  ],
  statistics: [
    DiffStatistics.or('null'),
    'How sure the differences are, as in a diff; null where nothing was compared.',
  ],
  'cases?': [NamedCase.array(), 'The cases that `statistics.suites` lists; left out where it lists none.'],
  limits: object('The limits of the policy that are on.', {
    policy_key: ['string', "The policy's key."],
    metric: ['string', 'What it limits.'],
    limit: ['number', 'The limit: USD, milliseconds, or a fraction.'],
  }).array(),
  'missing_evidence?': [MissingEvidence, 'What would decide it; only of the verdict `inconclusive`.'],
  'capabilities?': [
    PowerDifference,
    'Capabilities that the release has and the other lacks, and the other way round; left out where that is equal.',
  ],
  evaluated_at: [Instant, 'When it was evaluated.'],
})
export type Gate = typeof Gate.infer
