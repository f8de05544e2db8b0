import { similarNames } from '../../base/similar.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { rowsOf, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Scope, coversEnvironment } from '../world/scope.ts'

/** How long an environment that nothing is registered for is taken for what it is, ms. */
const ASKED_AGAIN_MS = MINUTE_MS
const MOST_REMEMBERED = 10_000
/** Most names that are compared with others at once. */
const MOST_ASKED = 20

/**
 * Environments that may be slips of others: nothing was ever registered for or promoted in them, but in one of a similar
 * name, which they map to. Names out of the scope are not told.
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
  const asked = [...names]
    .filter(name => name !== workspace.default_environment && !isRemembered(name))
    .slice(0, MOST_ASKED)
  if (asked.length === 0) return new Map()
  const rows = await rowsOf(
    db,
    sql`SELECT environment AS name FROM releases UNION SELECT environment FROM promoted_pointers`,
  )
  const known = new Set([workspace.default_environment, ...rows.map(({ name }) => String(name))])
  const tellable = [...known].filter(name => coversEnvironment(scope, name))
  if (remembered.size > MOST_REMEMBERED) remembered.clear()
  const slips = new Map<string, string>()
  for (const name of asked) {
    const [meant] = known.has(name) ? [] : similarNames(name, tellable, 1)
    if (meant === undefined) remembered.set(name, known.has(name) ? Infinity : at + ASKED_AGAIN_MS)
    else slips.set(name, meant)
  }
  return slips
}
