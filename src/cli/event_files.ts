import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { refused } from '../errors.ts'
import { reasonOf } from './bundle.ts'
import type { Io } from './io.ts'

/** Events of a file, as the JSON text they are written in, with the line they start on. */
export interface EventText {
  readonly line: number
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
const GROUP_EVENTS = 500
const GROUP_CHARS = 4_000_000

/** Opens JSONL or a JSON array; `-` is stdin, kept in a temporary file so that it can be read twice. */
export async function openEventFile(path: string, io: Io): Promise<EventFile> {
  const folder = path === '-' ? await mkdtemp(join(tmpdir(), 'svc-stdin-')) : undefined
  const file = folder === undefined ? resolve(io.cwd, path) : join(folder, 'events')
  const close = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    if (folder !== undefined) await pipeline(io.stdin, createWriteStream(file))
    const name = path === '-' ? 'stdin' : path
    const bytes = (await stat(file)).size
    const isArray = (await firstCharacter(file)) === '['
    if (isArray && bytes > MAX_ARRAY_BYTES) {
      throw refused(`${name} is a JSON array of ${bytes} bytes; write one event per line (JSONL) instead.`)
    }
    return { name, bytes, groups: () => (isArray ? arrayGroups(file, name) : lineGroups(file, name)), close }
  } catch (error) {
    await close()
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw refused(`${path} can't be read: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
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

async function* arrayGroups(
  file: string,
  name: string,
): AsyncGenerator<{ events: EventText[]; read: number }> {
  const bytes = await readFile(file)
  let items: unknown
  try {
    items = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw refused(`${name} is not valid JSON: ${(error as Error).message}`, error)
  }
  const events = (items as unknown[]).map((item, index) => ({ line: index + 1, json: JSON.stringify(item) }))
  for (let start = 0; start < events.length; start += GROUP_EVENTS) {
    const group = events.slice(start, start + GROUP_EVENTS)
    yield { events: group, read: Math.round((bytes.length * (start + group.length)) / events.length) }
  }
}

async function* lineGroups(
  file: string,
  name: string,
): AsyncGenerator<{ events: EventText[]; read: number }> {
  let events: EventText[] = []
  let [line, read, chars] = [0, 0, 0]
  for await (const { text, bytes } of linesOf(file, name)) {
    line += 1
    read += bytes
    if (text.trim() === '') continue
    events.push({ line, json: text })
    chars += text.length
    if (events.length < GROUP_EVENTS && chars < GROUP_CHARS) continue
    yield { events, read }
    events = []
    chars = 0
  }
  if (events.length > 0) yield { events, read }
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
        throw refused(`${name}, line ${line} is longer than ${MAX_LINE_CHARS} characters.`)
      }
    }
    rest += decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw refused(`${name} is not a UTF-8 text (near line ${line}).`, error)
    throw error
  }
  if (rest !== '') yield { text: rest, bytes: Buffer.byteLength(rest) }
}
