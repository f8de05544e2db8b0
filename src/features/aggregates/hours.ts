import { sha256 } from '../../base/bytes.ts'
import { badRequest } from '../../base/errors.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import type { SumsElsewhere } from '../../ledger/events/event_sums.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Sql } from '../../sql/port.ts'
import type { Header, PlaceHour, ReadAggregates, SegmentRow } from './rules_read.ts'
import type { AggregatesRelease } from './sources.ts'
import { SUM_COLUMNS, type StoredAggregates, type SumColumn } from './store.ts'

/** An hour as it comes in. */
export interface Hour {
  readonly hour: number
  readonly runs: number
  readonly digest: string
  readonly aggregates: readonly StoredAggregates[]
}

type SegmentOf = (place: number, kind: SegmentRow['kind'], name: string) => number

/** How sums by tenant and task are kept, where they are. */
export async function elsewhereOf({
  features,
}: Pick<Ledger, 'features'>): Promise<SumsElsewhere | undefined> {
  return (await sumsOf(features)).map(({ elsewhere }) => elsewhere).find(found => found !== undefined)
}

/** The ids of all tenants and tasks of an import; 0 is what those share that have none. */
export async function namedSegments(
  db: Sql,
  { hours }: ReadAggregates,
  releases: readonly AggregatesRelease[],
  elsewhere: SumsElsewhere | undefined,
): Promise<SegmentOf> {
  const names = new Map<string, { place: number; kind: SegmentRow['kind']; names: Set<string> }>()
  for (const { place, segments } of hours) {
    for (const { kind, name } of segments) {
      const { agent_id, environment } = releases[place]!
      const key = `${kind}\0${agent_id}\0${environment}`
      const known = names.get(key) ?? { place, kind, names: new Set() }
      names.set(key, known)
      known.names.add(name)
    }
  }
  const ids = new Map<string, ReadonlyMap<string, number>>()
  for (const [key, { place, kind, names: of }] of names) {
    if (elsewhere !== undefined) ids.set(key, await elsewhere.idsOf(db, kind, releases[place]!, [...of]))
  }
  return (place, kind, name) => {
    const { agent_id, environment } = releases[place]!
    return ids.get(`${kind}\0${agent_id}\0${environment}`)?.get(name) ?? 0
  }
}

/** Every hour that is covered, as it is to be stored; also those without aggregates. */
export async function storedHours(
  { header, hours }: ReadAggregates,
  scopes: readonly number[],
  variants: readonly number[],
  segmentOf: SegmentOf,
): Promise<Hour[]> {
  const perHour = Map.groupBy(hours, ({ hour }) => hour)
  const [first, end] = [header.from / HOUR_MS, Math.ceil(header.to / HOUR_MS)]
  const stored: Hour[] = []
  for (let hour = first; hour < end; hour++) {
    const aggregates: StoredAggregates[] = []
    for (const own of perHour.get(hour) ?? [])
      aggregates.push(await storedAggregates(own, scopes[own.place]!, variants, segmentOf))
    aggregates.sort((a, b) => a.scope - b.scope)
    const digest = await sha256(aggregates.map(each => `${each.scope} ${each.digest}\n`).join(''))
    stored.push({ hour, runs: aggregates.reduce((sum, each) => sum + each.runs, 0), digest, aggregates })
  }
  return stored
}

/** What of an hour's text a row of a database may hold: D1 takes 2 MB. */
const MOST_HOUR_CHARS = 850_000

async function storedAggregates(
  own: PlaceHour,
  scope: number,
  variants: readonly number[],
  segmentOf: SegmentOf,
): Promise<StoredAggregates> {
  const { runs, parts, scores } = own.rows
  const interned = (rows: typeof runs) =>
    rows.map(row => row.with(1, variants[row[1] as number]!) as number[]).sort(byKey)
  const latency = own.latency.map(([bucket, counts, largest]) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return [bucket, counts, largest ?? 0, largest === null ? 0 : total]
  })
  const rows = {
    runs: interned(runs),
    parts: interned(parts),
    scores,
    latency,
    tenant_runs: [],
    tenant_parts: [],
    task_runs: [],
    task_parts: [],
  } as Record<SumColumn, (readonly unknown[])[]>
  for (const { kind, name, of, row } of own.segments) {
    const [bucket, variant, ...values] = row
    rows[`${kind}_${of}`].push([
      bucket,
      variants[variant as number]!,
      segmentOf(own.place, kind, name),
      ...values,
    ])
  }
  const texts = SUM_COLUMNS.map(column => {
    const of = rows[column]
    if (column.includes('_')) (of as number[][]).sort(byKey)
    return of.length === 0 ? null : JSON.stringify(of)
  })
  const chars = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  if (chars > MOST_HOUR_CHARS) {
    const hour = isoTime(own.hour * HOUR_MS)
    throw badRequest(`The hour ${hour} of one release has too many aggregates to store: ${chars} characters.`)
  }
  const sums = Object.fromEntries(
    SUM_COLUMNS.map((column, index) => [column, texts[index]]),
  ) as StoredAggregates['sums']
  const { width_ms, aggregates, runs: count } = own
  const digest = await sha256([width_ms, aggregates, count, ...texts].join('\n'))
  return { scope, width_ms, aggregates, runs: count, digest, sums, chars }
}

function byKey(a: readonly number[], b: readonly number[]): number {
  return a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!
}

/** The same for the same header and aggregates, in whatever order these come. */
export function idOf(header: Header, hours: readonly Hour[]): Promise<string> {
  const { source, engine, query_sha256, run_url, as_of, from, to } = header
  const digests = hours.map(({ hour, digest }) => [hour, digest])
  return sha256(JSON.stringify([source, engine, query_sha256, run_url, as_of, from, to, digests]))
}
