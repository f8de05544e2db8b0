import { ServiceError, badRequest } from '../../src/base/errors.ts'
import { isoTime } from '../../src/base/time.ts'
import { confidenceReach } from '../../src/features/advice/advice.ts'
import { freezesOf, isFrozen } from '../../src/features/conditions/rules.ts'
import { askGate } from '../../src/features/deploys/gate.ts'
import { judgeLive } from '../../src/features/live/read.ts'
import { listRollouts } from '../../src/features/rollouts/rows.ts'
import { listWatches } from '../../src/features/watch/rows.ts'
import type { Called } from '../../src/http/access/context.ts'
import { readBoard } from '../../src/ledger/decide/board.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import { ACTIVE_POLICY } from '../../src/ledger/registry/policies.ts'
import { refuseUndeclared } from '../../src/ledger/world/query.ts'
import type { Gate } from '../../src/models/deploys/gate.ts'
import type { Freeze } from '../../src/models/documents/workspace.ts'
import type { PlaceAnswer } from '../../src/models/deploys/place.ts'
import { type Candidate, type PlaceFacts, candidateIn, limitRows, stateOf } from '../../src/rules/place.ts'
import { USUAL_WINDOW, likelyWindow, parseWindow } from '../../src/rules/window.ts'
import { resolveOverrides } from '../../src/rules/scope.ts'
import { ask } from '../../src/sql/query.ts'

interface PlaceQuestion {
  readonly agent_id: string
  readonly environment: string
  /** The usual one unless given, or the shortest with enough runs of both releases. */
  readonly window?: string | undefined
}

/**
 * What is live in a place, what is next, and whether it may be promoted. Throws 404 where the agent has no release and nothing is
 * promoted.
 */
export async function answerPlace(context: Called, question: PlaceQuestion): Promise<PlaceAnswer> {
  const { agent_id, environment } = question
  refuseUndeclared(context, environment)
  const window = question.window === undefined ? undefined : parseWindow(question.window, context.now())
  if (typeof window === 'string') throw badRequest(window)
  const scope = { agents: [agent_id], environments: [environment] }
  const listing = { agent: agent_id, env: environment, scope, limit: 1 }
  const [{ board }, { live: judged }, [request], [rollout], [watch], policy] = await Promise.all([
    readBoard(context, scope),
    judgeLive(context, { ...question, scope, limit: 1 }),
    listRequests(context.sql, { ...listing, status: 'pending' }),
    listRollouts(context.sql, listing),
    listWatches(context.sql, { ...listing, state: 'watching' }),
    ask(context.sql, ACTIVE_POLICY),
  ])
  const [entry] = board
  if (entry === undefined) {
    throw new ServiceError(
      404,
      `Nothing is registered or promoted for ${agent_id} in ${environment}. \`svc release list\` lists what is registered.`,
    )
  }
  const now = context.now()
  const frozen = freezesOf(context.workspace, environment).find(one => isFrozen(one, now))
  const open = {
    rollout: rolloutOf(rollout),
    request: requestOf(request),
    watch: watchOf(watch),
    freeze: freezeOf(frozen),
  }
  const { candidate, why } = candidateIn(entry, open)
  const comparing = { context, question, live: entry.promoted?.release_id ?? null }
  const { gate, problem } = await judgedBy(comparing, isPriced(entry, candidate) ? candidate : null)
  const facts: PlaceFacts = {
    entry,
    candidate,
    gate,
    problem,
    rules: resolveOverrides(policy, question).rules,
    broken: judged.flatMap(({ broken }) => broken.map(({ text }) => text)),
    ...open,
  }
  return {
    agent_id,
    environment,
    ...stateOf(facts, why),
    live: liveOf(entry, judged[0]),
    candidate: candidate && { ...candidate, version: candidate.version ?? gate?.version ?? null },
    why_none: candidate === null ? why : null,
    rows: limitRows(facts),
    reasons: gate?.reasons ?? (problem === null ? [] : [problem]),
    warnings: gate?.warnings ?? [],
    window: gate?.window ?? null,
    since: gate?.since ?? null,
    until: gate?.until ?? null,
    allowed: allowedTo(context, facts, judged[0]?.previous_release_id ?? null),
    ...open,
    evaluated_at: gate?.evaluated_at ?? isoTime(now),
  }
}

