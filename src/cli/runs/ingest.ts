import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from '../../runtime/node/files.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Io, clearProgress, progress, warn } from '../terminal/io.ts'
import { onStop } from '../terminal/stop.ts'
import { count, pretty, safe } from '../terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
import { TOO_DEEP, nestsDeeper } from '../../base/json_pieces.ts'
import { findBadText, mayHoldBadText } from '../../base/text.ts'
import { UnknownEventFields, acceptEvent, explainEvent, isAboutField } from '../../models/all/parse_event.ts'
import { problemsText } from '../../models/checks.ts'

/**
 * Validates the whole file first, then sends it: a bad line is named before anything is written. Sending again
 * after a failure completes what is missing.
 */
export async function ingest({ args, options, io, api }: Invocation): Promise<number> {
  // Opened first, so that a missing workspace is reported before a large file is read.
  const opened = await api()
  const stop = onStop()
  const sent: Sent = { events: 0, inserted: 0, skipped: 0, warnings: new Set() }
  let file: EventFile | undefined
  let total = 0
  try {
    file = await openEventFile(args[0]!, io, stop.signal)
    const checked = await checkEvents(file, IN_FLIGHT, stop.signal, io)
    total = checked.total
    await send(opened, { file, checked, sent, signal: stop.signal, io })
    clearProgress(io)
    const { inserted, skipped } = sent
    if (skipped > 0) {
      io.err(`svc: ${count(skipped)} ${skipped === 1 ? 'event was' : 'events were'} stored before: skipped\n`)
    }
    const warnings = warningsOf(checked, sent)
    if (total === 0) io.err(`svc: ${safe(file.name)} has no events\n`)
    warn({ warnings }, io)
    io.out(options.json ? pretty({ inserted, skipped, warnings }) : `${inserted}\n`)
    return 0
  } catch (error) {
    clearProgress(io)
    const isStopped = error === stop.signal.reason
    if (isStopped || sent.events > 0) io.err(`svc: ${isStopped ? 'stopped: ' : ''}${howMuch(sent, total)}\n`)
    if (isStopped) return stop.exitCode()
    throw error
  } finally {
    stop.release()
    await file?.close()
  }
}

/** What was answered for so far. */
interface Sent {
  events: number
  inserted: number
  skipped: number
  readonly warnings: Set<string>
}

function howMuch({ events, inserted, skipped }: Sent, total: number): string {
  if (events === 0) return 'nothing was ingested'
  const before = skipped > 0 ? `, ${count(skipped)} stored before` : ''
  return `${count(events)} of ${count(total)} events are stored (${count(inserted)} new${before}); ingest the same file again for the rest`
}

/** Groups on their way at a time: while one is written, the next is read. */
const IN_FLIGHT = 4

interface Sending {
  readonly file: EventFile
  readonly checked: Checked
  readonly sent: Sent
  readonly signal: AbortSignal
  readonly io: Io
}

/**
 * Sends all groups and counts in `sent`. Of events that share a run_id the first one wins, so a group waits for those
 * before it that it shares one with. Throws the reason of the signal where that is aborted before the last group is on
 * its way, once those that are have been answered.
 */
async function send(api: Api, { file, checked, sent, signal, io }: Sending): Promise<void> {
  const { total, repeating } = checked
  const failures: unknown[] = []
  const sending: Promise<void>[] = []
  const sendGroup = async (events: readonly EventText[]): Promise<void> => {
    try {
      const bodyText = `{"events":[${events.map(event => event.json).join(',')}]}`
      const answer = await callJson(api, 'POST /v1/events', { bodyText })
      sent.inserted += answer.inserted
      sent.skipped += answer.skipped ?? 0
      for (const warning of answer.warnings ?? []) sent.warnings.add(warning)
      sent.events += events.length
      progress(io, 'sent', sent.events, total)
    } catch (error) {
      failures.push(error)
    }
  }
  const onAbort = (): void =>
    io.err('svc: stopping after the current request; press Ctrl-C again to stop at once\n')
  signal.addEventListener('abort', onAbort)
  let group = 0
  for await (const { events } of file.groups()) {
    if (repeating.has(group)) await Promise.all(sending.splice(0))
    else if (sending.length === IN_FLIGHT) await sending.shift()
    if (signal.aborted) failures.push(signal.reason)
    if (failures.length > 0) break
    sending.push(sendGroup(events))
    group += 1
  }
  await Promise.all(sending)
  signal.removeEventListener('abort', onAbort)
  if (failures.length > 0) throw failures[0]
}

