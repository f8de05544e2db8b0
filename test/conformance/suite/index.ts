import { RECORDS } from '../../support/corpus.ts'
import { scaled } from '../../support/scale.ts'
import type { MakeService } from '../../support/services/service.ts'
import { diffPolicyContract } from './decisions/diff_policy.ts'
import { runPartsContract } from './runs/runs_parts.ts'
import { casesContract, suitesContract } from './runs/cases.ts'
import { runScoresContract } from './runs/runs_scores.ts'
import { diffPricingContract } from './decisions/diff_pricing.ts'
import { refusedDiffContract } from './decisions/diff_refused.ts'
import { diffReportContract } from './decisions/diff_report.ts'
import { comparabilityContract } from './statistics/comparability.ts'
import { longRunsContract } from './statistics/long_runs.ts'
import { diffStatisticsContract } from './statistics/diff_statistics.ts'
import { firstTokensContract } from './statistics/first_tokens.ts'
import { diffTailsContract, filteredTailsContract } from './statistics/diff_tails.ts'
import { segmentContract } from './statistics/segments.ts'
import { oneNameContract } from './statistics/one_name.ts'
import { segmentSumsContract } from './statistics/segment_sums.ts'
import { diffGroupsContract } from './statistics/diff_groups.ts'
import { randomGroupsContract } from './statistics/random_groups.ts'
import { randomWindowsContract } from './statistics/random_windows.ts'
import { diffToolsContract, policyAdviceContract } from './statistics/diff_tools.ts'
import { eventsContract } from './runs/events.ts'
import { tracesContract } from './runs/traces.ts'
import { joinedTracesContract } from './runs/traces_joined.ts'
import { sourceNotesContract } from './runs/source_notes.ts'
import { refusedTracesContract } from './runs/traces_refused.ts'
import { longEventsContract } from './runs/events_long.ts'
import { refusedEventsContract } from './runs/events_refused.ts'
import { healthContract } from './operation/health.ts'
import { policyContract } from './rules/policy.ts'
import { overridesContract } from './rules/overrides.ts'
import { environmentsContract } from './rules/environments.ts'
import { explainContract } from './rules/explain.ts'
import { replayContract } from './rules/replay.ts'
import { pricingContract } from './rules/pricing.ts'
import { releasesContract, reuseContract } from './releases/releases.ts'
import { decisionsContract } from './decisions/decisions.ts'
import { refusedDecisionsContract } from './decisions/decisions_refused.ts'
import { reachContract } from './decisions/reach.ts'
import { actorsContract } from './decisions/actors.ts'
import { idempotencyContract } from './decisions/idempotency.ts'
import { staleBaselineContract } from './decisions/stale_baseline.ts'
import { approvalContract } from './decisions/approval.ts'
import { requestsContract } from './decisions/requests.ts'
import { evidenceContract } from './decisions/evidence.ts'
import { actionsContract } from './decisions/actions.ts'
import { boardContract } from './decisions/board.ts'
import { keptBoardContract } from './decisions/board_kept.ts'
import { unusableContract } from './decisions/unusable.ts'
import { attestationsContract } from './trail/attestations.ts'
import { auditLogContract } from './trail/audit_log.ts'
import { approvalsContract } from './trail/approvals.ts'
import { breakGlassContract } from './trail/break_glass.ts'
import { changedRowsContract } from './trail/changed_rows.ts'
import { checkpointsContract } from './trail/checkpoints.ts'
import { upkeepContract } from './trail/upkeep.ts'
import { gateContract } from './deploys/gate.ts'
import { gateEquivalence } from './deploys/gate_equivalence.ts'
import { gateEvidenceContract } from './deploys/gate_evidence.ts'
import { placesContract } from './deploys/places.ts'
import { pointersContract } from './deploys/pointers.ts'
import { runsContract } from './runs/runs.ts'
import { runsModelContract } from './runs/runs_model.ts'
import { runsOverTimeContract } from './runs/runs_over_time.ts'
import { retentionContract } from './runs/retention.ts'
import { prunedWindowsContract } from './runs/pruned_windows.ts'
import { retentionModelContract } from './runs/retention_model.ts'
import { storedTextsContract } from './runs/stored_texts.ts'
import { unusableEventsContract } from './runs/left_out.ts'
import { liveContract } from './runs/live.ts'
import { findRunsContract } from './runs/runs_find.ts'
import { worstRunsContract } from './runs/runs_worst.ts'
import { bodiesContract } from './operation/bodies.ts'
import { routingContract } from './operation/routing.ts'
import { accessContract, carriedAccessContract } from './operation/access.ts'
import { webhookChangesContract } from './webhooks/changes.ts'
import { tokensContract } from './tokens/tokens.ts'
import { limitsContract } from './tokens/limits.ts'
import { loopbackContract } from './tokens/loopback.ts'
import { webhooksContract } from './webhooks/webhooks.ts'
import { announcementsContract } from './webhooks/announcements.ts'
import { clocksContract } from './operation/clocks.ts'
import { faultsContract } from './operation/faults.ts'
import { mistakesContract } from './operation/mistakes.ts'
import { integrityContract } from './operation/integrity.ts'
import { outboxContract } from './webhooks/outbox.ts'
import { aggregateImportsContract, aggregatesContract } from './features/aggregates/aggregates.ts'
import { retirementsContract } from './features/retirements/retirements.ts'
import { powerContract } from './features/capabilities/power.ts'
import { ranContract } from './features/capabilities/ran.ts'
import { rolledOutPowerContract } from './features/capabilities/rolled_out.ts'
import { rolloutsContract } from './rollouts/rollouts.ts'
import { rolloutFaultsContract } from './rollouts/rollout_faults.ts'
import { refusedRolloutsContract } from './rollouts/rollouts_refused.ts'
import { rescuesContract } from './decisions/rescues.ts'
import { watchesContract } from './watches/watches.ts'
import { watchFaultsContract } from './watches/watch_faults.ts'
import { watchRetriesContract } from './watches/watch_retries.ts'

