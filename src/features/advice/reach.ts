import { badRequest } from '../../base/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import { type Counted, missingForHigh } from '../../ledger/assess/reach.ts'
import { cellsStatement } from '../../ledger/events/cells.ts'
import { endsQuery, readWindow } from '../../ledger/events/gaps.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { releaseQuery, unknownRelease } from '../../ledger/registry/release_facts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { readAsked } from '../../ledger/world/query.ts'
import type { Reach } from '../../models/answers/decision.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import type { Window } from '../../rules/window.ts'
import type { Statement } from '../../sql/port.ts'
import { type Query, allRows, ask, asNumber, field, mapped, together } from '../../sql/query.ts'

export interface ReachQuery {
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
  const { environment, window: asked, refuseWindow } = readAsked(ledger, query)
  const lastHour = { since: asked.until - HOUR_MS, until: asked.until }
  const filters = { tenant_id: query.tenant_id ?? null, task_id: query.task_id ?? null }
  const side = (id: string, part: Window) =>
    together({
      agent_id: mapped(releaseQuery(id), release => release?.agent_id),
      runs: runsQuery(cellsStatement(ledger.sql.dialect, id, environment, { window: part }, filters, 1)),
      last_hour: runsQuery(
        cellsStatement(ledger.sql.dialect, id, environment, { window: lastHour }, filters, 1),
      ),
    })
  const { window, found, ...used } = await readWindow(asked, part =>
    ask(
      ledger.sql,
      together({
        ends: endsQuery({ baselineId, candidateId, environment, window: part, filters }),
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
  const held = await policyIn(policy, { agent_id, environment })
  const thresholds = resolveThresholds(held.policy, ledger.workspace.diff)
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

function runsQuery(cells: Statement): Query<number> {
  return mapped(allRows(cells, field('runs', asNumber)), all => all.reduce((sum, runs) => sum + runs, 0))
}
