import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { badRequest } from '../../base/errors.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import type { Io } from '../terminal/io.ts'

/** An event of a file, as the JSON text it is written in, and where that is: `line 3`, `event 3`. */
export interface EventText {
  readonly at: string
  readonly json: string
}

/** A file of events that can be read more than once. */
export interface EventFile {
  readonly name: string
  readonly bytes: number
  /** Groups of events in order; `read` counts the bytes behind them. */
  groups(): AsyncGenerator<{ events: EventText[]; read: number }>
  close(): Promise<void>
}

/** Longest line of a JSONL file, characters: far above the longest event that is accepted. */
const MAX_LINE_CHARS = 4_000_000
/** A JSON array is parsed whole; past this it has to be JSONL. */
const MAX_ARRAY_BYTES = 256 * 1024 * 1024
/** A group is the body of one request. In UTF-8 a character takes up to 3 bytes, and 16 MiB are accepted. */
const GROUP_EVENTS = 500
const GROUP_CHARS = 4_000_000

/**
 * Opens JSONL or a JSON array; `-` is stdin. What can be read once only is kept in a temporary file. Throws the reason
 * of the signal where that is aborted meanwhile.
 */
export async function openEventFile(path: string, io: Io, signal: AbortSignal): Promise<EventFile> {
  const given = resolve(io.cwd, path)
  const isStream = path === '-' || (await isPipe(given))
  const folder = isStream ? await mkdtemp(join(tmpdir(), 'svc-events-')) : undefined
  const file = folder === undefined ? given : join(folder, 'events')
  const close = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    if (isStream) {
      await pipeline(path === '-' ? io.stdin : createReadStream(given), createWriteStream(file), { signal })
    }
    const name = path === '-' ? 'stdin' : path
    const bytes = (await stat(file)).size
    const isArray = (await firstCharacter(file)) === '['
    if (isArray && bytes > MAX_ARRAY_BYTES) {
      throw badRequest(`${name} is a JSON array of ${bytes} bytes; write one event per line (JSONL) instead.`)
    }
    const events = isArray ? eventsOfArray : eventsOfLines
    return { name, bytes, groups: () => groupsOf(events(file, name)), close }
  } catch (error) {
    await close()
    signal.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw badRequest(`${path} can't be read: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}

/** Pipes, sockets and devices, such as `<(zcat events.gz)`, can't be read a second time. */
async function isPipe(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

async function firstCharacter(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0)
    return buffer.toString('utf8', 0, bytesRead).trimStart().charAt(0)
  } finally {
    await handle.close()
  }
}

/** An event and how many bytes of the file are read when it is. */
interface ReadEvent {
  readonly event: EventText
  readonly read: number
}

async function* groupsOf(
  events: AsyncIterable<ReadEvent>,
): AsyncGenerator<{ events: EventText[]; read: number }> {
  let group: EventText[] = []
  let [chars, readSoFar] = [0, 0]
  for await (const { event, read } of events) {
    if (group.length === GROUP_EVENTS || (group.length > 0 && chars + event.json.length > GROUP_CHARS)) {
      yield { events: group, read: readSoFar }
      group = []
      chars = 0
    }
    group.push(event)
    chars += event.json.length
    readSoFar = read
  }
  if (group.length > 0) yield { events: group, read: readSoFar }
}

async function* eventsOfArray(file: string, name: string): AsyncGenerator<ReadEvent> {
  const bytes = await readFile(file)
  let texts: string[]
  try {
    const items = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown[]
    texts = items.map(item => JSON.stringify(item))
  } catch (error) {
    // A text that isn't UTF-8, isn't JSON, or nests deeper than JSON.stringify can follow.
    throw badRequest(`${name} is not valid JSON: ${(error as Error).message}. Nothing was ingested.`, error)
  }
  for (const [index, json] of texts.entries()) {
    const read = Math.round((bytes.length * (index + 1)) / texts.length)
    yield { event: { at: `event ${index + 1}`, json }, read }
  }
}

async function* eventsOfLines(file: string, name: string): AsyncGenerator<ReadEvent> {
  let [line, read] = [0, 0]
  for await (const { text, bytes } of linesOf(file, name)) {
    line += 1
    read += bytes
    if (text.trim() !== '') yield { event: { at: `line ${line}`, json: text }, read }
  }
}

/** Lines without their ends, in constant memory whatever the size of the file. */
async function* linesOf(file: string, name: string): AsyncGenerator<{ text: string; bytes: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let line = 1
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const text of lines) {
        yield { text, bytes: Buffer.byteLength(text) + 1 }
        line += 1
      }
      if (rest.length > MAX_LINE_CHARS) {
        throw badRequest(
          `${name}, line ${line} is longer than ${MAX_LINE_CHARS} characters. Nothing was ingested.`,
        )
      }
    }
    rest += decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) {
      throw badRequest(`${name} is not a UTF-8 text (near line ${line}). Nothing was ingested.`, error)
    }
    throw error
  }
  if (rest !== '') yield { text: rest, bytes: Buffer.byteLength(rest) }
}
