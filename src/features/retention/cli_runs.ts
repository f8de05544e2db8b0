import { dayText, isoTime } from '../../base/time.ts'
import { type Column, listing } from '../../cli/terminal/table.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { acceptClock, ledgerSize } from './jobs_ledger.ts'
import { eraseRuns, pruneRuns, restoreRuns } from './jobs_runs.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { stderrLog } from '../../cli/terminal/io.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import type { TableSize } from './size.ts'

/** What is needed to open the ledger of this folder. */
function localLedger({ io, version }: Invocation) {
  return { folder: io.cwd, environment: readEnvironment(io.env), version, log: stderrLog(io) }
}

export async function prune(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const dry_run = options.flag('dry-run') === true
  const { before, days, events, parts } = await pruneRuns(localLedger(invocation), {
    olderThan: options.text('older-than'),
    archive: options.text('archive'),
    dryRun: dry_run,
  })
  const day = dayText(before)
  const did = dry_run ? 'would remove' : 'removed'
  const others = parts.flatMap(({ count, words }) =>
    count === 0 ? [] : `${did} ${words(count)} before ${day}\n`,
  )
  io.out(
    options.json
      ? pretty({
          before: isoTime(before),
          days,
          events,
          parts: Object.fromEntries(parts.map(({ name, count }) => [name, count])),
          dry_run,
        })
      : `${did} ${events} run events before ${day}, ${days} days of releases\n${others.join('')}`,
  )
  return 0
}

export async function restore(invocation: Invocation): Promise<number> {
  const { args, options, io } = invocation
  const restored = await restoreRuns(localLedger(invocation), args[0]!)
  const { inserted, skipped, erased = 0, gaps } = restored
  const gone = erased === 0 ? '' : `, ${erased} were erased and stay erased`
  const left = gaps === 0 ? '' : `; ${gaps} days of releases are still incomplete`
  io.out(
    options.json
      ? pretty(restored)
      : `restored ${inserted} run events, ${skipped - erased} were there already${gone}${left}\n`,
  )
  return 0
}

export async function erase(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const tenant = options.required('tenant')
  const erased = await eraseRuns(localLedger(invocation), tenant)
  const { erasure_id, events } = erased
  io.out(options.json ? pretty(erased) : `${erasure_id} erased ${events} run events\n`)
  if (events === 0) {
    io.err(`svc: warning: tenant ${safe(tenant)} has no run events; is the name right?\n`)
  }
  return 0
}

/** Prints a line per table, the largest first. */
export async function size(invocation: Invocation): Promise<number> {
  const { io, options } = invocation
  const found = await ledgerSize(localLedger(invocation))
  io.out(options.json ? pretty(found) : listing(COLUMNS, found.tables, io))
  if (options.json) return 0
  const { bytes, bytes_per_day, days_left } = found
  io.err(`svc: ${bytes} bytes in all, growing by ${Math.round(bytes_per_day)} a day\n`)
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
  io.out(
    options.json
      ? pretty(accepted)
      : `decisions use the time again from ${now} on; before, it was ${before}\n`,
  )
  return 0
}
