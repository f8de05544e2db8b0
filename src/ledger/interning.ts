import type { NormalEvent } from '../rules/run_event.ts'
import { type Row, type Sql, type Statement, join, sql } from '../sql/port.ts'

/**
 * Ids of text pairs that every event repeats. Rows are never changed or deleted, so what was read once may be
 * kept; it is kept per database.
 */
interface Known {
  readonly scopes: Map<string, number>
  readonly variants: Map<string, number>
}

const KNOWN = new WeakMap<Sql, Known>()

/** Above this many entries a map is dropped and read anew, so that odd input can't fill the memory. */
const MOST_KNOWN = 50_000

/** Pairs looked up in one statement; D1 binds at most 100 parameters. */
const PER_STATEMENT = 25

/** Returns a lookup of the scope id (release, environment) of these events, stored where they were new. */
export async function internScopes(
  db: Sql,
  events: readonly NormalEvent[],
): Promise<(event: NormalEvent) => number> {
  const keyOf = (event: NormalEvent): string => `${event.release_id}\0${event.environment}`
  return intern(db, 'scopes', events, keyOf, {
    insert: keys =>
      sql`INSERT INTO scopes (release_id, environment) VALUES ${values(keys)} ON CONFLICT DO NOTHING`,
    select: keys => sql`SELECT id, release_id, environment FROM scopes
      WHERE (release_id, environment) IN (VALUES ${values(keys)})`,
    key: row => `${row.release_id}\0${row.environment}`,
  })
}

/** The same for variants: agent, provider and model. */
export async function internVariants(
  db: Sql,
  events: readonly NormalEvent[],
): Promise<(event: NormalEvent) => number> {
  const keyOf = ({ agent_id, usage: { model } }: NormalEvent): string =>
    `${agent_id}\0${model.provider}\0${model.model}`
  return intern(db, 'variants', events, keyOf, {
    insert: keys =>
      sql`INSERT INTO variants (agent_id, provider, model) VALUES ${values(keys)} ON CONFLICT DO NOTHING`,
    select: keys => sql`SELECT id, agent_id, provider, model FROM variants
      WHERE (agent_id, provider, model) IN (VALUES ${values(keys)})`,
    key: row => `${row.agent_id}\0${row.provider}\0${row.model}`,
  })
}

interface Table {
  readonly insert: (keys: readonly string[]) => Statement
  readonly select: (keys: readonly string[]) => Statement
  readonly key: (row: Row) => string
}

async function intern(
  db: Sql,
  name: keyof Known,
  events: readonly NormalEvent[],
  keyOf: (event: NormalEvent) => string,
  table: Table,
): Promise<(event: NormalEvent) => number> {
  const known = KNOWN.get(db) ?? { scopes: new Map(), variants: new Map() }
  KNOWN.set(db, known)
  const ids = known[name]
  if (ids.size > MOST_KNOWN) ids.clear()
  // Sorted, so that two writers lock new rows in one order.
  const unknown = [...new Set(events.map(keyOf))].filter(key => !ids.has(key)).sort()
  for (let start = 0; start < unknown.length; start += PER_STATEMENT) {
    const keys = unknown.slice(start, start + PER_STATEMENT)
    const [, found] = await db.batch([table.insert(keys), table.select(keys)])
    for (const row of found!.rows) ids.set(table.key(row), Number(row.id))
  }
  return event => ids.get(keyOf(event))!
}

/** Keys are joined by NUL, which no stored text can hold. */
function values(keys: readonly string[]): Statement {
  return join(
    keys.map(
      key =>
        sql`(${join(
          key.split('\0').map(part => sql`${part}`),
          ', ',
        )})`,
    ),
    ', ',
  )
}
