import type { Answer } from './call.ts'
import { ClientError } from './errors.ts'
import type { Ingested } from './options.ts'
import type { IngestResult, RunEvent } from './types.ts'

/** Longest body of one request, characters: far below the 16 MiB that the service accepts, in any script. */
const MAX_CHARS = 4_000_000

/** An event as JSON text. Its latency is rounded: the service takes whole milliseconds, and clocks give fractions. */
export function eventJson(event: Partial<RunEvent>): string {
  const latency = event?.metrics?.latency_ms
  if (typeof latency !== 'number' || Number.isInteger(latency)) return JSON.stringify(event)
  return JSON.stringify({ ...event, metrics: { ...event.metrics, latency_ms: Math.round(latency) } })
}

/** How many of the first events of `jsons`, starting at `from`, make one request. At least one. */
export function chunkLength(jsons: readonly string[], from: number, chunkSize: number): number {
  let chars = 0
  let length = 0
  while (length < chunkSize && from + length < jsons.length) {
    chars += jsons[from + length]!.length
    if (length > 0 && chars > MAX_CHARS) break
    length += 1
  }
  return length
}

/** Highest offset of GET /v1/runs and its export. */
const MAX_OFFSET = 500_000

/** The events of all pages of an export from an offset on, each once. Throws ClientError `limit` where there are more. */
export async function* eventsOfPages(
  fetchPage: (offset: number) => Promise<Answer>,
  from: number,
): AsyncGenerator<RunEvent, void> {
  const seen = new Set<string>()
  for (let offset = from; offset <= MAX_OFFSET;) {
    const { headers, text } = await fetchPage(offset)
    const lines = text.split('\n').filter(line => line !== '')
    for (const line of lines) {
      const event = JSON.parse(line) as RunEvent
      if (!seen.has(event.run_id)) yield event
      seen.add(event.run_id)
    }
    if (headers.get('x-service-truncated') !== 'true' || lines.length === 0) return
    offset += lines.length
  }
  throw new ClientError('limit', 'More events match than can be paged through; narrow window or filters.')
}

/** Sends events in chunks, and adds up what became of them. */
export async function ingestInChunks(
  events: readonly RunEvent[],
  chunkSize: number,
  send: (jsons: readonly string[]) => Promise<IngestResult>,
): Promise<Ingested> {
  const jsons = events.map(eventJson)
  const total = { inserted: 0, skipped: 0 }
  const warned: string[] = []
  for (let from = 0; from < jsons.length;) {
    const to = from + chunkLength(jsons, from, chunkSize)
    const { inserted, skipped = 0, warnings = [] } = await send(jsons.slice(from, to))
    total.inserted += inserted
    total.skipped += skipped
    warned.push(...warnings)
    from = to
  }
  return { ...total, ...(warned.length === 0 ? {} : { warnings: warned }) }
}
