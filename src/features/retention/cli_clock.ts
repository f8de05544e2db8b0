import { acceptClock } from '../../runtime/clock.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { localLedger } from './cli_runs.ts'

export async function accept(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const accepted = await acceptClock(localLedger(invocation), options.required('reason'))
  const { now, before } = accepted
  io.out(options.json ? pretty(accepted) : `time decides again from ${now} on; before it was ${before}\n`)
  return 0
}