/** Files of their own run these parts, so that several processes share the work. */
type Part = 'decisions' | 'runs'

/** The whole contract of the HTTP API, for one database and runtime. */
export function serviceContract(makeService: MakeService, part: Part): void {
  for (const contract of CONTRACTS) if (OF_RUNS.has(contract) === (part === 'runs')) contract(makeService)
}

/**
 * What a further database must answer: races, guards, order, collation, numbers, and statements of its dialect. That it can
 * prepare the other statements is one test, of all that SQLite ran. `npm run prove -- databases` has the rest as well.
 */
export function databaseContract(makeService: MakeService, part: Part): void {
  for (const contract of RECORDS ? CONTRACTS : scaled(OF_A_DATABASE, CONTRACTS)) {
    if (OF_RUNS.has(contract) === (part === 'runs')) contract(makeService)
  }
}

/**
 * What is particular to a pair of runtime and database, batches, reads and failures, where each of the two has the whole
 * contract with another. `npm run prove -- databases` has all of it on every pair.
 */
export function pairContract(makeService: MakeService): void {
  for (const contract of scaled(OF_A_PAIR, CONTRACTS)) contract(makeService)
}

/** The same where database and runtime each have that with another too. */
export function remoteContract(makeService: MakeService): void {
  for (const contract of scaled(OF_A_REMOTE, CONTRACTS)) contract(makeService)
}

/** The same where both have even that with another: Workers on PostgreSQL, and on a remote libSQL. */
export function crossContract(makeService: MakeService): void {
  for (const contract of scaled(OF_A_CROSS, CONTRACTS)) contract(makeService)
}

/** What is particular to a socket: headers, bodies, who may, and what a client reads. */
export function socketContract(makeService: MakeService): void {
  for (const contract of scaled(OF_A_SOCKET, CONTRACTS)) contract(makeService)
}

type Contract = (makeService: MakeService) => void

