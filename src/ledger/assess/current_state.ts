import { badRequest } from '../../base/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Clock } from '../../rules/clock.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { DEFAULT_POLICY, type StoredPolicy } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, ask, mapped, together } from '../../sql/query.ts'
import { ACTIVE_POLICY, policyIn } from '../registry/policies.ts'
import { type ReleaseFacts, releaseQuery, unknownRelease } from '../registry/release_facts.ts'
import { type Head, headQuery } from '../trail/chain.ts'
import { clockOf } from '../trail/clock.ts'
import { type Live, placeQuery, verifiedPointer } from '../trail/pointers.ts'
import { type Ledger, type Wanting, partsOf } from '../world/ledger.ts'
import { refuseUndeclared } from '../world/query.ts'
import { expectedPolicy, isSamePolicy, noteState } from './expected.ts'
import type { ComparedPair, Condition, ConditionAnswer } from './parts.ts'

/** A release that is to be judged, and what it is compared with. */
export interface Subject {
  readonly action: 'promote' | 'rollback'
  readonly environment: string
  /** The newest one that `agent_id` registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** Whose release it has to be; not checked where it is undefined. */
  readonly agent_id?: string | undefined
  /** Compared with this release in place of the one that is live. */
  readonly baseline_release_id?: string | undefined
  /** The last hour unless given. */
  readonly window?: Window
  /** Who wants it; undefined where nobody does yet. */
  readonly by?: Wanting | undefined
  /** Whether what conditions have to show is. */
  readonly isShown?: boolean
  /** Whether conditions are left out while the clock is wrong, by which they would refuse to judge. */
  readonly holdsByClock?: boolean
}

/** The state of a place, as one snapshot saw it. */
export interface CurrentState {
  readonly head: Head
  /** The database's clock, when that was read. */
  readonly clock: Clock
  readonly target: ReleaseFacts
  /** What is live in the place; null where nothing is. */
  readonly live: Live | null
  /** What the release is compared with; null where there is nothing. */
  readonly baseline: { readonly release_id: string; readonly version: string } | null
  /** The policy as it is in the place. */
  readonly effective: StoredPolicy
  /** What the conditions of features found. */
  readonly gates: Evidence['gates']
  /** Why a promotion that is decided on at such a time, of ISO-8601, is blocked whatever the policy says. */
  readonly blockedAt: (time: string) => readonly string[]
  /** What to mind of it at such a time. */
  readonly warningsAt: (time: string) => readonly string[]
  /** What a comparison shows besides what is measured. */
  readonly answers: () => Promise<ConditionAnswer>
}

/** What else a snapshot reads; `check` comes before all other checks. */
export interface Also<M> {
  readonly query: Query<M>
  readonly check?: (read: M, clock: Clock) => void
}

