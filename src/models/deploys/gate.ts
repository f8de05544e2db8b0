import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { Count, Identifier, Instant } from '../scalars.ts'
import { COMPARISON_FIELDS, Comparison } from '../answers/diff.ts'
import { DiffStatistics, STATISTICS_FIELDS } from '../answers/statistics.ts'
import { DIFFERENCE_FIELDS, PowerDifference } from '../answers/capabilities.ts'
import { NAMED_CASE_FIELDS, NamedCase } from '../answers/suites.ts'
import { MISSING_FIELDS, MissingEvidence, RESULT_FIELD, Result } from '../documents/policy.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from '../answers/window_used.ts'

/** The answer to GET /v1/gate/{agent_id}/{environment}. */
export const Gate = type({
  verdict: "'pass' | 'block' | 'inconclusive'",
  passed: 'boolean',
  result: Result,
  reasons: 'string[]',
  warnings: 'string[]',
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  version: 'string',
  baseline_release_id: 'string | null',
  baseline_version: 'string | null',
  window: 'string',
  since: Instant,
  until: Instant,
  'window_used?': UsedWindow,
  confidence: "'HIGH' | 'MEDIUM' | 'LOW' | null",
  confidence_reason: 'string | null',
  samples: type({ baseline_runs: Count, candidate_runs: Count }).or('null'),
  'summary?': 'string',
  metrics: Comparison.or('null'),
  statistics: DiffStatistics.or('null'),
  'cases?': NamedCase.array(),
  limits: type({ policy_key: 'string', metric: 'string', limit: 'number' }).array(),
  'missing_evidence?': MissingEvidence,
  'capabilities?': PowerDifference,
  evaluated_at: Instant,
})
export type Gate = typeof Gate.infer

export const gate = documented(Gate, {
  title: 'Gate',
  description: 'Whether a release may pass by the policy in force. Nothing was written.',
  fields: {
    verdict:
      '`pass`; `block` where a limit is violated; `inconclusive` where only confidence or evidence is missing.',
    passed: 'Whether the verdict is `pass`.',
    result: RESULT_FIELD,
    reasons: 'Why it does not pass, one per failed constraint; or why nothing was compared.',
    warnings: 'What changes no verdict but should be known.',
    agent_id: 'The agent that was asked about.',
    environment: 'The environment that was asked about.',
    release_id: 'The release that wants to pass.',
    version: 'Its version.',
    baseline_release_id: 'What it was compared with; null where nothing is promoted.',
    baseline_version: 'The version of that.',
    window: 'The window as it was asked for.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    ...WINDOW_USED_FIELDS,
    confidence: 'How far the samples reach; null where nothing was compared.',
    confidence_reason: 'What lacks for HIGH; null where nothing does.',
    samples: 'Runs that were compared; null where nothing was.',
    'samples.baseline_runs': 'Runs of the baseline in the window.',
    'samples.candidate_runs': 'Runs of the release in the window.',
    summary: 'What changed, in a sentence; left out where nothing was compared.',
    metrics: 'Both sides and their differences, as a diff has them; null where nothing was compared.',
    ...under('metrics.', COMPARISON_FIELDS),
    statistics: 'How sure the differences are, as in a diff; null where nothing was compared.',
    ...under('statistics.', STATISTICS_FIELDS),
    cases: 'The cases that `statistics.suites` lists; left out where it lists none.',
    ...under('cases[].', NAMED_CASE_FIELDS),
    limits: 'The limits of the policy that are on.',
    'limits[].policy_key': "The policy's key.",
    'limits[].metric': 'What it limits.',
    'limits[].limit': 'The limit: USD, milliseconds, or a fraction.',
    missing_evidence: 'What would decide it; only of the verdict `inconclusive`.',
    ...under('missing_evidence.', MISSING_FIELDS),
    capabilities:
      'Capabilities that the release has and the other lacks, and the other way round; left out where that is equal.',
    ...under('capabilities.', DIFFERENCE_FIELDS),
    evaluated_at: 'When it was evaluated.',
  },
})
