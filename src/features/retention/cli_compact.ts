import { compactLedger } from './jobs_compact.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { localLedger } from './cli_runs.ts'

export async function compact(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const compacted = await compactLedger(localLedger(invocation))
  const { rewritten, left } = compacted
  const kept = left === 0 ? '' : `; ${left} are left as they are`
  io.out(options.json ? pretty(compacted) : `rewrote ${rewritten} events${kept}\n`)
  return 0
}
