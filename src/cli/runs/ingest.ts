import { type Api, callJson } from '../service/api.ts'
import { type EventFile, type EventText, openEventFile } from './event_files.ts'
import type { Invocation } from '../arguments/command.ts'
import type { Io } from '../terminal/io.ts'
import { clearProgress, progress } from '../terminal/io.ts'
import { onStop } from '../terminal/stop.ts'
import { count, pretty, safe } from '../terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
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
    for (const warning of warnings) io.err(`svc: warning: ${safe(warning)}\n`)
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
  return (
    `${count(events)} of ${count(total)} events are in (${count(inserted)} new${before}); ` +
    'ingest the same again for the rest'
  )
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
  const onAbort = (): void => io.err('svc: stopping when what is on its way is in; once more stops at once\n')
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
  return isBody ? '; a file has events alone, one to a line or as a JSON array, without {"events": …}' : ''
}

function parseObject(json: EventText['json'], place: string): object {
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
