import { ledgerSize } from '../../runtime/upkeep/size.ts'
import type { Invocation } from '../arguments/command.ts'
import { localLedger } from './runs.ts'

/** Prints a line per table, tab-separated: name, rows, bytes, rows and bytes a day. */
export async function size(invocation: Invocation): Promise<number> {
  const { io, options } = invocation
  const found = await ledgerSize(localLedger(invocation))
  if (options.text('output') === 'json') {
    io.out(`${JSON.stringify(found, null, 2)}\n`)
    return 0
  }
  for (const { name, rows, bytes, rows_per_day, bytes_per_day } of found.tables) {
    io.out(`${[name, rows, bytes, perDay(rows_per_day), perDay(bytes_per_day)].join('\t')}\n`)
  }
  io.out(`total\t\t${found.bytes}\t\t${perDay(found.bytes_per_day)}\n`)
  if (found.days_left !== null)
    io.err(`svc: the disk is full in ${Math.floor(found.days_left)} days at this rate\n`)
  return 0
}

function perDay(count: number | null): string {
  return count === null ? '' : String(Math.round(count))
}
