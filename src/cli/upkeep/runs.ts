import { isoTime } from '../../base/time.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { eraseRuns, pruneRuns, restoreRuns } from '../../runtime/upkeep/runs.ts'
import type { Invocation } from '../arguments/command.ts'
import { stderrLog } from '../main.ts'

/** What is needed to open the ledger of this folder. */
export function localLedger({ io, version }: Invocation) {
  return { folder: io.cwd, environment: readEnvironment(io.env), version, log: stderrLog(io) }
}

export async function prune(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const dryRun = options.flag('dry-run') === true
  const { before, days, events } = await pruneRuns(localLedger(invocation), {
    olderThan: options.text('older-than'),
    archive: options.text('archive'),
    dryRun,
  })
  const day = isoTime(before).slice(0, 10)
  io.out(
    `${dryRun ? 'would remove' : 'removed'} ${events} run events before ${day}, ${days} days of releases\n`,
  )
  return 0
}

export async function restore(invocation: Invocation): Promise<number> {
  const [archive] = invocation.args
  const { files, inserted, skipped, gaps } = await restoreRuns(localLedger(invocation), archive!)
  const left = gaps === 0 ? '' : `; ${gaps} days of releases are not whole even so`
  invocation.io.out(
    `restored ${inserted} run events of ${files} files, ${skipped} were there already${left}\n`,
  )
  return 0
}

export async function erase(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const { erasure_id, events, archived_events } = await eraseRuns(localLedger(invocation), {
    tenant: options.required('tenant'),
    archive: options.text('archive'),
  })
  io.out(`${erasure_id} erased ${events} run events, and ${archived_events} in the archive\n`)
  return 0
}
