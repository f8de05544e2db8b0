import type { IngestResult } from '../../models/answers/runs.ts'
import { type Api, callJson } from '../service/api.ts'
import { isAboutField } from '../../models/documents/unknown_event_fields.ts'
import { type Checked, checkEvents } from './check_events.ts'
import { type EventFile, type EventText, openEventFile } from './event_files.ts'
import type { Invocation } from '../arguments/command.ts'
import type { Io } from '../terminal/io.ts'
import { clearProgress, progress } from '../terminal/progress.ts'
import { onStop } from '../terminal/stop.ts'
import { count, pretty, safe } from '../terminal/text.ts'

/**
 * Validates the whole file first, then sends it: a bad line is named before anything is written. Sending again
 * after a failure completes what is missing.
 */
export async function ingest({ args, options, io, api }: Invocation): Promise<number> {
  // Opened first, so that a missing workspace is told before a large file is read.
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
      const answer = await callJson<IngestResult>(api, 'POST /v1/events', { bodyText })
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
const MOST_TOLD = 20

/** What is to be mended in a file: fields as they were counted here, all else as the service said it. */
function warningsOf({ unknown }: Checked, { warnings }: Sent): string[] {
  const fields = unknown.warnings()
  const isTold = (warning: string): boolean => isAboutField(warning) && fields.length > 0
  const others = [...warnings].filter(warning => !isTold(warning))
  const more = others.length > MOST_TOLD ? [`and ${others.length - MOST_TOLD} more`] : []
  return [...fields, ...others.slice(0, MOST_TOLD), ...more]
}
