import { matches, similarNames } from '../../base/text.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, ask, asText, field, together } from '../../sql/query.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Scope, coversEnvironment } from '../world/scope.ts'

/** Agents and environments that a rule is for: names, or beginnings of names and a `*`. */
interface NamedPlace {
  /** The rule, such as `overrides[0]`. */
  readonly rule: string
  readonly agent_id?: string | undefined
  readonly environment?: string | undefined
}

/** Most rules that are listed. */
const MOST_LISTED = 5

/** What the overrides of a policy are for that nobody knows: they hold nowhere, and nothing else would tell. */
export function unknownInPolicy(
  db: Sql,
  { overrides = [] }: Policy,
  workspace: WorkspaceConfig,
): Promise<string[]> {
  const places = overrides.map(({ agent_id, environment }, index) => ({
    rule: `overrides[${index}]`,
    agent_id,
    environment,
  }))
  return unknownPlaces(db, places, workspace)
}

/** The same of freezes and the order of environments in service.yaml. */
export function unknownInWorkspace(db: Sql, workspace: WorkspaceConfig): Promise<string[]> {
  const { freeze = [], promotes_from = {} } = workspace
  const places = [
    ...freeze.map(({ environment }, index) => ({ rule: `freeze[${index}]`, environment })),
    ...Object.keys(promotes_from).map(environment => ({ rule: 'promotes_from', environment })),
  ]
  return unknownPlaces(db, places, workspace)
}

async function unknownPlaces(
  db: Sql,
  places: readonly NamedPlace[],
  { environments: declared }: WorkspaceConfig,
): Promise<string[]> {
  if (places.length === 0) return []
  const known = await ask(db, together({ agents: AGENTS, environments: ENVIRONMENTS }))
  const found = places.flatMap(({ rule, agent_id, environment }) => [
    ...unknownText(rule, 'of agent', agent_id, known.agents),
    ...unknownText(rule, 'in environment', environment, declared ?? known.environments),
  ])
  return found.slice(0, MOST_LISTED)
}

const AGENTS = allRows(sql`SELECT DISTINCT agent_id AS name FROM releases ORDER BY 1`, field('name', asText))

const ENVIRONMENTS = allRows(
  sql`SELECT environment AS name FROM releases UNION SELECT environment FROM scopes
    UNION SELECT environment FROM promoted_pointers ORDER BY 1`,
  field('name', asText),
)

const REGISTERED_ENVIRONMENTS = allRows(
  sql`SELECT environment AS name FROM releases UNION SELECT environment FROM promoted_pointers`,
  field('name', asText),
)

/** None where nothing is known yet: rules may come before all that they are for. */
function unknownText(
  rule: string,
  of: string,
  pattern: string | undefined,
  known: readonly string[],
): string[] {
  if (pattern === undefined || known.length === 0 || known.some(name => matches(pattern, name))) return []
  const [meant] = similarNames(pattern, known, 1)
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`
  return [`${rule} matches nothing yet: there is nothing ${of} ${pattern}${guess}`]
}

/** How long an environment that nothing is registered for is taken for what it is, ms. */
const CHECK_AGAIN_MS = MINUTE_MS
const MOST_REMEMBERED = 10_000
/** Most names that are compared with others at once. */
const MOST_CHECKED = 20

/**
 * Environments that may be slips of others: nothing was ever registered for or promoted in them, but in one of a similar
 * name, which they map to. Names out of the scope are not shown.
 */
export async function mistypedEnvironments(
  {
    sql: db,
    memo: { environments: remembered },
    workspace,
    now,
  }: Pick<Ledger, 'sql' | 'memo' | 'workspace' | 'now'>,
  names: ReadonlySet<string>,
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  // Where environments are declared, others are refused.
  if (workspace.environments !== undefined) return new Map()
  const at = now()
  const isRemembered = (name: string): boolean => {
    const until = remembered.get(name)
    return until !== undefined && until > at
  }
  const requested = [...names]
    .filter(name => name !== workspace.default_environment && !isRemembered(name))
    .slice(0, MOST_CHECKED)
  if (requested.length === 0) return new Map()
  const known = new Set([workspace.default_environment, ...(await ask(db, REGISTERED_ENVIRONMENTS))])
  const covered = [...known].filter(name => coversEnvironment(scope, name))
  if (remembered.size > MOST_REMEMBERED) remembered.clear()
  const slips = new Map<string, string>()
  for (const name of requested) {
    const [meant] = known.has(name) ? [] : similarNames(name, covered, 1)
    if (meant === undefined) remembered.set(name, known.has(name) ? Infinity : at + CHECK_AGAIN_MS)
    else slips.set(name, meant)
  }
  return slips
}
