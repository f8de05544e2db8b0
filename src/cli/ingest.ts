import { refused } from '../errors.ts'
import type { IngestResult } from '../ledger/events.ts'
import { callJson } from './api.ts'
import { type EventFile, type EventText, openEventFile } from './event_files.ts'
import type { Invocation } from './invocation.ts'
import type { Io } from './io.ts'
import { count } from './text.ts'

/**
 * Validates the whole file first, then sends it: a bad line is named before anything is written. Sending again
 * after a failure completes what is missing.
 */
export async function ingest({ args, io, api }: Invocation): Promise<number> {
  const file = await openEventFile(args[0]!, io)
  try {
    const total = await validate(file, io)
    let [inserted, skipped, sent] = [0, 0, 0]
    if (total > 0) {
      const opened = await api()
      for await (const { events } of file.groups()) {
        const result = await callJson<IngestResult>(opened, 'POST /v1/events', {
          bodyText: `{"events":[${events.map(event => event.json).join(',')}]}`,
        })
        inserted += result.inserted
        skipped += result.skipped
        sent += events.length
        progress(io, 'sent', sent, total)
      }
    }
    clearProgress(io)
    if (skipped > 0) io.err(`svc: ${count(skipped)} events were stored before and are skipped\n`)
    io.out(`${inserted}\n`)
    return 0
  } finally {
    clearProgress(io)
    await file.close()
  }
}

/** Counts the events. Throws 400 that names the first line that isn't a valid event. */
async function validate(file: EventFile, io: Io): Promise<number> {
  const { parseEvent } = await import('../models/parse_event.ts')
  let total = 0
  for await (const { events, read } of file.groups()) {
    for (const { line, json } of events) {
      const parsed = parseEvent(parseObject(json, file.name, line))
      if ('event' in parsed) continue
      const problem =
        'unsupported' in parsed
          ? `Unsupported api_version: ${parsed.unsupported} (only 'v1' is accepted)`
          : `Invalid RunEvent: ${parsed.problem}`
      throw refused(`${file.name}, line ${line}: ${problem}. Nothing was ingested.`)
    }
    total += events.length
    progress(io, 'checked', read, file.bytes)
  }
  return total
}

function parseObject(json: EventText['json'], name: string, line: number): object {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw refused(
      `${name}, line ${line} is not valid JSON: ${(error as Error).message}. Nothing was ingested.`,
      error,
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw refused(`${name}, line ${line} is not a JSON object. Nothing was ingested.`)
}

/** Rewrites one line on a terminal; elsewhere it says nothing. */
function progress(io: Io, done: string, part: number, whole: number): void {
  if (!io.errIsTty) return
  const share = whole === 0 ? 100 : Math.floor((part / whole) * 100)
  io.err(`\r${done} ${share} %`)
}

function clearProgress(io: Io): void {
  if (io.errIsTty) io.err('\r\u001B[K')
}
