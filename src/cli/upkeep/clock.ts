import { acceptClock } from '../../runtime/upkeep/clock.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty } from '../terminal/text.ts'
import { localLedger } from './runs.ts'

export async function accept(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const accepted = await acceptClock(localLedger(invocation), options.required('reason'))
  const { now, before } = accepted
  io.out(options.json ? pretty(accepted) : `time decides again from ${now} on; before it was ${before}\n`)
  return 0
}
