import type { Pointer } from './models.ts'
import { type CallOptions, type Row, type Statement, join, sql } from '../../sql/port.ts'
import { allRows, ask, asText, columns } from '../../sql/query.ts'
import { type Ledger, partsOf } from '../../ledger/world/ledger.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'

type PointerLedger = Pick<Ledger, 'sql' | 'features'>

/** The promoted release of an agent in an environment, if there is one, and how it is split. */
export async function readPointer(
  ledger: PointerLedger,
  agentId: string,
  environment: string,
): Promise<Pointer | undefined> {
  const often = { keepsPlans: true, isPointRead: true }
  return (await pointersWhere(ledger, environment, sql`p.agent_id = ${agentId}`, often))[0]
}

/** The promoted releases of an environment, by agent, of those that a caller may see. */
export function readPointers(ledger: PointerLedger, environment: string, scope: Scope): Promise<Pointer[]> {
  const covered = inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })
  return pointersWhere(ledger, environment, covered)
}

async function pointersWhere(
  { sql: db, features }: PointerLedger,
  environment: string,
  condition: Statement,
  options?: CallOptions,
): Promise<Pointer[]> {
  const splits = await partsOf(features, 'split')
  const more = join(
    splits.map(split => sql`, ${split.columns}`),
    '',
  )
  const joins = join(
    splits.map(split => split.join(db.clock)),
    ' ',
  )
  // The pointer's columns come last: of several with one name the last one counts.
  const statement = sql`SELECT r.version, r.checksum ${more}, p.agent_id, p.environment, p.release_id
    FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id ${joins}
    WHERE p.environment = ${environment} AND ${condition} ORDER BY p.agent_id`
  return ask(
    db,
    allRows(statement, (row: Row): Pointer => {
      const split = splits.map(({ splitOf }) => splitOf(row)).find(found => found !== undefined)
      return { ...readColumns(row), ...(split === undefined ? {} : { split }) }
    }),
    options,
  )
}

const readColumns = columns({
  agent_id: asText,
  environment: asText,
  release_id: asText,
  version: asText,
  checksum: asText,
})

/** What an ETag of a pointer says: all of it but the lease, which each answer renews. */
export function pointerTag({ release_id, split }: Pointer): string {
  if (split === undefined) return `"${release_id}"`
  return `"${release_id}.${split.rollout_id}.${split.share}"`
}
