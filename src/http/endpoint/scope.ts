import { ServiceError, badRequest } from '../../base/errors.ts'
import { ownerOfAction, ownerOfRelease, ownerOfRequest } from '../../ledger/registry/release_facts.ts'
import {
  type Scope,
  coversAgent,
  coversEnvironment,
  isLimited,
  outOfScope,
} from '../../ledger/world/scope.ts'
import type { Called } from '../access/context.ts'
import type { Source } from './read_input.ts'

/**
 * What an endpoint is about, and so which credentials with a scope it is for. One that declares nothing is for those
 * without.
 *
 * - `shared`: what belongs to no agent, such as the policy in force;
 * - `ledger`: all agents at once;
 * - `filtered`: a list, of which the operation leaves out what is out of scope;
 * - `checked`: what the operation itself refuses where it is out of scope, such as run events one by one.
 */
export type ScopeRule = 'shared' | 'ledger' | 'filtered' | 'checked' | Owned

/** A thing that a request names. One out of scope is answered as if it did not exist. */
type Owned =
  | {
      readonly kind: 'release'
      readonly where: Source
      /** Fields that name releases, with what an error calls them. */
      readonly fields: Readonly<Record<string, string>>
      /** Where the environment is named; null where none is, and `every` for what counts in all of them. */
      readonly environment: Source | 'every' | null
      /** What an unknown one is answered with. */
      readonly status: 400 | 404
    }
  | { readonly kind: 'action' | 'request'; readonly where: Source; readonly field: string }
  /** Belongs to no agent, but tells of all of them. */
  | { readonly kind: 'webhook' | 'delivery'; readonly field: string }
  /** Names an agent itself, and, unless that is null, an environment too. */
  | { readonly kind: 'agent'; readonly where: Source; readonly field: string; readonly environment?: null }

/** About a release, in the environment that is named along with it. */
export function ofRelease(
  where: Source,
  { environment = where, status = 400 }: { environment?: Source | 'every' | null; status?: 400 | 404 } = {},
): ScopeRule {
  return { kind: 'release', where, fields: { release_id: '' }, environment, status }
}

/** About two releases that are compared. */
export function ofComparison(where: Source): ScopeRule {
  const fields = { baseline_release_id: 'baseline', candidate_release_id: 'candidate' }
  return { kind: 'release', where, fields, environment: where, status: 400 }
}

type RequestInput = Readonly<Record<Source, unknown>>

/** Throws 403 for a caller with a scope where all agents are concerned, before more is read of its request. */
export function refuseLimited(
  rule: ScopeRule | undefined,
  { caller: { scope } }: Pick<Called, 'caller'>,
): void {
  if (isLimited(scope) && (rule === undefined || rule === 'ledger')) {
    throw outOfScope(scope, 'this is about the whole ledger')
  }
}

/** Whether what a request names is in the scope of its caller; not where that can't be known. */
export async function isInScope(...of: Parameters<typeof requireScope>): Promise<boolean> {
  return requireScope(...of).then(
    () => true,
    () => false,
  )
}

/**
 * Holds a request to the scope of its caller. Throws 403 for an environment or agent that is named and not in it; for
 * other things that are not in it the same as where there are none.
 */
export async function requireScope(
  rule: ScopeRule | undefined,
  given: RequestInput,
  context: Called,
): Promise<void> {
  const { scope } = context.caller
  if (!isLimited(scope) || rule === undefined || typeof rule === 'string') return
  if (rule.kind === 'release') return requireReleases(rule, given, context)
  if (rule.kind === 'agent') return requireAgent(rule, given, context)
  if (!('where' in rule)) {
    throw new ServiceError(404, `Unknown ${rule.kind}: ${textIn(given.path, rule.field)}`)
  }
  const { kind, where, field } = rule
  const id = textIn(given[where], field)
  const owner = await (kind === 'action' ? ownerOfAction : ownerOfRequest)(context.sql, id)
  if (
    owner !== undefined &&
    coversAgent(scope, owner.agent_id) &&
    coversEnvironment(scope, owner.environment)
  ) {
    return
  }
  throw kind === 'action'
    ? new ServiceError(404, `Unknown action: ${id}`)
    : badRequest(`Unknown promotion request: ${id}`)
}

async function requireReleases(
  { where, fields, environment, status }: Extract<Owned, { kind: 'release' }>,
  given: RequestInput,
  context: Called,
): Promise<void> {
  const { scope } = context.caller
  if (environment === 'every') {
    if (scope.environments !== null) throw outOfScope(scope, 'this counts in every environment')
  } else if (environment !== null) requireEnvironment(scope, given[environment], context)
  for (const [field, label] of Object.entries(fields)) {
    const id = textIn(given[where], field)
    const agent = await ownerOfRelease(context.sql, id)
    if (agent !== undefined && coversAgent(scope, agent)) continue
    throw new ServiceError(status, `Unknown ${label === '' ? '' : `${label} `}release: ${id}`)
  }
}

/** Fields that name releases of an agent, with what an error calls them. */
const RELEASES_OF_AGENT = { release_id: 'candidate', baseline_release_id: 'baseline' } as const

async function requireAgent(
  { where, field, environment }: Extract<Owned, { kind: 'agent' }>,
  given: RequestInput,
  context: Called,
): Promise<void> {
  const { scope } = context.caller
  if (environment !== null) requireEnvironment(scope, given[where], context)
  const agent = textIn(given[where], field)
  if (!coversAgent(scope, agent)) throw outOfScope(scope, `not for agent ${JSON.stringify(agent)}`)
  const named: Readonly<Record<string, unknown>> = { ...(given.query as object), ...(given.body as object) }
  for (const [name, label] of Object.entries(RELEASES_OF_AGENT)) {
    const id = named[name]
    if (typeof id !== 'string') continue
    const owner = await ownerOfRelease(context.sql, id)
    if (owner === undefined || !coversAgent(scope, owner)) throw badRequest(`Unknown ${label} release: ${id}`)
  }
}

/** Throws 403 where an environment is not in scope; the default one where none is named. */
export function requireEnvironment(
  scope: Scope,
  given: unknown,
  { workspace }: Pick<Called, 'workspace'>,
): void {
  const named = (given as { environment?: string | null } | undefined)?.environment
  const environment = named ?? workspace.default_environment
  if (coversEnvironment(scope, environment)) return
  throw outOfScope(scope, `not for environment ${JSON.stringify(environment)}`)
}

function textIn(values: unknown, field: string): string {
  return String((values as Record<string, unknown>)[field])
}