const CONTRACTS: readonly Contract[] = [
  healthContract,
  mistakesContract,
  releasesContract,
  reuseContract,
  pricingContract,
  policyContract,
  overridesContract,
  environmentsContract,
  explainContract,
  replayContract,
  eventsContract,
  longEventsContract,
  refusedEventsContract,
  tracesContract,
  joinedTracesContract,
  sourceNotesContract,
  refusedTracesContract,
  diffReportContract,
  diffPolicyContract,
  diffPricingContract,
  comparabilityContract,
  longRunsContract,
  diffStatisticsContract,
  diffTailsContract,
  firstTokensContract,
  filteredTailsContract,
  segmentContract,
  oneNameContract,
  segmentSumsContract,
  diffGroupsContract,
  randomGroupsContract,
  randomWindowsContract,
  diffToolsContract,
  policyAdviceContract,
  runPartsContract,
  runScoresContract,
  casesContract,
  suitesContract,
  refusedDiffContract,
  decisionsContract,
  refusedDecisionsContract,
  reachContract,
  auditLogContract,
  attestationsContract,
  checkpointsContract,
  breakGlassContract,
  changedRowsContract,
  approvalsContract,
  upkeepContract,
  actorsContract,
  idempotencyContract,
  staleBaselineContract,
  requestsContract,
  approvalContract,
  actionsContract,
  evidenceContract,
  boardContract,
  keptBoardContract,
  unusableContract,
  gateContract,
  gateEvidenceContract,
  gateEquivalence,
  placesContract,
  pointersContract,
  runsContract,
  storedTextsContract,
  unusableEventsContract,
  retentionContract,
  retentionModelContract,
  prunedWindowsContract,
  runsModelContract,
  runsOverTimeContract,
  worstRunsContract,
  liveContract,
  findRunsContract,
  routingContract,
  bodiesContract,
  accessContract,
  tokensContract,
  loopbackContract,
  limitsContract,
  webhooksContract,
  webhookChangesContract,
  announcementsContract,
  outboxContract,
  rolloutsContract,
  refusedRolloutsContract,
  rolloutFaultsContract,
  rescuesContract,
  watchesContract,
  watchFaultsContract,
  watchRetriesContract,
  powerContract,
  rolledOutPowerContract,
  ranContract,
  retirementsContract,
  aggregateImportsContract,
  aggregatesContract,
  integrityContract,
  faultsContract,
  clocksContract,
]

/** These run each statement of PostgreSQL's dialect, and what two sessions at once, or a session's settings, can change. */
const OF_A_DATABASE: readonly Contract[] = [
  keptBoardContract,
  reuseContract,
  eventsContract,
  longEventsContract,
  runPartsContract,
  joinedTracesContract,
  sourceNotesContract,
  unusableEventsContract,
  firstTokensContract,
  filteredTailsContract,
  longRunsContract,
  diffGroupsContract,
  randomGroupsContract,
  diffToolsContract,
  runScoresContract,
  suitesContract,
  decisionsContract,
  auditLogContract,
  upkeepContract,
  idempotencyContract,
  staleBaselineContract,
  requestsContract,
  approvalContract,
  runsContract,
  storedTextsContract,
  retentionContract,
  worstRunsContract,
  liveContract,
  findRunsContract,
  aggregateImportsContract,
  aggregatesContract,
  webhooksContract,
  outboxContract,
  rolloutFaultsContract,
  watchFaultsContract,
  ranContract,
  retirementsContract,
  integrityContract,
  faultsContract,
  clocksContract,
]

const OF_A_PAIR: readonly Contract[] = [
  keptBoardContract,
  eventsContract,
  aggregateImportsContract,
  longEventsContract,
  storedTextsContract,
  decisionsContract,
  idempotencyContract,
  outboxContract,
  faultsContract,
]

const OF_A_SOCKET: readonly Contract[] = [
  healthContract,
  mistakesContract,
  tracesContract,
  actorsContract,
  routingContract,
  bodiesContract,
  carriedAccessContract,
  faultsContract,
]

/** A pair of which each half has more tests with another: that it is put together as they are. */
const OF_A_CROSS: readonly Contract[] = [faultsContract]

/** What runs otherwise where a database is far away: batches whose answer may be lost, and what rests on them. */
const OF_A_REMOTE: readonly Contract[] = [
  aggregateImportsContract,
  storedTextsContract,
  decisionsContract,
  idempotencyContract,
  faultsContract,
]

/** What is about run events and what they add up to. */
const OF_RUNS: ReadonlySet<Contract> = new Set([
  eventsContract,
  longEventsContract,
  tracesContract,
  joinedTracesContract,
  sourceNotesContract,
  refusedEventsContract,
  refusedTracesContract,
  diffReportContract,
  diffStatisticsContract,
  comparabilityContract,
  longRunsContract,
  diffTailsContract,
  firstTokensContract,
  filteredTailsContract,
  segmentContract,
  oneNameContract,
  segmentSumsContract,
  diffGroupsContract,
  randomGroupsContract,
  diffToolsContract,
  runPartsContract,
  runScoresContract,
  casesContract,
  suitesContract,
  reachContract,
  gateEquivalence,
  runsContract,
  storedTextsContract,
  unusableEventsContract,
  retentionContract,
  retentionModelContract,
  prunedWindowsContract,
  runsModelContract,
  runsOverTimeContract,
  worstRunsContract,
  liveContract,
  findRunsContract,
  aggregateImportsContract,
  aggregatesContract,
  ranContract,
])
