import { refused } from '../errors.ts'
import type { IngestResult } from '../models/operations.ts'
import { findBadText, mayHoldBadText } from '../rules/text.ts'
import { type Api, callJson } from './api.ts'
import { type EventFile, type EventText, openEventFile } from './event_files.ts'
import type { Invocation } from './invocation.ts'
import type { Io } from './io.ts'
import { clearProgress, progress } from './progress.ts'
import { count, safe } from './text.ts'

/**
 * Validates the whole file first, then sends it: a bad line is named before anything is written. Sending again
 * after a failure completes what is missing.
 */
export async function ingest({ args, io, api }: Invocation): Promise<number> {
  // Opened first, so that a missing workspace is told before a large file is read.
  const opened = await api()
  const file = await openEventFile(args[0]!, io)
  try {
    const { total, releaseIds } = await validate(file, io)
    let [inserted, skipped, sent] = [0, 0, 0]
    for await (const { events } of file.groups()) {
      const result = await callJson<IngestResult>(opened, 'POST /v1/events', {
        bodyText: `{"events":[${events.map(event => event.json).join(',')}]}`,
      })
      inserted += result.inserted
      skipped += result.skipped
      sent += events.length
      progress(io, 'sent', sent, total)
    }
    clearProgress(io)
    if (skipped > 0) {
      io.err(`svc: ${count(skipped)} ${skipped === 1 ? 'event was' : 'events were'} stored before: skipped\n`)
    }
    io.out(`${inserted}\n`)
    await noteUnregistered(releaseIds, opened, io)
    return 0
  } finally {
    clearProgress(io)
    await file.close()
  }
}

/** As many releases of a file are looked up as somebody reads notes of. */
const MOST_RELEASES = 20

/**
 * Counts the events, and collects the first {@link MOST_RELEASES} releases that they name. Throws 400 that names the
 * first line that isn't a valid event.
 */
async function validate(file: EventFile, io: Io): Promise<{ total: number; releaseIds: Set<string> }> {
  const [{ parseEvent }, { problemsText }] = await Promise.all([
    import('../models/parse_event.ts'),
    import('../models/check.ts'),
  ])
  /** All that POST /v1/events would refuse: once events are sent, it is too late. */
  function problemOf(json: string, value: object): string | undefined {
    const parsed = parseEvent(value)
    if ('unsupported' in parsed) {
      return `Unsupported api_version: ${parsed.unsupported} (only 'v1' is accepted)`
    }
    if ('problem' in parsed) return `Invalid RunEvent: ${parsed.problem}`
    const bad = mayHoldBadText(json) ? findBadText(value) : undefined
    return bad === undefined ? undefined : `Invalid RunEvent: ${problemsText([{ ...bad, type: 'text' }])}`
  }
  let total = 0
  const releaseIds = new Set<string>()
  for await (const { events, read } of file.groups()) {
    for (const { at, json } of events) {
      const value = parseObject(json, `${file.name}, ${at}`)
      const problem = problemOf(json, value)
      if (problem !== undefined) throw refused(`${file.name}, ${at}: ${problem}. Nothing was ingested.`)
      if (releaseIds.size < MOST_RELEASES) releaseIds.add((value as { release_id: string }).release_id)
    }
    total += events.length
    progress(io, 'checked', read, file.bytes)
  }
  return { total, releaseIds }
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
