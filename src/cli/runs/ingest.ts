import { refused } from '../../base/errors.ts'
import { acceptEvent, explainEvent } from '../../models/documents/parse_event.ts'
import { problemsText } from '../../models/problems.ts'
import type { IngestResult } from '../../models/answers/runs.ts'
import { findBadText, mayHoldBadText } from '../../base/text.ts'
import { type Api, callJson } from '../service/api.ts'
import { type EventFile, type EventText, openEventFile } from './event_files.ts'
import type { Invocation } from '../arguments/command.ts'
import type { Io } from '../terminal/io.ts'
import { clearProgress, progress } from '../terminal/progress.ts'
import { count, safe } from '../terminal/text.ts'

/**
 * Validates the whole file first, then sends it: a bad line is named before anything is written. Sending again
 * after a failure completes what is missing.
 */
export async function ingest({ args, io, api }: Invocation): Promise<number> {
  // Opened first, so that a missing workspace is told before a large file is read.
  const opened = await api()
  const file = await openEventFile(args[0]!, io)
  try {
    const checked = await validate(file, io)
    const { inserted, skipped } = await send(opened, file, checked, io)
    clearProgress(io)
    if (skipped > 0) {
      io.err(`svc: ${count(skipped)} ${skipped === 1 ? 'event was' : 'events were'} stored before: skipped\n`)
    }
    io.out(`${inserted}\n`)
    await noteUnregistered(checked.releaseIds, opened, io)
    return 0
  } finally {
    clearProgress(io)
    await file.close()
  }
}

/** Groups on their way at a time: while one is written, the next is read. */
const IN_FLIGHT = 4

/** Of events that share a run_id the first one wins, so a group waits for those before it that it shares one with. */
async function send(
  api: Api,
  file: EventFile,
  { total, repeating }: Checked,
  io: Io,
): Promise<{ inserted: number; skipped: number }> {
  const sum = { inserted: 0, skipped: 0 }
  const failures: unknown[] = []
  const sending: Promise<void>[] = []
  let [group, sent] = [0, 0]
  const sendGroup = async (events: readonly EventText[]): Promise<void> => {
    try {
      const bodyText = `{"events":[${events.map(event => event.json).join(',')}]}`
      const { inserted, skipped } = await callJson<IngestResult>(api, 'POST /v1/events', { bodyText })
      sum.inserted += inserted
      sum.skipped += skipped
      sent += events.length
      progress(io, 'sent', sent, total)
    } catch (error) {
      failures.push(error)
    }
  }
  for await (const { events } of file.groups()) {
    if (repeating.has(group)) await Promise.all(sending.splice(0))
    else if (sending.length === IN_FLIGHT) await sending.shift()
    if (failures.length > 0) break
    sending.push(sendGroup(events))
    group += 1
  }
  await Promise.all(sending)
  if (failures.length > 0) throw failures[0]
  return sum
}

interface Checked {
  readonly total: number
  /** Numbers of the groups that share a run_id with one of those that may be on their way before them. */
  readonly repeating: ReadonlySet<number>
  /** The first {@link MOST_RELEASES} releases that the events name. */
  readonly releaseIds: ReadonlySet<string>
}

/** As many releases of a file are looked up as somebody reads notes of. */
const MOST_RELEASES = 20

/** Looks all events over. Throws 400 that names the first line that isn't a valid one. */
async function validate(file: EventFile, io: Io): Promise<Checked> {
  /** All that POST /v1/events would refuse: once events are sent, it is too late. */
  async function problemOf(json: string, value: object): Promise<string | undefined> {
    const accepted = acceptEvent(value)
    const parsed = accepted === undefined ? await explainEvent(value) : { event: accepted }
    if ('event' in parsed) runIds.add(parsed.event.run_id)
    if ('unsupported' in parsed) {
      return `Unsupported api_version: ${parsed.unsupported} (only 'v1' is accepted)`
    }
    if ('problem' in parsed) return `Invalid RunEvent: ${parsed.problem}`
    const bad = mayHoldBadText(json) ? findBadText(value) : undefined
    return bad === undefined ? undefined : `Invalid RunEvent: ${problemsText([{ ...bad, type: 'text' }])}`
  }
  let [total, group] = [0, 0]
  const releaseIds = new Set<string>()
  let runIds = new Set<string>()
  const before: Set<string>[] = []
  const repeating = new Set<number>()
  for await (const { events, read } of file.groups()) {
    runIds = new Set()
    for (const { at, json } of events) {
      const value = parseObject(json, `${file.name}, ${at}`)
      const problem = await problemOf(json, value)
      if (problem !== undefined) throw refused(`${file.name}, ${at}: ${problem}. Nothing was ingested.`)
      if (releaseIds.size < MOST_RELEASES) releaseIds.add((value as { release_id: string }).release_id)
    }
    if ([...runIds].some(id => before.some(ids => ids.has(id)))) repeating.add(group)
    before.push(runIds)
    if (before.length === IN_FLIGHT) before.shift()
    group += 1
    total += events.length
    progress(io, 'checked', read, file.bytes)
  }
  return { total, repeating, releaseIds }
}

/** The events are stored whatever this finds out: where the service won't tell (an ingest token), nothing is said. */
async function noteUnregistered(releaseIds: ReadonlySet<string>, api: Api, io: Io): Promise<void> {
  for (const release_id of releaseIds) {
    const status = await api.send('GET /v1/releases/{release_id}', { path: { release_id } }).then(
      answer => answer.status,
      () => undefined,
    )
    if (status !== 404) continue
    io.err(
      `svc: note: release ${safe(release_id)} is not registered here; its events are kept but no diff will ` +
        'show them; the id has to be one that `svc release register` printed\n',
    )
  }
}

function parseObject(json: EventText['json'], place: string): object {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw refused(`${place} is not valid JSON: ${(error as Error).message}. Nothing was ingested.`, error)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw refused(`${place} is not a JSON object. Nothing was ingested.`)
}
