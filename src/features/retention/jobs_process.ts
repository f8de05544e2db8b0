import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { jsonOf } from '../../base/text.ts'
import type { Manner } from './job.ts'

/** Process ids come again, in a container at each start. */
const ME = { host: hostname(), pid: process.pid, id: randomUUID() }

/** This process, and what it knows of others on this machine. */
export const THIS_PROCESS: NonNullable<Manner['process']> = { mark: JSON.stringify(ME), hasEnded: isOfDead }

/** Whether a mark is of a process of this machine that is not running any more. */
function isOfDead(text: string): boolean {
  const { host, pid, id } = (jsonOf(text) ?? {}) as Partial<typeof ME>
  if (host !== ME.host || pid === undefined) return false
  return pid === ME.pid ? id !== ME.id : !isRunning(pid)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
