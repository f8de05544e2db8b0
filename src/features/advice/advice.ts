import { badRequest } from '../../base/errors.ts'
import { firstFew } from '../../base/text.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import { type Counted, missingForHigh } from '../../ledger/assess/reach.ts'
import { blockSumsStatement } from '../../ledger/events/block_sums.ts'
import { endsQuery, readWindow } from '../../ledger/events/gaps.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { releaseQuery, unknownRelease } from '../../ledger/registry/release_facts.ts'
import type { Reach } from '../../models/answers/decision.ts'
import type { Window } from '../../rules/window.ts'
import type { PolicyAdvice } from './models.ts'
import { adviseLimits } from './rules.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { plannedBy } from '../../rules/diff_statistics.ts'
import { type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  field,
  mapped,
  together,
} from '../../sql/query.ts'
import { readWindowQuery, refuseUndeclared } from '../../ledger/world/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { comparedSides } from '../../ledger/assess/diff.ts'
import { runRates } from '../../ledger/assess/pair.ts'
import { runsPerHour } from '../../rules/missing_evidence.ts'

interface AdviceInput {
  readonly agent_id: string
  /** Unless given, what is promoted. */
  readonly release_id?: string | undefined
  readonly environment?: string | undefined
  readonly window: string
}

/** What limits the traffic of an agent's release could prove. Throws 400 if it has no such release. */
export async function policyAdvice(ledger: Ledger, input: AdviceInput): Promise<PolicyAdvice> {
  const environment = input.environment ?? ledger.workspace.default_environment
  refuseUndeclared(ledger, environment)
  const release_id = await releaseOf(ledger, input, environment)
  const comparison = {
    baseline_release_id: release_id,
    candidate_release_id: release_id,
    window: input.window,
    environment,
  }
  const compared = await comparedSides(ledger, comparison)
  const { window_used, query, sides, effective } = compared
  const rates = await runRates(ledger.sql, query, sides, runsPerHour)
  const thresholds = resolveThresholds(effective.policy, ledger.workspace.diff)
  return {
    agent_id: input.agent_id,
    environment,
    release_id,
    since: isoTime(compared.requested.since),
    until: isoTime(compared.requested.until),
    ...(window_used === undefined ? {} : { window_used }),
    ...adviseLimits(sides.baseline, plannedBy(effective.policy, thresholds), rates.baseline),
  }
}

async function releaseOf(
  { sql: db }: Ledger,
  { agent_id, release_id }: AdviceInput,
  environment: string,
): Promise<string> {
  if (release_id !== undefined) {
    const release = await ask(db, releaseQuery(release_id))
    if (release?.agent_id === agent_id) return release_id
    throw badRequest(`The agent ${agent_id} has no release ${release_id}.`)
  }
  const live = await ask(
    db,
    allRows(
      sql`SELECT environment, release_id FROM promoted_pointers WHERE agent_id = ${agent_id} ORDER BY environment`,
      columns({ environment: asText, release_id: asText }),
    ),
  )
  const here = live.find(pointer => pointer.environment === environment)
  if (here !== undefined) return here.release_id
  const elsewhere = live.map(pointer => pointer.environment)
  throw badRequest(
    `${agent_id} has no live release in ${environment}` +
      (elsewhere.length === 0
        ? ', and advice needs the traffic of a live release.'
        : `. It is live in ${firstFew(elsewhere)}: use --env ${elsewhere[0]}.`),
  )
}

interface ReachQuery {
  readonly baseline_release_id: string
  readonly candidate_release_id: string
  readonly window: string
  readonly until?: string | null | undefined
  readonly environment: string | null
  readonly tenant_id?: string | null | undefined
  readonly task_id?: string | null | undefined
}

/** GET /v1/confidence: what a comparison lacks for HIGH, and how fast both sides gain runs. */
export async function confidenceReach(ledger: Ledger, query: ReachQuery): Promise<Reach> {
  const { baseline_release_id: baselineId, candidate_release_id: candidateId } = query
  const { now, environment, window: requested, refuseWindow } = readWindowQuery(ledger, query)
  const lastHour = { since: requested.until - HOUR_MS, until: requested.until }
  const filters = { tenant_id: query.tenant_id ?? null, task_id: query.task_id ?? null }
  const side = (id: string, part: Window) =>
    together({
      agent_id: mapped(releaseQuery(id), release => release?.agent_id),
      runs: runsQuery(blockSumsStatement(id, environment, { window: part }, filters, 1)),
      last_hour: runsQuery(blockSumsStatement(id, environment, { window: lastHour }, filters, 1)),
    })
  const { window, found, ...used } = await readWindow(requested, part =>
    ask(
      ledger.sql,
      together({
        ends: endsQuery({ baselineId, candidateId, environment, window: part, filters, now }),
        policy: ACTIVE_POLICY,
        baseline: side(baselineId, part),
        candidate: side(candidateId, part),
      }),
    ),
  )
  const { policy, baseline, candidate } = found
  const { agent_id } = candidate
  if (baseline.agent_id === undefined) throw badRequest(unknownRelease(baselineId, 'baseline'))
  if (agent_id === undefined) throw badRequest(unknownRelease(candidateId, 'candidate'))
  refuseWindow()
  const effective = await policyIn(policy, { agent_id, environment })
  const thresholds = resolveThresholds(effective.policy, ledger.workspace.diff)
  const counted = (release_id: string, { runs }: { readonly runs: number }): Counted => ({
    release: { release_id },
    metrics: { runs },
  })
  const sides = { baseline: counted(baselineId, baseline), candidate: counted(candidateId, candidate) }
  return {
    baseline_runs: sides.baseline.metrics.runs,
    candidate_runs: sides.candidate.metrics.runs,
    thresholds,
    missing_for_high: await missingForHigh(ledger.sql, sides, thresholds, environment, window.until, filters),
    baseline_runs_last_hour: baseline.last_hour,
    candidate_runs_last_hour: candidate.last_hour,
    ...used,
  }
}

function runsQuery(aggregates: Statement): Query<number> {
  return mapped(allRows(aggregates, field('runs', asNumber)), all => all.reduce((sum, runs) => sum + runs, 0))
}
