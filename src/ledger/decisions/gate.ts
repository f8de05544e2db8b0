import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { Gate } from '../../models/answers/gate.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { policyLimits } from '../../rules/limits.ts'
import {
  FIRST_PROMOTION_REASON,
  firstPromotionText,
  nothingToCompare,
  verdictOf,
} from '../../rules/policy.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { agreedPointer, placeStatements } from '../chain/pointers.ts'
import { evaluate } from '../compare/evaluation.ts'
import { extraStatements, extrasOf, readExtras } from '../compare/extras.ts'
import { countLook } from '../compare/looks.ts'
import { SIDE_RESULTS, pricedSides, sideStatements, toRawSides } from '../compare/sides.ts'
import { NO_FILTERS } from '../events/rollups.ts'
import type { Ledger } from '../ledger.ts'
import { ACTIVE_POLICY, toPolicy } from '../registry/policies.ts'
import { unknownRelease } from '../registry/releases.ts'

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
  return ledger.memo.gates.ask(key, () => answerGate(ledger, question))
}

async function answerGate(ledger: Ledger, question: GateQuestion): Promise<Gate> {
  const standing = await readStanding(ledger, question)
  const now = ledger.now()
  const window = parseWindow(question.window, now)
  if (typeof window === 'string') throw badRequest(window)
  const about: Asked = {
    agent_id: question.agent_id,
    environment: question.environment,
    release_id: standing.candidate.release_id,
    version: standing.candidate.version,
    window: question.window,
    since: isoTime(window.since),
    until: isoTime(window.until),
    limits: policyLimits(standing.policy),
    evaluated_at: isoTime(now),
  }
  const { baseline } = standing
  if (baseline === null) return uncompared(ledger, standing.candidate, about)
  return compared(ledger, { ...standing, baseline }, { now, window, about })
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
  readonly policy: Policy
}

async function readStanding({ sql: db }: Ledger, question: GateQuestion): Promise<Standing> {
  const { agent_id, environment, release_id, baseline_release_id } = question
  const [found, pointer, chosen, policy, given] = await db.snapshot([
    candidateStatement(question),
    ...placeStatements(agent_id, environment),
    ACTIVE_POLICY,
    ...(baseline_release_id === undefined ? [] : [namedStatement(baseline_release_id)]),
  ])
  const row = found!.rows[0]
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
        ? promotedOf(pointer!.rows[0], chosen!.rows[0])
        : givenBaseline(given!.rows[0], baseline_release_id, agent_id),
    policy: toPolicy(policy!.rows[0]),
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
  throw badRequest(
    `Cross-agent diff is not allowed: ${release.release_id} is a release of ${release.agent_id}, not of ${agentId}.`,
  )
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
  { candidate, baseline, policy }: Standing & { readonly baseline: Named },
  { now, window, about }: Moment,
): Promise<Gate> {
  const [baselineId, candidateId] = [baseline.release_id, candidate.release_id]
  const { environment } = about
  const query = { baselineId, candidateId, environment, window, filters: NO_FILTERS }
  const extras = extrasOf(policy)
  const results = await ledger.sql.snapshot([
    ...sideStatements(query),
    ...extraStatements(ledger.sql, query, extras),
  ])
  const sides = await pricedSides(ledger, query, toRawSides(results), LABELS, policy)
  const { verdict, label, metrics, statistics } = evaluate(ledger, policy, sides, now, {
    ...(await readExtras(ledger, query, sides, extras, results.slice(SIDE_RESULTS))),
    looks: countLook(ledger.memo.looks, [baselineId, candidateId, about.window, environment, null, null]),
  })
  const warnings = [...(verdict.warnings ?? []), ...(baselineId === candidateId ? [live(environment)] : [])]
  return {
    verdict: verdictOf(verdict),
    passed: verdict.passed,
    reasons: verdict.reasons,
    warnings,
    ...about,
    baseline_release_id: baselineId,
    baseline_version: baseline.version,
    ...label,
    samples: {
      baseline_runs: sides.baseline.metrics.runs,
      candidate_runs: sides.candidate.metrics.runs,
    },
    metrics,
    statistics,
  }
}

const LABELS = { baseline: 'promoted_baseline', candidate: 'candidate' } as const

function live(environment: string): string {
  return `This release is what it is compared with: it is promoted in ${environment} already.`
}
