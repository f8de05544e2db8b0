import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import { checkpointNow } from './checkpoint.ts'
import { urlProblem } from '../../rules/webhook_target.ts'
import type { Services } from '../../runtime/services.ts'
import { IDLE, type Runner, again } from '../../runtime/again.ts'
import { isUrl, postCheckpoint } from './trigger.ts'

/** A server that has just started has more urgent things to do. */
const FIRST_MS = 5000
/** After a failure. */
const AGAIN_MS = 300_000

/**
 * Once an hour puts a checkpoint where service.yaml says, if the log has grown since the last one of this process. What
 * fails is logged, and tried again five minutes later. Throws 400 where they would go where webhooks must not.
 */
export function runCheckpoints(
  services: Services,
  { folder, firstMs = FIRST_MS }: { folder: string; firstMs?: number },
): Runner {
  const target = services.workspace.audit?.checkpoints
  if (target == null) return IDLE
  const problem = isUrl(target) ? urlProblem(target, services.workspace.webhooks.deny_private) : undefined
  if (problem !== undefined) throw badRequest(`service.yaml: audit.checkpoints ${problem}.`)
  let lastSize = 0
  return again(firstMs, async () => {
    try {
      lastSize = await put(services, target, folder, lastSize)
      return HOUR_MS
    } catch (error) {
      services.log('error', 'the audit log has no new checkpoint', { error })
      return AGAIN_MS
    }
  })
}

/** Puts a checkpoint there unless the log is as long as it was, and returns how long it is. */
async function put(services: Services, target: string, folder: string, lastSize: number): Promise<number> {
  const { note, size } = await checkpointNow(services)
  if (size === lastSize) return size
  if (isUrl(target)) await postCheckpoint(services, target, note)
  else await append(resolve(folder, target), `${note}\n`)
  return size
}

/** In one write, so that those of several servers stay apart. */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.write(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