/** Most warnings of one kind that somebody reads. */
const MOST_SHOWN = 20

/** What is to be mended in a file: fields as they were counted here, all else as the service said it. */
function warningsOf({ unknown }: Checked, { warnings }: Sent): string[] {
  const fields = unknown.warnings()
  const isCounted = (warning: string): boolean => isAboutField(warning) && fields.length > 0
  const others = [...warnings].filter(warning => !isCounted(warning))
  const more = others.length > MOST_SHOWN ? [`and ${others.length - MOST_SHOWN} more`] : []
  return [...fields, ...others.slice(0, MOST_SHOWN), ...more]
}

/** What a file of valid events holds. */
interface Checked {
  readonly total: number
  /** Numbers of the groups that share a run_id with one of those that may be on their way before them. */
  readonly repeating: ReadonlySet<number>
  /** Fields that no event has. */
  readonly unknown: UnknownEventFields
}

/**
 * Looks all events over. `overlap` is how many groups are on their way at a time. Throws 400 that names the first line
 * that isn't a valid one, and the reason of the signal where that is aborted.
 */
async function checkEvents(file: EventFile, overlap: number, signal: AbortSignal, io: Io): Promise<Checked> {
  /** All that POST /v1/events would refuse: once events are sent, it is too late. */
  async function problemOf(json: string, value: object): Promise<string | undefined> {
    const accepted = acceptEvent(value)
    const parsed = accepted === undefined ? explainEvent(value) : { event: accepted }
    if ('event' in parsed) {
      runIds.add(parsed.event.run_id)
      unknown.add(value, parsed.event.run_id)
    }
    if ('unsupported' in parsed) {
      return `Unsupported api_version: ${parsed.unsupported} (only 'v1' is accepted)`
    }
    if ('problem' in parsed) return `Invalid RunEvent: ${parsed.problem}${bodyHint(value)}`
    const bad = mayHoldBadText(json) ? findBadText(value) : undefined
    return bad === undefined ? undefined : `Invalid RunEvent: ${problemsText([{ ...bad, type: 'text' }])}`
  }
  let [total, group] = [0, 0]
  const unknown = new UnknownEventFields()
  let runIds = new Set<string>()
  const before: Set<string>[] = []
  const repeating = new Set<number>()
  for await (const { events, read } of file.groups()) {
    signal.throwIfAborted()
    runIds = new Set()
    for (const { at, json } of events) {
      const value = parseObject(json, `${file.name}, ${at}`)
      const problem = await problemOf(json, value)
      if (problem !== undefined) throw badRequest(`${file.name}, ${at}: ${problem}. Nothing was ingested.`)
    }
    if ([...runIds].some(id => before.some(ids => ids.has(id)))) repeating.add(group)
    before.push(runIds)
    if (before.length === overlap) before.shift()
    group += 1
    total += events.length
    progress(io, 'checked', read, file.bytes)
  }
  return { total, repeating, unknown }
}

/** The documentation of the API shows events within a body. */
function bodyHint(value: object): string {
  const isBody = Array.isArray((value as { events?: unknown }).events)
  return isBody ? '; a file has only events, one per line or as a JSON array, without {"events": …}' : ''
}

function parseObject(json: EventText['json'], place: string): object {
  if (nestsDeeper(json)) throw badRequest(`${place} ${TOO_DEEP}. Nothing was ingested.`)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const mend = /^\s*[{[]/.test(json) ? '' : ' An event is one JSON object on a line.'
    throw badRequest(
      `${place} is not valid JSON: ${(error as Error).message}.${mend} Nothing was ingested.`,
      error,
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw badRequest(`${place} is not a JSON object. Nothing was ingested.`)
}

/** An event of a file, as the JSON text it is written in, and where that is: `line 3`, `event 3`. */
interface EventText {
  readonly at: string
  readonly json: string
}

/** A file of events that can be read more than once. */
interface EventFile {
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
async function openEventFile(path: string, io: Io, signal: AbortSignal): Promise<EventFile> {
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
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (nestsDeeper(text)) throw badRequest(`it ${TOO_DEEP}`)
    const items = JSON.parse(text) as unknown[]
    texts = items.map(item => JSON.stringify(item))
  } catch (error) {
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
