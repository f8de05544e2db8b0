import { type TimePlan, countWidthOf, movedPlan } from '../../rules/common_time.ts'
import type { RunRows } from '../../rules/moments.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Window } from '../../rules/window.ts'
import { type Memo, keepLatest, remembering } from '../world/memo.ts'
import type { SideQuery } from './sides.ts'

/**
 * What a process read last: it expects to read it again, and so knows in advance what else belongs in the same snapshot. Whoever
 * reads by it compares it with what the snapshot says, and reads again where that is something else.
 */
interface Expected {
  policy: Policy | undefined
  /** Agents of releases. */
  readonly agents: Map<string, string>
  /** The live release of each place, null where none is; and the newest release of each. */
  readonly live: Map<string, string | null>
  readonly newest: Map<string, string>
  readonly plans: Map<string, KnownPlan>
}

interface KnownPlan {
  readonly window: Window
  readonly plan: TimePlan
  readonly questions: RowQuestions
}

/** What was read of the rows of the runs of both sides to make a plan; see `RunRows`. */
export interface RowQuestions {
  readonly began?: Parameters<RunRows['began']>
  readonly reach?: Parameters<RunRows['reach']>
}

type Remembering = Pick<Memo, 'features'>

const expectedOf = remembering((): Expected => ({
  policy: undefined,
  agents: new Map(),
  live: new Map(),
  newest: new Map(),
  plans: new Map(),
}))

/** A place, and the release that is compared there; see `Subject` of the current state. */
export interface ExpectedLive {
  readonly environment: string
  readonly release_id?: string | undefined
  readonly agent_id?: string | undefined
  readonly baseline_release_id?: string | undefined
}

/** The policy that is expected to be in force for a release; undefined where none was read yet. */
export function expectedPolicy(memo: Remembering, wanted: ExpectedLive): Policy | undefined {
  const { policy, agents } = expectedOf(memo)
  const agent_id = wanted.agent_id ?? agents.get(wanted.release_id ?? '')
  if (policy === undefined || agent_id === undefined) return undefined
  return resolveOverrides(policy, { agent_id, environment: wanted.environment }).policy
}

export function isSamePolicy(one: Policy, other: Policy): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The releases that are expected to be compared; undefined where that is not known, or nothing is live. */
export function expectedPair(
  memo: Remembering,
  { environment, release_id, agent_id, baseline_release_id }: ExpectedLive,
): Pick<SideQuery, 'baselineId' | 'candidateId'> | undefined {
  const { agents, live, newest } = expectedOf(memo)
  const place = placeOf(agent_id ?? agents.get(release_id ?? ''), environment)
  const candidateId = release_id ?? newest.get(place)
  const baselineId = baseline_release_id ?? live.get(place)
  return candidateId === undefined || baselineId == null ? undefined : { baselineId, candidateId }
}

/** Notes what a snapshot said of a place. */
export function noteState(
  memo: Remembering,
  { environment, release_id }: ExpectedLive,
  read: {
    readonly policy: Policy
    readonly target: { readonly release_id: string; readonly agent_id: string }
    /** Undefined where it was not read. */
    readonly live?: string | null | undefined
  },
): void {
  const expected = expectedOf(memo)
  const { target, live } = read
  const place = placeOf(target.agent_id, environment)
  expected.policy = read.policy
  keepLatest(expected.agents, target.release_id, target.agent_id)
  if (live !== undefined) keepLatest(expected.live, place, live)
  if (release_id === undefined) keepLatest(expected.newest, place, target.release_id)
}

/** Notes what this process has made live. */
export function noteLive(memo: Remembering, agentId: string, environment: string, releaseId: string): void {
  keepLatest(expectedOf(memo).live, placeOf(agentId, environment), releaseId)
}

function placeOf(agentId: string | undefined, environment: string): string {
  return `${agentId}\0${environment}`
}

/** The expected plan of a comparison, and how it is made; undefined where runs are counted in other buckets since the last one. */
export function expectedPlan(
  memo: Remembering,
  { window, ...query }: SideQuery,
): Pick<KnownPlan, 'plan' | 'questions'> | undefined {
  const known = expectedOf(memo).plans.get(planKey({ ...query, window }))
  const widthMs = countWidthOf(window)
  const isSameBucket = (end: keyof Window): boolean =>
    Math.floor(window[end] / widthMs) === Math.floor((known?.window[end] ?? NaN) / widthMs)
  if (known === undefined || !isSameBucket('since') || !isSameBucket('until')) return undefined
  return { plan: movedPlan(known.plan, known.window, window), questions: known.questions }
}

/** Notes how a comparison is cut. */
export function notePlan(memo: Remembering, query: SideQuery, known: Omit<KnownPlan, 'window'>): void {
  keepLatest(expectedOf(memo).plans, planKey(query), { window: query.window, ...known })
}

function planKey({ baselineId, candidateId, environment, window, filters }: SideQuery): string {
  const { tenant_id, task_id } = filters
  return JSON.stringify([
    baselineId,
    candidateId,
    environment,
    window.until - window.since,
    tenant_id,
    task_id,
  ])
}
