import { badRequest } from '../../base/errors.ts'
import type { Clock } from '../../rules/clock.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { ConditionReasons } from '../../rules/judge.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, ask, together } from '../../sql/query.ts'
import { ACTIVE_POLICY, policyIn } from '../registry/policies.ts'
import { type ReleaseFacts, releaseQuery, unknownRelease } from '../registry/release_facts.ts'
import { type Head, headQuery } from '../trail/chain.ts'
import { clockOf } from '../trail/clock.ts'
import { type Live, placeQuery, verifiedPointer } from '../trail/pointers.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { refuseUndeclared } from '../world/query.ts'
import type { Condition } from './parts.ts'

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
}

/** Where things stand, as one snapshot saw it. */
export interface Standing {
  readonly head: Head
  /** The database's clock, when that was read. */
  readonly clock: Clock
  readonly target: ReleaseFacts
  /** What is live in the place; null where nothing is. */
  readonly live: Live | null
  /** What the release is compared with; null where there is nothing. */
  readonly baseline: { readonly release_id: string; readonly version: string } | null
  /** The policy as it is in the place. */
  readonly held: HeldPolicy
  /** What the conditions of features found. */
  readonly gates: Evidence['gates']
  /** Why a promotion that is decided on at such a time, of ISO-8601, is blocked whatever the policy says. */
  readonly blockedAt: (time: string) => readonly string[]
}

/** What else a snapshot reads; `check` comes before all other checks. */
export interface Also<M> {
  readonly query: Query<M>
  readonly check?: (read: M, clock: Clock) => void
}

/** Reads where things stand. Throws 400 for what is unknown, or of another agent. */
export async function readStanding<M = undefined>(
  ledger: Ledger,
  subject: Subject,
  also?: Also<M>,
): Promise<Standing & { readonly also: M }> {
  const { action, environment, agent_id, baseline_release_id } = subject
  refuseUndeclared(ledger, environment)
  const release = releaseIdOf(subject)
  const agent =
    agent_id === undefined
      ? sql`(SELECT agent_id FROM releases WHERE release_id = ${release})`
      : sql`${agent_id}`
  const conditions = await partsOf<Condition>(ledger.features, 'condition')
  const askedAt = ledger.now()
  const read = await ask(
    ledger.sql,
    together({
      head: headQuery(ledger.sql.clock),
      target: releaseQuery(release),
      place: placeQuery(agent, environment),
      given: baseline_release_id === undefined ? undefined : releaseQuery(sql`${baseline_release_id}`),
      policy: ACTIVE_POLICY,
      conditions: together(
        Object.fromEntries(
          conditions.map(({ reads }, index) => [index, reads(ledger, { action, environment, release })]),
        ),
      ),
      also: also?.query,
    }),
  )
  const clock = clockOf(ledger, read.head, askedAt)
  also?.check?.(read.also as M, clock)
  const target = ofAgent(read.target ?? refuse(unknownTarget(subject)), agent_id)
  const isLive = baseline_release_id === undefined
  const live = isLive ? verifiedPointer(read.place) : null
  const baseline = isLive
    ? live
    : ofAgent(read.given ?? refuse(unknownRelease(baseline_release_id, 'baseline')), agent_id)
  const held = await policyIn(read.policy, { agent_id: target.agent_id, environment })
  const gates = conditions.reduce<Evidence['gates']>((found, condition, index) => {
    const more = condition.found(ledger, subject, clock, read.conditions[`${index}`] as never)
    return more === undefined ? found : { ...found, ...more }
  }, undefined)
  const decided = { release_id: target.release_id, environment }
  return {
    head: read.head,
    clock,
    target,
    live,
    baseline,
    held,
    gates,
    blockedAt: evaluated_at => conditions.flatMap(({ reasons }) => reasons({ gates, evaluated_at }, decided)),
    also: read.also as M,
  }
}

/** Why the conditions of features block, for a replay. */
export async function conditionsOf(features: Ledger['features']): Promise<ConditionReasons[]> {
  return (await partsOf<Condition>(features, 'condition')).map(({ reasons }) => reasons)
}

/** An expression. */
function releaseIdOf({ release_id, agent_id = '', environment }: Subject): Statement {
  if (release_id !== undefined) return sql`${release_id}`
  return sql`(SELECT release_id FROM releases WHERE agent_id = ${agent_id} AND environment = ${environment}
    ORDER BY seq DESC LIMIT 1)`
}

function unknownTarget({ release_id, agent_id, environment }: Subject): string {
  if (release_id !== undefined) return unknownRelease(release_id, agent_id === undefined ? '' : 'candidate')
  return `No release of ${agent_id} is registered for ${environment}; say which one is meant by release_id.`
}

function ofAgent(release: ReleaseFacts, agentId: string | undefined): ReleaseFacts {
  if (agentId === undefined || release.agent_id === agentId) return release
  return refuse(`Cross-agent diff is not allowed: ${release.release_id} is not a release of ${agentId}.`)
}

function refuse(text: string): never {
  throw badRequest(text)
}
