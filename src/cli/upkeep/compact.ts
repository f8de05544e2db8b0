import { compactLedger } from '../../runtime/upkeep/compact.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty } from '../terminal/text.ts'
import { localLedger } from './runs.ts'

export async function compact(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const compacted = await compactLedger(localLedger(invocation))
  const { rewritten, left } = compacted
  const kept = left === 0 ? '' : `; ${left} are left as they are`
  io.out(options.json ? pretty(compacted) : `rewrote ${rewritten} events${kept}\n`)
  return 0
}
