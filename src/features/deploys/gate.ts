import { changeSentence } from '../../rules/change_sentence.ts'
import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import { blockingTexts, warningTexts } from '../../rules/demands.ts'
import { gateReasons } from '../../rules/gates.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import { policyLimits } from '../../rules/limits.ts'
import {
  FIRST_PROMOTION_REASON,
  firstPromotionText,
  nothingToCompare,
  verdictOf,
} from '../../rules/policy.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { inTime } from '../../sql/deadline.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { type AnswerOf, ask, firstRow, together } from '../../sql/query.ts'
import { unabandoned } from '../../ledger/world/bounded.ts'
import { agreedPointer, placeQuery } from '../../ledger/trail/pointers.ts'
import { countLook } from '../../ledger/world/memo.ts'
import { measurePair } from '../../ledger/assess/measured.ts'
import { namedStrata, namerOf } from '../../ledger/assess/told_strata.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import { windowWarnings } from '../../ledger/events/ends.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import {
  type Demand,
  demandsOf,
  demandsQuery,
  demandsTold,
  judgeDemands,
} from '../../ledger/assess/demand.ts'
import { readGates } from '../../ledger/assess/gates.ts'
import { headQuery } from '../../ledger/trail/chain.ts'
import { clockOf } from '../../ledger/trail/clock.ts'

export interface GateQuestion {
  readonly agent_id: string
  readonly environment: string
  readonly window: string
  /** The release that wants to pass; the newest one of the agent that was registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** What it is compared with; the promoted release unless given. */
  readonly baseline_release_id?: string | undefined
}

/**
 * Whether a release may pass, by the policy in force and the runs up to now. Writes nothing. Throws 400 for what is
 * unknown, can't be compared, or has no price. Who asks the same while it is worked out shares the next answer.
 */
export function askGate(ledger: Ledger, question: GateQuestion): Promise<Gate> {
  const { agent_id, environment, window, release_id, baseline_release_id } = question
  const key = [agent_id, environment, window, release_id, baseline_release_id].join('\0')
  return inTime(
    ledger.memo.gates.ask(key, () => answerGate(unabandoned(ledger), question)) as Promise<Gate>,
    ledger.sql.deadline,
  )
}

async function answerGate(ledger: Ledger, question: GateQuestion): Promise<Gate> {
  const { agent_id, environment } = question
  refuseUndeclared(ledger, environment)
  const now = ledger.now()
  const window = parseWindow(question.window, now)
  if (typeof window === 'string') throw badRequest(window)
  const demands = await demandsOf(ledger)
  const read = await ask(ledger.sql, standingQuery(ledger.sql, question, { demands, window }))
  const standing = await toStanding(question, read)
  const { baseline, candidate, held } = standing
  const { release_id, version } = candidate
  const about: Asked = {
    agent_id,
    environment,
    release_id,
    version,
    window: question.window,
    since: isoTime(window.since),
    until: isoTime(window.until),
    limits: policyLimits(held.policy),
    evaluated_at: isoTime(now),
  }
  const gate =
    baseline === null
      ? uncompared(ledger, candidate, about)
      : await compared(ledger, { ...standing, baseline }, { now, window, about })
  if (baseline === null) return gated(ledger, gate, [])
  const { workspace } = ledger
  const clock = clockOf(ledger, read.head, now)
  const { judged } = await judgeDemands(demands, read.demanded, held, {
    clock,
    workspace,
    release_id,
    environment,
  })
  const warnings = [...gate.warnings, ...warningTexts(judged)]
  const told = await demandsTold(demands, read.demanded)
  return gated(ledger, { ...gate, warnings, ...told }, blockingTexts(judged))
}

/** What blocks a promotion whatever the limits of the policy say blocks here as well. */
async function gated(ledger: Ledger, gate: Gate, demanded: readonly string[]): Promise<Gate> {
  const asked = { action: 'promote', release_id: gate.release_id, environment: gate.environment }
  const gates = await readGates(ledger, asked)
  const blocked = [...(gates === undefined ? [] : gateReasons(gates, asked, gate.evaluated_at)), ...demanded]
  if (blocked.length === 0) return gate
  const { missing_evidence: _, ...rest } = gate
  const reasons = gate.passed && gate.baseline_release_id === null ? blocked : [...gate.reasons, ...blocked]
  return { ...rest, verdict: 'block', passed: false, reasons }
}

type Asked = Pick<
  Gate,
  | 'agent_id'
  | 'environment'
  | 'release_id'
  | 'version'
  | 'window'
  | 'since'
  | 'until'
  | 'limits'
  | 'evaluated_at'
>

interface Named {
  readonly release_id: string
  readonly version: string
}

interface Candidate extends Named {
  readonly agent_id: string
  /** What it was registered for. */
  readonly environment: string
}

interface Standing {
  readonly candidate: Candidate
  readonly baseline: Named | null
  readonly isLive: boolean
  readonly held: HeldPolicy
}

