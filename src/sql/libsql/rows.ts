import type { ResultSet } from '@libsql/client'
import type { Result, Row, Value } from '../port.ts'

/** A result as the driver gives it, whose rows are arrays with names. */
export function toResult({ columns, rows, rowsAffected }: ResultSet): Result {
  if (columns.length === 0) return { rows: [], changes: rowsAffected }
  return {
    rows: rows.map(row => toRow(columns, row as ArrayLike<unknown> as ArrayLike<Value>)),
    changes: rows.length,
  }
}

export function toRow(columns: readonly string[], values: ArrayLike<Value>): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]!
  return row
}
