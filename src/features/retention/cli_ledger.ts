import type { TableSize } from './size.ts'
import { ledgerSize, acceptClock } from './jobs_ledger.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Column, listing } from '../../cli/terminal/table.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { localLedger } from './cli_runs.ts'

/** Prints a line per table, the largest first. */
export async function size(invocation: Invocation): Promise<number> {
  const { io, options } = invocation
  const found = await ledgerSize(localLedger(invocation))
  io.out(options.json ? pretty(found) : listing(COLUMNS, found.tables, io))
  if (options.json) return 0
  const { bytes, bytes_per_day, days_left } = found
  io.err(`svc: ${bytes} bytes in all, and ${Math.round(bytes_per_day)} more a day\n`)
  if (days_left !== null) io.err(`svc: the disk is full in ${Math.floor(days_left)} days at this rate\n`)
  return 0
}

const COLUMNS: readonly Column<TableSize>[] = [
  { heading: 'table', cell: table => table.name, whole: true },
  { heading: 'rows', cell: table => table.rows, right: true },
  { heading: 'bytes', cell: table => table.bytes, right: true },
  { heading: 'rows a day', cell: table => rounded(table.rows_per_day), right: true },
  { heading: 'bytes a day', cell: table => rounded(table.bytes_per_day), right: true },
]

function rounded(count: number | null): number | null {
  return count === null ? null : Math.round(count)
}

export async function accept(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const accepted = await acceptClock(localLedger(invocation), options.required('reason'))
  const { now, before } = accepted
  io.out(options.json ? pretty(accepted) : `time decides again from ${now} on; before it was ${before}\n`)
  return 0
}
