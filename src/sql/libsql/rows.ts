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

/** A result as it crosses threads: a copy of each row with the names of its columns would take three times as long. */
export interface PackedResult {
  readonly columns: readonly string[]
  readonly values: readonly (readonly Value[])[]
  readonly changes: number
}

export function pack({ rows, changes }: Result): PackedResult {
  return { columns: Object.keys(rows[0] ?? {}), values: rows.map(row => Object.values(row)), changes }
}

export function unpack({ columns, values, changes }: PackedResult): Result {
  return { rows: values.map(row => toRow(columns, row)), changes }
}
