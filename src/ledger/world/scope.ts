import { ServiceError } from '../../base/errors.ts'
import { firstFew } from '../../base/text.ts'
import { type Statement, join, sql } from '../../sql/port.ts'
import { listed } from '../../sql/query.ts'

/** The agents and environments that a caller may see and change; null means all of them. */
export interface Scope {
  readonly agents: readonly string[] | null
  readonly environments: readonly string[] | null
}

export const EVERYTHING: Scope = { agents: null, environments: null }

export function isLimited({ agents, environments }: Scope): boolean {
  return agents !== null || environments !== null
}

export function coversAgent({ agents }: Scope, agentId: string): boolean {
  return agents === null || agents.includes(agentId)
}

export function coversEnvironment({ environments }: Scope, environment: string): boolean {
  return environments === null || environments.includes(environment)
}

/** The 403 for a credential whose scope does not cover what a request names. */
export function outOfScope({ agents, environments }: Scope, why: string): ServiceError {
  const parts = [
    ...(agents === null ? [] : [`agents ${firstFew(agents)}`]),
    ...(environments === null ? [] : [`environments ${firstFew(environments)}`]),
  ]
  return new ServiceError(403, `This credential is limited to ${parts.join(' in ')}: ${why}.`)
}

/** The columns of a table that say whose a row is. */
interface Columns {
  readonly agent?: Statement
  readonly environment?: Statement
}

/** True for the rows of a table that are in scope. */
export function inScope({ agents, environments }: Scope, { agent, environment }: Columns): Statement {
  const conditions = [
    ...(agent === undefined || agents === null ? [] : [oneOf(agent, agents)]),
    ...(environment === undefined || environments === null ? [] : [oneOf(environment, environments)]),
  ]
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}

const PLACE = { agent: sql`agent_id`, environment: sql`environment` }

/** The same where the columns are called agent_id and environment. */
export function placeInScope(scope: Scope): Statement {
  return inScope(scope, PLACE)
}

function oneOf(column: Statement, names: readonly string[]): Statement {
  return sql`${column} IN (${listed(names)})`
}
