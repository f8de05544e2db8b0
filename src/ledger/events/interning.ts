import { countedModel } from '../../rules/statistics/incomplete.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Sql, type Statement, join, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  among,
  asNumber,
  asText,
  columns,
  listed,
  mapped,
  write,
} from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'
import type { Memo } from '../world/memo.ts'

/** Above this many entries a map is dropped and read again, so that unusual input can't fill the memory. */
const MOST_KNOWN = 50_000

/** Pairs looked up in one statement; D1 binds at most 100 parameters. */
const PER_STATEMENT = 25

/** A model that an event used. */
interface Used {
  readonly provider: string
  readonly model: string
}

/** The ids of some events, which are named by their place among them. */
export interface Interned {
  readonly scopeAt: (index: number) => number
  readonly variantAt: (index: number) => number
  readonly variantOfPart: (event: StoredEvent, used: Used) => number
  /** What the ids have to mean: `[id, release_id, environment]`, `[id, agent_id, provider, model]`. */
  readonly scopes: readonly (readonly [number, ...string[]])[]
  readonly variants: readonly (readonly [number, ...string[]])[]
}

/**
 * The ids of what these events name, stored where it was new. Rows are never changed or deleted, so what was read once
 * is kept. But a database can lose commits, by a restore or to a standby that was behind, and then gives an id to
 * another text: so each batch that uses ids checks them, and they are forgotten where they don't hold.
 */
export async function internEvents(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  events: readonly StoredEvent[],
): Promise<Interned> {
  const scopeKeys = events.map(scopeKey)
  const variantKeys = events.map(event => variantKey(event, counted(event, event.usage.model)))
  const parts = events.flatMap(partKeys)
  const named = await internNames({ sql: db, memo }, scopeKeys, [...variantKeys, ...parts])
  return {
    scopeAt: index => named.scopeOf(scopeKeys[index]!),
    variantAt: index => named.variantOf(variantKeys[index]!),
    variantOfPart: (event, used) => named.variantOf(variantKey(event, used)),
    ...named.ids,
  }
}

/** The same of keys: release and environment, and agent, provider and model, joined by NUL. */
export async function internNames(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  scopeKeys: readonly string[],
  variantKeys: readonly string[],
): Promise<{
  readonly scopeOf: (key: string) => number
  readonly variantOf: (key: string) => number
  readonly ids: Pick<Interned, 'scopes' | 'variants'>
}> {
  const scopes = await internScopes(db, memo.ids.scopes, new Set(scopeKeys))
  const variants = await internVariants(db, memo.ids.variants, new Set(variantKeys))
  return {
    scopeOf: key => scopes.get(key)!,
    variantOf: key => variants.get(key)!,
    ids: {
      scopes: Array.from(scopes, ([key, id]) => [id, ...key.split('\0')]),
      variants: Array.from(variants, ([key, id]) => [id, ...key.split('\0')]),
    },
  }
}

export function forgetIds({ ids }: Memo): void {
  ids.scopes.clear()
  ids.variants.clear()
  ids.erasureKey = undefined
}

function scopeKey({ release_id, environment }: StoredEvent): string {
  return `${release_id}\0${environment}`
}

function variantKey({ agent_id }: StoredEvent, { provider, model }: Used): string {
  return `${agent_id}\0${provider}\0${model}`
}

function partKeys(event: StoredEvent): readonly string[] {
  return event.usage.models?.map(used => variantKey(event, counted(event, used))) ?? NO_KEYS
}

function counted(event: StoredEvent, { provider, model }: Used): Used {
  return { provider, model: countedModel(event, model) }
}

const NO_KEYS: readonly string[] = []

async function internScopes(
  db: Sql,
  known: Map<string, number>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  return intern(db, known, wanted, {
    insert: keys =>
      sql`INSERT INTO scopes (release_id, environment) VALUES ${values(keys)} ON CONFLICT DO NOTHING`,
    select: keys =>
      mapped(
        allRows(
          sql`SELECT id, release_id, environment FROM scopes
            WHERE (release_id, environment) IN (VALUES ${values(keys)})`,
          columns({ id: asNumber, release_id: asText, environment: asText }),
        ),
        rows => rows.map(({ id, release_id, environment }) => [`${release_id}\0${environment}`, id]),
      ),
  })
}

async function internVariants(
  db: Sql,
  known: Map<string, number>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  return intern(db, known, wanted, {
    insert: keys =>
      sql`INSERT INTO variants (agent_id, provider, model) VALUES ${values(keys)} ON CONFLICT DO NOTHING`,
    select: keys =>
      mapped(
        allRows(
          sql`SELECT id, agent_id, provider, model FROM variants
            WHERE (agent_id, provider, model) IN (VALUES ${values(keys)})`,
          columns({ id: asNumber, agent_id: asText, provider: asText, model: asText }),
        ),
        rows => rows.map(({ id, agent_id, provider, model }) => [`${agent_id}\0${provider}\0${model}`, id]),
      ),
  })
}

interface Table {
  readonly insert: (keys: readonly string[]) => Statement
  /** Keys with their ids. */
  readonly select: (keys: readonly string[]) => Query<(readonly [key: string, id: number])[]>
}

async function intern(
  db: Sql,
  known: Map<string, number>,
  wanted: ReadonlySet<string>,
  table: Table,
): Promise<ReadonlyMap<string, number>> {
  if (known.size > MOST_KNOWN) known.clear()
  const ids = new Map([...wanted].flatMap(key => (known.has(key) ? [[key, known.get(key)!]] : [])))
  // Sorted, so that two writers lock new rows in one order.
  const unknown = [...wanted].filter(key => !ids.has(key)).sort()
  for (let start = 0; start < unknown.length; start += PER_STATEMENT) {
    const some = unknown.slice(start, start + PER_STATEMENT)
    for (const [key, id] of await write(db, among([table.insert(some)], table.select(some)))) {
      ids.set(key, id)
      known.set(key, id)
    }
  }
  return ids
}

/** Keys are joined by NUL, which no stored text can hold. */
function values(keys: readonly string[]): Statement {
  return join(
    keys.map(key => sql`(${listed(key.split('\0'))})`),
    ', ',
  )
}