type Entry = Parameters<typeof candidateIn>[0]
type Comparing = Readonly<{ context: Called; question: PlaceQuestion; live: string | null }>
type Verdict = Readonly<{ gate: Gate | null; problem: string | null }>

/** Whether a candidate has a price table; only of the newest release is it known before it is compared. */
function isPriced({ newest_release: newest }: Entry, candidate: Candidate | null): boolean {
  return candidate?.release_id !== newest?.release_id || newest?.unpriced !== true
}

/** What the policy says of the candidate. Where too few runs decide it, over the shortest window that has enough. */
async function judgedBy(
  { context, question, live }: Comparing,
  candidate: Candidate | null,
): Promise<Verdict> {
  if (candidate === null) return { gate: null, problem: null }
  const { agent_id, environment } = question
  const { release_id } = candidate
  const over = (window: string): Promise<Gate> =>
    askGate(context, { agent_id, environment, release_id, window })
  try {
    if (question.window !== undefined) return { gate: await over(question.window), problem: null }
    const gate = await over(USUAL_WINDOW)
    if (gate.result !== 'not_yet' || live === null) return { gate, problem: null }
    const pair = {
      environment,
      baseline_release_id: live,
      candidate_release_id: release_id,
      window: USUAL_WINDOW,
    }
    const window = likelyWindow(await confidenceReach(context, pair))
    return { gate: window === USUAL_WINDOW ? gate : await over(window), problem: null }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    return { gate: null, problem: error.message }
  }
}

type Rollout = Awaited<ReturnType<typeof listRollouts>>[number]
type Request = Awaited<ReturnType<typeof listRequests>>[number]
type Watch = Awaited<ReturnType<typeof listWatches>>[number]
type Live = Awaited<ReturnType<typeof judgeLive>>['live'][number]

/** The newest rollout of a place, where it is open: none begins while another is. */
function rolloutOf(newest: Rollout | undefined): PlaceAnswer['rollout'] {
  if (newest?.state !== 'running' && newest?.state !== 'paused') return null
  const { rollout_id, candidate_release_id, state, share } = newest
  return { rollout_id, candidate_release_id, state, share }
}

function requestOf(found: Request | undefined): PlaceAnswer['request'] {
  if (found === undefined) return null
  const { request_id, release_id, actor, reason, created_at } = found
  return { request_id, release_id, actor, reason, created_at }
}

function freezeOf(found: Freeze | undefined): PlaceAnswer['freeze'] {
  return found === undefined ? null : { until: found.to, reason: found.reason }
}

function watchOf(found: Watch | undefined): PlaceAnswer['watch'] {
  return found === undefined
    ? null
    : { watch_id: found.watch_id, release_id: found.release_id, ends_at: found.ends_at }
}

function liveOf({ promoted }: Entry, judged: Live | undefined): PlaceAnswer['live'] {
  if (promoted === null) return null
  const { release_id, version, promoted_at: since, promoted_by: by, reason } = promoted
  return {
    release_id,
    version,
    since,
    by,
    reason,
    before: judged?.previous_release_id ?? null,
    runs_last_hour: judged?.runs_last_hour ?? 0,
    runs_last_day: judged?.runs_last_day ?? 0,
  }
}

/** What this caller may do; `before` is what a rollback goes to. */
function allowedTo(
  { caller, workspace }: Called,
  { gate, candidate, rollout, request }: Pick<PlaceFacts, 'gate' | 'candidate' | 'rollout' | 'request'>,
  before: string | null,
): PlaceAnswer['allowed'] {
  const mayWrite = caller.allows.includes('write')
  const passes = gate?.passed === true
  const way = workspace.promotion_requires_approval ? 'request' : 'now'
  const why = !mayWrite
    ? 'your credential does not allow decisions'
    : candidate === null
      ? 'there is no candidate'
      : rollout !== null
        ? 'a rollout is open'
        : request !== null
          ? 'a request waits for a confirmation'
          : passes
            ? null
            : 'the candidate does not pass'
  return {
    confirm: mayWrite ? (request?.request_id ?? null) : null,
    promote: why === null ? way : null,
    rollback_to: mayWrite ? before : null,
    force_rollback: mayWrite && before !== null && workspace.allow_forced_rollback === true,
    rollout: mayWrite && rollout === null && gate !== null && gate.baseline_release_id !== null,
    why_not: why,
  }
}