/** Reads the state of a place. Throws 400 for what is unknown, or of another agent. */
export async function readCurrentState<M = undefined>(
  ledger: Ledger,
  subject: Subject,
  also?: Also<M>,
): Promise<CurrentState & { readonly also: M }> {
  const now = ledger.now()
  const lastHour = { since: now - HOUR_MS, until: now }
  const {
    action,
    environment,
    agent_id,
    baseline_release_id,
    window = lastHour,
    by,
    isShown = false,
    holdsByClock = false,
  } = subject
  refuseUndeclared(ledger, environment)
  const release = releaseIdOf(subject)
  const agent =
    agent_id === undefined
      ? sql`(SELECT agent_id FROM releases WHERE release_id = ${release})`
      : sql`${agent_id}`
  const conditions = await conditionsOf(ledger.features)
  const expected = expectedPolicy(ledger.memo, subject)
  const pair = {
    policy: expected,
    isShown,
    release,
    baseline:
      baseline_release_id === undefined
        ? sql`(SELECT release_id FROM promoted_pointers WHERE agent_id = ${agent} AND environment = ${environment})`
        : sql`${baseline_release_id}`,
    window,
  }
  const requestedAt = ledger.now()
  const read = await ask(
    ledger.sql,
    together({
      head: headQuery(ledger.sql.clock, agent),
      target: releaseQuery(release),
      place: placeQuery(agent, environment),
      given: baseline_release_id === undefined ? undefined : releaseQuery(sql`${baseline_release_id}`),
      policy: ACTIVE_POLICY,
      conditions: together(
        Object.fromEntries(
          conditions.map(({ reads }, index) => [index, reads(ledger, { action, environment, ...pair })]),
        ),
      ),
      also: also?.query,
    }),
  )
  const clock = clockOf(ledger, read.head, requestedAt)
  also?.check?.(read.also as M, clock)
  const target = ofAgent(read.target ?? refuse(unknownTarget(subject)), agent_id)
  const isLive = baseline_release_id === undefined
  const live = isLive ? verifiedPointer(read.place) : null
  const baseline = isLive
    ? live
    : ofAgent(read.given ?? refuse(unknownRelease(baseline_release_id, 'baseline')), agent_id)
  noteState(ledger.memo, subject, {
    policy: read.policy,
    target,
    live: isLive ? (live?.release_id ?? null) : undefined,
  })
  const effective = await policyIn(read.policy, { agent_id: target.agent_id, environment })
  // Conditions read what the policy asks for that was expected.
  if (expected !== undefined && !isSamePolicy(expected, effective.policy))
    return readCurrentState(ledger, subject, also)
  const proposal = { action, environment, effective, isFirst: baseline === null, by }
  const judging = holdsByClock && clock.apart !== undefined ? [] : conditions
  const found = await Promise.all(
    judging.map(async (condition, index) =>
      condition.found(ledger, proposal, clock, read.conditions[`${index}`] as never),
    ),
  )
  const kept = found.filter(one => one !== undefined)
  const gates: Evidence['gates'] = kept.length === 0 ? undefined : Object.assign({}, ...kept)
  const decided = { release_id: target.release_id, environment }
  const { policy, scope } = effective
  const evidenceAt = (evaluated_at: string) => ({
    gates,
    evaluated_at,
    policy,
    ...(scope === undefined ? {} : { policy_scope: scope }),
    ...(ledger.workspace.strict ? { strict: true as const } : {}),
  })
  return {
    head: read.head,
    clock,
    target,
    live,
    baseline,
    effective,
    gates,
    blockedAt: time => conditions.flatMap(({ reasons }) => reasons(evidenceAt(time), decided)),
    warningsAt: time => conditions.flatMap(({ warnings }) => warnings?.(evidenceAt(time), decided) ?? []),
    answers: () => (baseline === null ? Promise.resolve({}) : answersOf(conditions, read.conditions)),
    also: read.also as M,
  }
}

/** The conditions of features. */
export function conditionsOf(features: Ledger['features']): Promise<readonly Condition[]> {
  return partsOf(features, 'condition')
}

/** What the conditions that have something to show of two releases read. */
export async function conditionAnswers(
  ledger: Ledger,
  environment: string,
  pair: ComparedPair,
): Promise<Query<() => Promise<ConditionAnswer>>> {
  const conditions = (await conditionsOf(ledger.features)).filter(({ answer }) => answer !== undefined)
  const requested = { action: 'promote', environment, ...pair, policy: DEFAULT_POLICY, isShown: true }
  const queries = conditions.map(({ reads }, index) => [index, reads(ledger, requested)])
  return mapped(
    together(Object.fromEntries(queries) as Record<string, Query<unknown> | undefined>),
    read => () => answersOf(conditions, read),
  )
}

async function answersOf(
  conditions: readonly Condition[],
  read: Readonly<Record<string, unknown>>,
): Promise<ConditionAnswer> {
  const answers = conditions.map(async ({ answer }, index) => answer?.(read[`${index}`] as never))
  return Object.assign({}, ...(await Promise.all(answers))) as ConditionAnswer
}

/** An expression. */
function releaseIdOf({ release_id, agent_id = '', environment }: Subject): Statement {
  if (release_id !== undefined) return sql`${release_id}`
  return sql`(SELECT release_id FROM releases WHERE agent_id = ${agent_id} AND environment = ${environment}
    ORDER BY seq DESC LIMIT 1)`
}

function unknownTarget({ release_id, agent_id, environment }: Subject): string {
  if (release_id !== undefined) return unknownRelease(release_id, agent_id === undefined ? '' : 'candidate')
  return `No release of ${agent_id} is registered for ${environment}; name one by release_id.`
}

function ofAgent(release: ReleaseFacts, agentId: string | undefined): ReleaseFacts {
  if (agentId === undefined || release.agent_id === agentId) return release
  return refuse(`Cross-agent diff is not allowed: ${release.release_id} is not a release of ${agentId}.`)
}

function refuse(text: string): never {
  throw badRequest(text)
}