function standingQuery(
  db: Sql,
  question: GateQuestion,
  { demands, window }: { readonly demands: readonly Demand[]; readonly window: Window },
) {
  const { agent_id, environment, baseline_release_id } = question
  const live = sql`(SELECT release_id FROM promoted_pointers
    WHERE agent_id = ${agent_id} AND environment = ${environment})`
  const pair = {
    candidateId: sql`(SELECT c.release_id FROM (${candidateStatement(question)}) AS c)`,
    baselineId: baseline_release_id === undefined ? live : sql`${baseline_release_id}`,
    environment,
    window,
  }
  return together({
    head: headQuery(db.clock),
    demanded: demandsQuery(demands, pair, db),
    row: firstRow(candidateStatement(question)),
    place: placeQuery(agent_id, environment),
    policy: ACTIVE_POLICY,
    given: baseline_release_id === undefined ? undefined : firstRow(namedStatement(baseline_release_id)),
  })
}

async function toStanding(
  { agent_id, environment, release_id, baseline_release_id }: GateQuestion,
  { row, place: { pointer, chosen }, policy, given }: AnswerOf<ReturnType<typeof standingQuery>>,
): Promise<Standing> {
  if (row === undefined) {
    throw badRequest(
      release_id === undefined
        ? `No release of ${agent_id} is registered for ${environment}; say which one is meant by release_id.`
        : unknownRelease(release_id, 'candidate'),
    )
  }
  const candidate = { ...named(row), agent_id: String(row.agent_id), environment: String(row.environment) }
  refuseOther(candidate, agent_id)
  return {
    candidate,
    baseline:
      baseline_release_id === undefined
        ? promotedOf(pointer, chosen)
        : givenBaseline(given, baseline_release_id, agent_id),
    isLive: baseline_release_id === undefined,
    held: await policyIn(policy, { agent_id, environment }),
  }
}

function candidateStatement({ agent_id, environment, release_id }: GateQuestion): Statement {
  if (release_id !== undefined) return namedStatement(release_id)
  return sql`SELECT release_id, agent_id, version, environment FROM releases
    WHERE agent_id = ${agent_id} AND environment = ${environment} ORDER BY seq DESC LIMIT 1`
}

function namedStatement(releaseId: string): Statement {
  return sql`SELECT release_id, agent_id, version, environment FROM releases WHERE release_id = ${releaseId}`
}

function named(row: Row): Named {
  return { release_id: String(row.release_id), version: String(row.version) }
}

function refuseOther(
  release: { readonly release_id: string; readonly agent_id: string },
  agentId: string,
): void {
  if (release.agent_id === agentId) return
  throw badRequest(`Cross-agent diff is not allowed: ${release.release_id} is not a release of ${agentId}.`)
}

function promotedOf(pointer: Row | undefined, chosen: Row | undefined): Named | null {
  return agreedPointer(pointer, chosen) === null ? null : named(pointer!)
}

function givenBaseline(row: Row | undefined, releaseId: string, agentId: string): Named {
  if (row === undefined) throw badRequest(unknownRelease(releaseId, 'baseline'))
  refuseOther({ release_id: releaseId, agent_id: String(row.agent_id) }, agentId)
  return named(row)
}

/**
 * Without a baseline a release passes as a promotion of it would, but a gate that stands for years must not let
 * everything pass because a name in its address is mistyped: only what was registered for this environment passes.
 */
function uncompared({ workspace }: Ledger, candidate: Candidate, about: Asked): Gate {
  const { agent_id, environment } = about
  const passed = !workspace.strict && candidate.environment === environment
  const text = firstPromotionText(agent_id, environment, { registered: candidate.environment, promoted: [] })
  return {
    verdict: passed ? 'pass' : 'inconclusive',
    passed,
    reasons: [passed ? FIRST_PROMOTION_REASON : nothingToCompare(agent_id, environment)],
    warnings: [text],
    ...about,
    baseline_release_id: null,
    baseline_version: null,
    confidence: null,
    confidence_reason: null,
    samples: null,
    metrics: null,
    statistics: null,
  }
}

interface Moment {
  readonly now: number
  readonly window: Window
  readonly about: Asked
}

async function compared(
  ledger: Ledger,
  { candidate, baseline, isLive, held }: Standing & { readonly baseline: Named },
  { now, window, about }: Moment,
): Promise<Gate> {
  const [baselineId, candidateId] = [baseline.release_id, candidate.release_id]
  const { environment } = about
  const { sides, evaluation, verdict, window_used } = await measurePair(ledger, held, {
    baselineId,
    candidateId,
    environment,
    window,
    now,
    labels: LABELS,
    looks: countLook(ledger.memo.looks, [baselineId, candidateId, about.window, environment, null, null]),
  })
  const { label, metrics, statistics } = evaluation
  const { missing_evidence } = verdict
  const why = isLive ? `it is promoted in ${environment} already` : 'nothing can differ'
  const same = baselineId === candidateId ? [`This release is what it is compared with: ${why}.`] : []
  return {
    verdict: verdictOf(verdict),
    passed: verdict.passed,
    reasons: verdict.reasons,
    warnings: [...windowWarnings(window_used), ...(verdict.warnings ?? []), ...same],
    ...about,
    ...(window_used === undefined ? {} : { window_used }),
    baseline_release_id: baselineId,
    baseline_version: baseline.version,
    ...label,
    samples: {
      baseline_runs: sides.baseline.metrics.runs,
      candidate_runs: sides.candidate.metrics.runs,
    },
    summary: changeSentence(
      candidate.version,
      baseline.version,
      statistics,
      namerOf(await namedStrata(ledger.sql, statistics)),
    ),
    metrics,
    statistics,
    ...(missing_evidence === undefined ? {} : { missing_evidence }),
  }
}

const LABELS = { baseline: 'promoted_baseline', candidate: 'candidate' } as const
