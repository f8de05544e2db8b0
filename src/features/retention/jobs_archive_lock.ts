import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../base/errors.ts'
import { jsonOf } from '../../base/text.ts'
import type { Manner } from './job.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'

export interface LockOptions {
  /** Longest wait for another process, ms. */
  readonly waitMs?: number
  /** After how long without a touch a lock was left behind, ms. */
  readonly goneMs?: number
  /** Called once, before the first wait. */
  readonly onWait?: () => void
}

/** Says in the log, once, that there is a wait. */
export function waitingFor({ log }: Pick<Ledger, 'log'>, folder: string): LockOptions {
  let said = false
  return {
    onWait: () => {
      if (!said) log('info', `waiting for another process that writes into the archive ${folder}`)
      said = true
    },
  }
}

/** In the folder of an archive, while a process writes there. */
const NAME = 'archive.lock'
/** A process touches its lock so often, ms. */
const TOUCH_MS = 10_000
const GONE_MS = 60_000
const WAIT_MS = 90_000
/** Between two looks, ms. */
const LOOK_MS = 50

/** Process ids come again, in a container at each start. */
const ME = { host: hostname(), pid: process.pid, id: randomUUID() }
/** How this process marks what it holds. */
const MINE = JSON.stringify(ME)

/**
 * Does work that changes an archive while no other process changes it: who reads the manifest and writes it later would
 * drop what another added meanwhile, and with it run events that are in the ledger no more. Throws 503 where another
 * process still writes there after the wait.
 */
export async function aloneInArchive<T>(
  folder: string,
  work: () => Promise<T>,
  { waitMs = WAIT_MS, goneMs = GONE_MS, onWait }: LockOptions = {},
): Promise<T> {
  const path = join(folder, NAME)
  const startedAt = performance.now()
  let seen: Lock | undefined
  for (let seenAt = startedAt; !(await take(path));) {
    const lock = await readLock(path)
    if (lock !== undefined) {
      if (lock.touched !== seen?.touched || lock.text !== seen.text) seenAt = performance.now()
      if (isOfDead(lock.text) || performance.now() - seenAt >= goneMs) {
        await drop(path, lock)
        continue
      }
      if (seen === undefined) onWait?.()
      seen = lock
    }
    if (performance.now() - startedAt > waitMs) throw stillLocked(path)
    await sleep(LOOK_MS)
  }
  const touching = setInterval(() => void touch(path), TOUCH_MS)
  touching.unref()
  try {
    return await work()
  } finally {
    clearInterval(touching)
    // Another one may have taken it over from a process that stood still.
    if ((await readLock(path))?.text === MINE) await rm(path, { force: true })
  }
}

async function take(path: string): Promise<boolean> {
  let file: FileHandle
  try {
    file = await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    await file.writeFile(MINE)
    return true
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now).catch(() => {})
}

interface Lock {
  readonly text: string
  /** Compared with itself alone: the clock of a file server may be another. */
  readonly touched: number
}

/** Undefined where it has just gone. */
async function readLock(path: string): Promise<Lock | undefined> {
  try {
    return { text: await readFile(path, 'utf8'), touched: (await stat(path)).mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a lock that was left behind. Of two who see that, the second may come upon the lock of the first: it goes back. */
async function drop(path: string, { text }: Lock): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  const moved = await readFile(aside, 'utf8').catch(() => text)
  if (moved === text) await rm(aside, { force: true })
  else await rename(aside, path)
}

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

function stillLocked(path: string): ServiceError {
  return new ServiceError(
    503,
    `Another process writes into the archive, as ${path} says; try again when it is done, and remove that file if no such ` +
      'process runs on any machine.',
  )
}

/** This process, and what it knows of others on this machine. */
export const THIS_PROCESS: NonNullable<Manner['process']> = { mark: MINE, hasEnded: isOfDead }
