import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { badRequest } from '../../base/errors.ts'
import type { Archive } from '../../ledger/retention/prune.ts'
import { openPart, reasonOf } from '../node/files.ts'
import { type LockOptions, aloneInArchive } from './archive_lock.ts'
import { type ArchivedFile, readManifest, syncFolder, writeManifest } from './manifest.ts'

/**
 * Archives into a folder: a gzipped JSONL file for each release and day, and a manifest of all of them. Throws 400
 * naming the folder where it can't be written, and 503 as {@link aloneInArchive} does.
 */
export function archiveInto(folder: string, options: LockOptions = {}): Archive {
  return ({ release_id, day }, lines) =>
    aloneInArchive(folder, () => archiveDay(folder, { release_id, day }, lines), options).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.syscall === undefined) throw error
        throw badRequest(`The archive ${folder} can't be written: ${reasonOf(error)}.`, error)
      },
    )
}

async function archiveDay(
  folder: string,
  { release_id, day }: { release_id: string; day: string },
  lines: AsyncIterable<string>,
): Promise<void> {
  await mkdir(join(folder, day), { recursive: true, mode: 0o700 })
  await syncFolder(folder)
  const manifest = await readManifest(folder)
  const path = freeName(`${day}/${safeName(release_id)}`, new Set(manifest.map(file => file.path)))
  const file = { ...(await writeLines(join(folder, path), lines)), path, release_id, day }
  const events = await verifyFile(folder, file)
  if (events !== file.events)
    throw badRequest(`${path} has ${events} events, not the ${file.events} that were written.`)
  // Another process that prunes has archived and removed the day meanwhile.
  if (events === 0) await rm(join(folder, path), { force: true })
  else await writeManifest(folder, [...manifest, file])
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
  for await (const chunk of createReadStream(join(folder, path))) hash.update(chunk as Buffer)
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
 * one: what else passes for the end of a line may stand in a text of JSON. Throws 400 for a line that no event has.
 */
export async function* linesOf(folder: string, path: string): AsyncGenerator<string> {
  const unzipped = createReadStream(join(folder, path)).pipe(createGunzip())
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of unzipped as AsyncIterable<Uint8Array>) {
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
