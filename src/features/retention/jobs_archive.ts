import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as pipe } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { badRequest } from '../../base/errors.ts'
import { openPart, reasonOf } from '../../runtime/node/files.ts'
import { JOB_LEASE_MS } from './job.ts'
import type { Archive } from './prune.ts'

/**
 * Archives into a folder: a gzipped file of JSON lines for each day. Resolves once it is on the disk. Throws 400 naming the
 * folder where it can't be written.
 */
export function archiveInto(folder: string): Archive {
  return async function archive(day, lines, renew) {
    // Another process would take the pruning over while a long day is written.
    const beating = setInterval(() => void renew().catch(() => {}), BEAT_MS)
    beating.unref()
    try {
      await writeDay(folder, day, lines, renew)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
      const reason = reasonOf(error as NodeJS.ErrnoException)
      throw badRequest(`The archive ${folder} can't be written: ${reason}.`, error)
    } finally {
      clearInterval(beating)
    }
  }
}

const BEAT_MS = JOB_LEASE_MS / 3

async function writeDay(
  folder: string,
  day: string,
  lines: AsyncIterable<string>,
  renew: () => Promise<void>,
): Promise<void> {
  const part = join(folder, `${day}.${randomUUID()}.part`)
  let events = 0
  async function* counted(): AsyncGenerator<string> {
    for await (const line of lines) {
      events += 1
      yield `${line}\n`
    }
  }
  let file: FileHandle | undefined
  try {
    file = await openPart(part)
    const sink = file
    await pipeline(counted, createGzip(), async chunks => {
      for await (const chunk of chunks) await sink.writeFile(chunk as Buffer)
    })
    await file.sync()
    await file.close()
    file = undefined
    await renew()
    // Somebody may have erased all of it meanwhile.
    if (events > 0) await rename(part, await freePath(folder, day))
    await syncFolder(folder)
  } finally {
    await file?.close()
    await rm(part, { force: true })
  }
}

/** Takes a name that no file has: what was archived of a day before stays. */
async function freePath(folder: string, day: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = join(folder, `${day}${number === 1 ? '' : `.${number}`}.jsonl.gz`)
    try {
      await (await open(path, 'wx', 0o600)).close()
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Puts the names of a folder on the disk. Windows has no such thing, and does it by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Longest line of an archived file, characters: far above that of the longest event. */
const MAX_LINE_CHARS = 4_000_000

/**
 * The events of an archived file, as JSON texts, in constant memory however much is packed into it. Only a line feed ends
 * one: what else passes for the end of a line may be within a text of JSON. Throws 400 for a line that no event has, and
 * for a file that can't be read or is no gzip.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  // Unlike `pipe` of a stream, it hands on the errors of either, and closes both.
  const bytes = pipe(createReadStream(path), createGunzip(), () => {})
  try {
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
      rest = lines.pop()!
      yield* lines
      if (rest.length > MAX_LINE_CHARS) {
        throw badRequest(
          `${path} has a line of more than ${MAX_LINE_CHARS} characters, which no run event has.`,
        )
      }
    }
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const reason = syscall === undefined ? message : reasonOf(error as NodeJS.ErrnoException)
    throw badRequest(`${path} can't be read: ${reason}.`, error)
  }
  if (rest !== '') yield rest
}
