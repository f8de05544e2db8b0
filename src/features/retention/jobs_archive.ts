import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as pipe } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Gunzip, createGunzip, createGzip } from 'node:zlib'
import { badRequest } from '../../base/errors.ts'
import { JOB_LEASE_MS } from './job.ts'
import type { Archive } from './prune.ts'
import { makeFolder, openPart, reasonOf } from '../../runtime/node/files.ts'
import { type LockOptions, aloneInArchive } from './jobs_archive_lock.ts'
import { type ArchivedFile, readManifest, syncFolder, writeManifest } from './jobs_manifest.ts'

/**
 * Archives into a folder: a gzipped JSONL file for each release and day, and a manifest of all of them. Throws 400
 * naming the folder where it can't be written, and 503 as {@link aloneInArchive} does.
 */
export function archiveInto(folder: string, options: LockOptions = {}): Archive {
  return async function archive(of, lines, renew) {
    // Another process would take the pruning over while a long day is written, or the archive is waited for.
    const beating = setInterval(() => void renew().catch(() => {}), BEAT_MS)
    beating.unref()
    try {
      await aloneInArchive(folder, () => archiveDay(folder, of, lines, renew), options)
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

async function archiveDay(
  folder: string,
  { release_id, day }: Parameters<Archive>[0],
  lines: AsyncIterable<string>,
  renew: () => Promise<void>,
): Promise<void> {
  await makeFolder(join(folder, day))
  await syncFolder(folder)
  const manifest = await readManifest(folder)
  const path = freeName(`${day}/${safeName(release_id)}`, new Set(manifest.map(file => file.path)))
  const file = { ...(await writeLines(join(folder, path), lines)), path, release_id, day }
  const events = await verifyFile(folder, file)
  if (events !== file.events)
    throw badRequest(`${path} has ${events} events, not the ${file.events} that were written.`)
  // Somebody erased all of it meanwhile.
  if (events === 0) await rm(join(folder, path), { force: true })
  else {
    await renew()
    await writeManifest(folder, [...manifest, file])
  }
}

/** Release ids are what senders write: only plain ones become names of files. */
function safeName(releaseId: string): string {
  const isPlain = /^[\w-]{1,100}$/.test(releaseId)
  return isPlain ? releaseId : createHash('sha256').update(releaseId).digest('hex')
}

function freeName(start: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = `${start}${number === 1 ? '' : `.${number}`}.jsonl.gz`
    if (!taken.has(name)) return name
  }
}

/** Writes lines, whole and on the disk or not at all. */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
): Promise<Pick<ArchivedFile, 'events' | 'sha256'>> {
  const part = `${path}.part`
  const hash = createHash('sha256')
  let events = 0
  async function* counted(): AsyncGenerator<string> {
    for await (const line of lines) {
      events += 1
      yield `${line}\n`
    }
  }
  async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  let file: FileHandle | undefined
  try {
    file = await openPart(part)
    const sink = file
    await pipeline(counted, createGzip(), hashed, async chunks => {
      for await (const chunk of chunks) await sink.writeFile(chunk)
    })
    await file.sync()
    await file.close()
    file = undefined
    await rename(part, path)
    await syncFolder(join(path, '..'))
  } catch (error) {
    await file?.close()
    await rm(part, { force: true })
    throw error
  }
  return { events, sha256: hash.digest('hex') }
}

/** Reads a file back and returns how many events it has. Throws 400 where it isn't what the manifest says. */
export async function verifyFile(
  folder: string,
  { path, sha256 }: Pick<ArchivedFile, 'path' | 'sha256'>,
): Promise<number> {
  const hash = createHash('sha256')
  for await (const chunk of bytesOf(folder, path)) hash.update(chunk)
  if (hash.digest('hex') !== sha256)
    throw badRequest(`${path} is damaged: its SHA-256 is not the one of the manifest.`)
  let events = 0
  for await (const _ of linesOf(folder, path)) events += 1
  return events
}

/** Longest line of an archived file, characters: far above that of the longest event. */
const MAX_LINE_CHARS = 4_000_000

/**
 * The events of an archived file, as JSON texts, in constant memory however much is packed into it. Only a line feed ends
 * one: what else passes for the end of a line may be within a text of JSON. Throws 400 for a line that no event has, and
 * for a file that can't be read or is no gzip.
 */
export async function* linesOf(folder: string, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytesOf(folder, path, createGunzip())) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
    if (rest.length > MAX_LINE_CHARS) {
      throw badRequest(
        `${path} has a line of more than ${MAX_LINE_CHARS} characters, which no run event has.`,
      )
    }
  }
  if (rest !== '') yield rest
}

/** The bytes of an archived file, through a transform where one is given. Throws 400 naming the file. */
async function* bytesOf(folder: string, path: string, through?: Gunzip): AsyncGenerator<Buffer> {
  const file = createReadStream(join(folder, path))
  // Unlike `pipe`, it hands on the errors of either, and closes both.
  const bytes = through === undefined ? file : pipe(file, through, () => {})
  try {
    for await (const chunk of bytes) yield chunk as Buffer
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isKnown = code !== undefined && (error as NodeJS.ErrnoException).syscall !== undefined
    throw badRequest(
      `${path} of the archive can't be read: ${isKnown ? reasonOf(error as NodeJS.ErrnoException) : message}.`,
      error,
    )
  }
}
