import { compactLedger } from '../../runtime/upkeep/compact.ts'
import type { Invocation } from '../arguments/command.ts'
import { localLedger } from './runs.ts'

export async function compact(invocation: Invocation): Promise<number> {
  const { io } = invocation
  const { rewritten, left } = await compactLedger(localLedger(invocation))
  io.out(`rewrote ${rewritten} events${left === 0 ? '' : `; ${left} are left as they are`}\n`)
  return 0
}
