import type { ResultSet } from '@libsql/client'
import type { Result, Row, Value } from '../port.ts'

/** A result as the driver gives it, whose rows are arrays with names. */
export function toResult({ columns, rows, rowsAffected }: ResultSet): Result {
  if (columns.length === 0) return { rows: [], changes: rowsAffected }
  const plain = rows.map(row => {
    const object: Row = {}
    for (const [index, column] of columns.entries()) object[column] = row[index] as Value
    return object
  })
  return { rows: plain, changes: plain.length }
}
