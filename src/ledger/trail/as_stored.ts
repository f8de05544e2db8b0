import type { Row, Value } from '../../sql/port.ts'

/** A value as databases keep it: half of a surrogate pair becomes U+FFFD. */
export function asStored(value: Value): Value {
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** Columns that name who changed a row. */
const ACTOR_COLUMNS = ['actor', 'created_by', 'revoked_by', 'resolved_by', 'started_by', 'ended_by']

/**
 * A stored row as it may have been when the actor of an entry had it hashed; one of them is what the hash is of. Nearly
 * always that is the row itself. Version 0.1.0 took actors whose names hold half of a surrogate pair: it hashed the name
 * as it came, and the database keeps another one. Such rows never change, so they have to be verifiable as they are.
 */
export function asHashed(row: Row, actor: string): Row[] {
  const stored = actor.toWellFormed()
  if (stored === actor) return [row]
  let rows = [row]
  for (const column of ACTOR_COLUMNS) {
    if (row[column] === stored) rows = rows.flatMap(each => [each, { ...each, [column]: actor }])
  }
  return rows
}
