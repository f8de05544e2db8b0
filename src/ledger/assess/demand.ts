import type { DiffReport } from '../../models/answers/diff.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import type { DemandJudges, DemandQuestion, Judged } from '../../rules/demands.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { type Query, together } from '../../sql/query.ts'
import { type AnyFeature, partsOf } from '../world/ledger.ts'
import type { Actor, Ledger } from '../world/ledger.ts'

/**
 * What a feature demands of a promotion beside the limits of the policy, and tells of two releases. Gates ask it too;
 * rollbacks and first promotions don't.
 */
export interface Demand<Read = never, Facts = never> {
  /** The key of its facts in evidence. */
  readonly name: string
  /** Keys of a policy that it judges by. */
  readonly keys: readonly (keyof Policy)[]
  /** For the snapshot that the decision is made by. */
  readonly reads: (pair: DemandPair, db: Pick<Sql, 'dialect' | 'clock'>) => Query<unknown>
  /** What it is judged by, kept as evidence; undefined where the policy demands nothing of it. */
  readonly facts: (read: Read, asked: DemandAsked) => Promise<object | undefined>
  readonly judge: (facts: Facts, question: DemandQuestion) => readonly Judged[]
  /** What a comparison shows of it. */
  readonly told?: (read: Read) => Promise<DemandTold>
}

/** What demands add to answers that compare two releases. */
export type DemandTold = Pick<DiffReport, 'surface'>

/** Two releases, each by a scalar expression of its id. */
export interface DemandPair {
  readonly candidateId: Statement
  readonly baselineId: Statement
  readonly environment: string
  readonly window: Window
}

export interface DemandAsked {
  readonly policy: Policy
  readonly clock: Clock
  /** Who wants the promotion; undefined where nobody does yet, as at a gate. */
  readonly by?: Pick<Actor, 'name' | 'claimed'> | undefined
  readonly workspace: Ledger['workspace']
}

/** What the demands of a promotion came to. */
export interface Demanded {
  /** By name; undefined where the policy demands nothing. */
  readonly facts: Readonly<Record<string, unknown>> | undefined
  readonly judged: readonly Judged[]
}

export const NOTHING_DEMANDED: Demanded = { facts: undefined, judged: [] }

export function demandsOf({ features }: Pick<Ledger, 'features'>): Promise<Demand[]> {
  return partsOf<Demand>(features, 'demand')
}

/** What replays demands of decisions. */
export async function demandJudges(features: readonly AnyFeature[]): Promise<DemandJudges> {
  const demands = await demandsOf({ features })
  return new Map(demands.map(({ name, keys, judge }) => [name, { keys, judge }]))
}

/** The release that is live where a candidate is to be promoted. */
export function liveBaseline(candidateId: string, environment: string): Statement {
  return sql`(SELECT p.release_id FROM promoted_pointers p JOIN releases r ON r.agent_id = p.agent_id
    WHERE r.release_id = ${candidateId} AND p.environment = ${environment})`
}

export function demandsQuery(
  demands: readonly Demand[],
  pair: DemandPair,
  db: Pick<Sql, 'dialect' | 'clock'>,
): Query<Readonly<Record<string, unknown>>> {
  return together(Object.fromEntries(demands.map(({ name, reads }) => [name, reads(pair, db)])))
}

export async function judgeDemands(
  demands: readonly Demand[],
  read: Readonly<Record<string, unknown>>,
  { policy, scope }: HeldPolicy,
  asked: Omit<DemandAsked, 'policy'> & { readonly release_id: string; readonly environment: string },
): Promise<Demanded> {
  const { release_id, environment, workspace } = asked
  const question = {
    release_id,
    environment,
    policy,
    rules: scope?.rules ?? [],
    strict: workspace.strict,
  }
  const facts: Record<string, unknown> = {}
  const judged: Judged[] = []
  for (const { name, facts: factsOf, judge } of demands) {
    const found = await factsOf(read[name] as never, { ...asked, policy })
    if (found === undefined) continue
    facts[name] = found
    judged.push(...judge(found as never, question))
  }
  return Object.keys(facts).length === 0 ? NOTHING_DEMANDED : { facts, judged }
}

/** What demands add to an answer that compares two releases. */
export async function demandsTold(
  demands: readonly Demand[],
  read: Readonly<Record<string, unknown>>,
): Promise<DemandTold> {
  const told = demands.map(async ({ name, told: tell }) => tell?.(read[name] as never))
  return Object.assign({}, ...(await Promise.all(told))) as DemandTold
}
