import { type Row, raw } from './port.ts'
import { type Query, onlyRow } from './query.ts'

/** What a server reads for values that are known, by the setting that changes it (PostgreSQL, 20.11 and 20.13). */
const KNOWN = {
  extra_float_digits: ['CAST(CAST(0.1 AS FLOAT8) + CAST(0.2 AS FLOAT8) AS TEXT)', '0.30000000000000004'],
  quote_all_identifiers: [`quote_ident('name')`, 'name'],
  array_nulls: [`CAST(CAST('{NULL}' AS TEXT[]) AS TEXT)`, '{NULL}'],
  standard_conforming_strings: [String.raw`CAST('\\' AS TEXT)`, String.raw`\\`],
} as const

/** The columns of a SELECT that {@link valuesProblem} reads. */
export const KNOWN_COLUMNS = Object.entries(KNOWN)
  .map(([setting, [expression]]) => `${expression} AS ${setting}`)
  .join(', ')

export const KNOWN_VALUES: Query<Row> = onlyRow(raw(`SELECT ${KNOWN_COLUMNS}`), row => row)

/** Names the settings by which known values read otherwise; undefined where there are none. */
export function valuesProblem(row: Row): string | undefined {
  const names = Object.entries(KNOWN).flatMap(([name, [, value]]) => (row[name] === value ? [] : [name]))
  if (names.length === 0) return undefined
  return `the database sets ${names.join(' and ')} so that numbers or names read otherwise; RESET it for the database and its user`
}
