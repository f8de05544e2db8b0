import { badRequest } from '../../base/errors.ts'
import { findBadText, mayHoldBadText } from '../../base/text.ts'
import { acceptEvent, explainEvent } from '../../models/documents/parse_event.ts'
import { UnknownEventFields } from '../../models/documents/unknown_event_fields.ts'
import { problemsText } from '../../models/problems.ts'
import type { EventFile, EventText } from './event_files.ts'
import type { Io } from '../terminal/io.ts'
import { progress } from '../terminal/progress.ts'

/** What a file of valid events holds. */
export interface Checked {
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
export async function checkEvents(
  file: EventFile,
  overlap: number,
  signal: AbortSignal,
  io: Io,
): Promise<Checked> {
  /** All that POST /v1/events would refuse: once events are sent, it is too late. */
  async function problemOf(json: string, value: object): Promise<string | undefined> {
    const accepted = acceptEvent(value)
    const parsed = accepted === undefined ? await explainEvent(value) : { event: accepted }
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
    throw badRequest(`${place} is not valid JSON: ${(error as Error).message}. Nothing was ingested.`, error)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw badRequest(`${place} is not a JSON object. Nothing was ingested.`)
}
