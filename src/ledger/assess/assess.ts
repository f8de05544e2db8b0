import { ServiceError, badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { MissingForHigh, StaleBaseline } from '../../models/answers/decision.ts'
import type { Policy, PolicyVerdict } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import { blockingTexts, warningTexts } from '../../rules/demands.ts'
import { type Gates, gateReasons } from '../../rules/gates.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON, firstPromotionText } from '../../rules/policy.ts'
import type { OnStrays } from '../../rules/strays.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { ask, firstRow, onlyRow, allRows, together, nullable } from '../../sql/query.ts'
import { type Head, headQuery } from '../trail/chain.ts'
import { clockOf } from '../trail/clock.ts'
import { MOVED, agreedPointer, chosenStatement } from '../trail/pointers.ts'
import { catalogReport } from './catalog_pricing.ts'
import type { Evaluation } from './evaluation.ts'
import { measurePair } from './measured.ts'
import { missingForHigh } from './reach.ts'
import type { Sides } from './sides.ts'
import { type Actor, type Ledger, partsOf } from '../world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../registry/policies.ts'
import { type ReleaseFacts, knownRelease, releaseStatement } from '../registry/release_facts.ts'
import { windowWarnings } from '../events/ends.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { refuseUndeclared } from '../world/query.ts'
import type { DecisionPart } from './decision_part.ts'
import {
  type Demanded,
  NOTHING_DEMANDED,
  demandsOf,
  demandsQuery,
  judgeDemands,
  liveBaseline,
} from './demand.ts'
import { evidenceOf } from './evidence.ts'
import { gateQuestion, toGates } from './gates.ts'

/** A release to be promoted or rolled back to, and on whose word. */
export interface Proposal {
  readonly action: 'promote' | 'rollback'
  readonly release_id: string
  readonly environment: string
  readonly window: string
  readonly reason: string
  readonly actor: Actor
  /** The release that has to be promoted there, null for none; not checked where it is undefined. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** Whether it is known to be the first one of its place. */
  readonly first?: boolean
  /** Goes back to a release that was live there before without asking the policy. */
  readonly force?: boolean
  /** Whether to leave out few runs that keep a window from being decided on, or to do as the policy says of watches. */
  readonly exclude_undecidable?: boolean | 'as_policy'
  /** Who wants it, where that is not the actor: of a confirmation, whoever requested it. */
  readonly wanted_by?: Pick<Actor, 'name' | 'claimed'>
}

/** Where things stand, as one snapshot saw it. */
interface Standing {
  readonly head: Head
  /** The database's, when that was read. */
  readonly clock: Clock
  /** What features have read, by their names. */
  readonly parts: Readonly<Record<string, unknown>>
  readonly target: ReleaseFacts
  readonly baselineId: string | null
  readonly baselineVersion: string | null
  readonly held: HeldPolicy
  readonly gates: Gates | undefined
  readonly demanded: Demanded
}

/** What the ledger says about a proposal at one point in time. */
export interface Assessment extends Standing, Judgement {}

interface Judgement {
  readonly verdict: PolicyVerdict
  readonly missing: MissingForHigh | null
  readonly evidence: Evidence
}

/** A reader of the start of an assessment, e.g. that a request is still pending. `check` throws to give up. */
export interface Precondition {
  readonly statement: Statement
  readonly check: (row: Row | undefined, clock: Clock) => void
}

/** Reads where things stand and evaluates the policy. `earlier` is reused where nothing governed has changed. */
export async function assess(
  ledger: Ledger,
  proposal: Proposal,
  precondition?: Precondition,
  earlier?: Assessment,
): Promise<Assessment> {
  const standing = await readStanding(ledger, proposal, precondition)
  const { head, clock, parts, baselineId } = standing
  if (earlier?.head.revision === head.revision && earlier.baselineId === baselineId) {
    return { ...earlier, head, clock, parts }
  }
  return { ...standing, ...(await judge(ledger, proposal, standing)) }
}

async function judge(ledger: Ledger, proposal: Proposal, standing: Standing): Promise<Judgement> {
  const { baselineId } = standing
  const question = askedNow(ledger, proposal, standing)
  if (proposal.force === true) return forcedRollback(ledger.sql, proposal, standing, question)
  return baselineId === null
    ? firstPromotion(ledger, proposal, standing, question)
    : measured(ledger, proposal, { ...standing, baselineId }, question)
}

async function readStanding(
  ledger: Ledger,
  proposal: Proposal,
  precondition?: Precondition,
): Promise<Standing> {
  const { release_id, environment } = proposal
  refuseUndeclared(ledger, environment)
  const asked = gateQuestion(ledger, proposal)
  const features = await partsOf<DecisionPart>(ledger.features, 'decision')
  const askedAt = ledger.now()
  const window = parseWindow(proposal.window, askedAt)
  const demands = proposal.action === 'promote' && typeof window !== 'string' ? await demandsOf(ledger) : []
  const { head, release, pointer, chosen, policy, parts, before, longest, demandsRead } = await ask(
    ledger.sql,
    together({
      head: headQuery(ledger.sql.clock),
      release: firstRow(releaseStatement(release_id)),
      pointer: firstRow(
        sql`SELECT p.release_id, b.release_id AS found, b.version
          FROM promoted_pointers p JOIN releases r ON r.agent_id = p.agent_id
          LEFT JOIN releases b ON b.release_id = p.release_id
          WHERE r.release_id = ${release_id} AND p.environment = ${environment}`,
      ),
      chosen: firstRow(chosenStatement(release_id, environment)),
      policy: ACTIVE_POLICY,
      parts: together(Object.fromEntries(features.map(({ name, reads }) => [name, reads(proposal)]))),
      before: precondition && firstRow(precondition.statement),
      longest: asked.live,
      demandsRead:
        typeof window === 'string' || demands.length === 0
          ? undefined
          : demandsQuery(
              demands,
              {
                candidateId: sql`${release_id}`,
                baselineId: liveBaseline(release_id, environment),
                environment,
                window,
              },
              ledger.sql,
            ),
    }),
  )
  const clock = clockOf(ledger, head, askedAt)
  precondition?.check(before, clock)
  const target = knownRelease(release, release_id)
  const baselineId = agreedPointer(pointer, chosen)
  const baselineVersion = nullable(pointer?.version, String)
  const live = baselineId === null ? null : { ...chosen!, release_id: baselineId, version: baselineVersion! }
  refuseStale(proposal, live, target.agent_id)
  const held = await policyIn(policy, { agent_id: target.agent_id, environment })
  const { workspace } = ledger
  const by = proposal.wanted_by ?? proposal.actor
  return {
    head,
    clock,
    target,
    baselineId,
    baselineVersion,
    held,
    gates: toGates(ledger, proposal, asked, clock, longest),
    demanded:
      demandsRead === undefined || baselineId === null
        ? NOTHING_DEMANDED
        : await judgeDemands(demands, demandsRead, held, { clock, by, workspace, release_id, environment }),
    parts,
  }
}

/** Throws 412 where something else is promoted than the caller expects; it comes from the snapshot that the batch is guarded by. */
function refuseStale(
  { environment, expected_baseline_release_id: expected }: Proposal,
  live: (Row & { readonly release_id: string; readonly version: string }) | null,
  agentId: string,
): void {
  if (expected === undefined || expected === (live?.release_id ?? null)) return
  const now: StaleBaseline['detail']['live'] =
    live === null
      ? null
      : {
          release_id: live.release_id,
          version: live.version,
          action_id: String(live.action_id),
          action: live.action === 'rollback' ? 'rollback' : 'promote',
          actor: String(live.actor),
          created_at: isoTime(Number(live.created_at)),
        }
  const place = `${agentId} in ${environment}`
  const done = now?.action === 'rollback' ? 'rolled back to' : 'promoted'
  const is =
    now === null
      ? `Nothing is live for ${place}`
      : `Live for ${place} is now ${now.version} (${now.release_id}), ${done} by ${now.actor} at ${now.created_at}`
  const detail: StaleBaseline['detail'] = {
    message: `${is}; you expected ${expected ?? 'nothing'}. Nothing was recorded: compare with what is live, then decide again.`,
    expected_baseline_release_id: expected,
    live: now,
  }
  throw new ServiceError(412, detail)
}

const NOTHING_PROMOTED = 'No promoted release exists for this agent/environment; nothing to roll back to'

/** What is asked at this moment, and by which policy. */
interface Question {
  readonly now: number
  readonly window: Window
  readonly facts: Omit<Parameters<typeof evidenceOf>[0], 'evaluated'>
  /** Why it is blocked whatever the policy says. */
  readonly blocked: readonly string[]
}

/** Throws 400 for a window that is none. */
function askedNow(
  { now: clock, workspace }: Ledger,
  proposal: Proposal,
  { held, gates, demanded }: Standing,
): Question {
  const now = clock()
  const window = parseWindow(proposal.window, now)
  if (typeof window === 'string') throw badRequest(window)
  return {
    now,
    window,
    facts: {
      windowText: proposal.window,
      window,
      requiresApproval: workspace.promotion_requires_approval,
      strict: workspace.strict,
      held,
      gates,
      demands: demanded.facts,
      workspaceThresholds: workspace.diff,
      evaluatedAt: isoTime(now),
      request: null,
    },
    blocked: [
      ...(gates === undefined ? [] : gateReasons(gates, proposal, isoTime(now))),
      ...blockingTexts(demanded.judged),
    ],
  }
}

/**
 * Without a baseline there is nothing to compare with (specification, POST /v1/promote, step 2). A mistyped environment
 * looks just like it, so it is said, and refused where the workspace is strict and it was not asked for as such.
 */
async function firstPromotion(
  ledger: Ledger,
  { action, environment, first = false }: Proposal,
  { target }: Standing,
  { facts, blocked }: Question,
): Promise<Judgement> {
  if (action === 'rollback') {
    throw badRequest(NOTHING_PROMOTED)
  }
  const places = await knownPlaces(ledger.sql, target)
  const text = firstPromotionText(target.agent_id, environment, places)
  if (ledger.workspace.strict && !first) {
    throw badRequest(`${text} This workspace is strict: pass --first (first: true) if that is meant.`)
  }
  const { evaluatedAt } = facts
  // Nothing speaks for a slip where the release was registered for this very place, and the agent is in no other.
  const isPlain = places.registered === environment && places.promoted.length === 0
  return {
    verdict: {
      passed: blocked.length === 0,
      reasons: blocked.length === 0 ? [FIRST_PROMOTION_REASON] : [...blocked],
      evaluated_at: evaluatedAt,
      ...(isPlain ? {} : { warnings: [text] }),
    },
    missing: null,
    evidence: evidenceOf({ ...facts, evaluated: null }),
  }
}

/** Break glass: back to what was live there before, whatever the policy would say and the runs show. */
async function forcedRollback(
  db: Sql,
  { environment }: Proposal,
  { target, baselineId }: Standing,
  { facts }: Question,
): Promise<Judgement> {
  if (baselineId === null) throw badRequest(NOTHING_PROMOTED)
  const { release_id, agent_id } = target
  const wasLive = sql`SELECT action_id FROM actions WHERE agent_id = ${agent_id}
    AND environment = ${environment} AND release_id = ${release_id} AND ${MOVED} LIMIT 1`
  if ((await db.query(wasLive)).rows.length === 0) {
    throw badRequest(
      `${release_id} was never live in ${environment}: only a release that was can be forced back ` +
        '(`svc release history` lists them).',
    )
  }
  const verdict = { passed: false, reasons: [FORCED_REASON], evaluated_at: facts.evaluatedAt }
  return {
    verdict: baselineId === release_id ? liveAlready(verdict, environment) : verdict,
    missing: null,
    evidence: evidenceOf({ ...facts, forced: true, evaluated: null }),
  }
}

/** Most environments that are named. */
const MOST_PLACES = 10

/** Where a release was registered for, and where its agent is promoted. */
async function knownPlaces(
  db: Sql,
  { release_id, agent_id }: ReleaseFacts,
): Promise<{ readonly registered: string; readonly promoted: readonly string[] }> {
  const environment = (row: Row): string => String(row.environment)
  const pointers = sql`SELECT environment FROM promoted_pointers WHERE agent_id = ${agent_id}
    ORDER BY environment LIMIT ${MOST_PLACES}`
  return ask(
    db,
    together({
      registered: onlyRow(
        sql`SELECT environment FROM releases WHERE release_id = ${release_id}`,
        environment,
      ),
      promoted: allRows(pointers, environment),
    }),
  )
}

const LABELS = {
  promote: { baseline: 'promoted_baseline', candidate: 'candidate' },
  rollback: { baseline: 'promoted_baseline', candidate: 'rollback target' },
} as const

async function measured(
  ledger: Ledger,
  proposal: Proposal,
  { baselineId, held, demanded }: Standing & { readonly baselineId: string },
  { now, window, facts, blocked }: Question,
): Promise<Judgement> {
  const { action, release_id, environment } = proposal
  const onStrays = onStraysOf(proposal, held.policy)
  const { sides, evaluation, window_used, ...found } = await measurePair(ledger, held, {
    baselineId,
    candidateId: release_id,
    environment,
    window,
    now,
    labels: LABELS[action],
    onStrays,
    over_window: action === 'rollback',
  })
  const warnings = [...windowWarnings(window_used), ...warningTexts(demanded.judged)]
  const verdict = blockedBy(warnedOf(found.verdict, warnings), blocked)
  return {
    verdict: baselineId === release_id ? liveAlready(verdict, environment) : verdict,
    missing: await missingRuns(ledger, sides, evaluation, { environment, until: window.until }),
    evidence: evidenceOf({
      ...facts,
      excludesStrays: onStrays === 'exclude',
      windowUsed: window_used,
      evaluated: { evaluation, sides, catalog: catalogReport(await ledger.catalog(), sides) },
    }),
  }
}

/** A rollback is the way out of trouble, so a few strays may not bar it: it may leave them out, and is told that it may. */
function onStraysOf({ action, exclude_undecidable }: Proposal, { watch }: Policy): OnStrays {
  if (action !== 'rollback') return 'refuse'
  const excludes =
    exclude_undecidable === 'as_policy' ? watch?.on_undecidable === 'exclude' : exclude_undecidable
  return excludes === true ? 'exclude' : 'offer'
}

/** The verdict where more than the policy blocks; runs that are missing would not unblock it. */
function blockedBy(
  { missing_evidence: missing, ...verdict }: PolicyVerdict,
  blocked: readonly string[],
): PolicyVerdict {
  if (blocked.length > 0) return { ...verdict, passed: false, reasons: [...verdict.reasons, ...blocked] }
  return missing === undefined ? verdict : { ...verdict, missing_evidence: missing }
}

function liveAlready(verdict: PolicyVerdict, environment: string): PolicyVerdict {
  return warnedOf(verdict, [`This release is promoted in ${environment} already: the pointer does not move.`])
}

function warnedOf(verdict: PolicyVerdict, texts: readonly string[]): PolicyVerdict {
  return texts.length === 0 ? verdict : { ...verdict, warnings: [...(verdict.warnings ?? []), ...texts] }
}

/** What is missing, where the policy demands more runs than there are. */
async function missingRuns(
  { sql: db }: Ledger,
  sides: Sides,
  { policy, label, thresholds }: Evaluation,
  { environment, until }: { readonly environment: string; readonly until: number },
): Promise<MissingForHigh | null> {
  if (!policy.require_high_diff_confidence || label.confidence === 'HIGH') return null
  return missingForHigh(db, sides, thresholds, environment, until)
}
