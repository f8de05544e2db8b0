import type { FieldProblem } from '../../base/errors.ts'
import { findBadText, fitsBytes, jsonOf } from '../../base/text.ts'
import { TOO_DEEP, nestsDeeper } from '../../base/json_pieces.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime, parseTimestamp } from '../../base/time.ts'
import { ZERO_BIN, edgesOfBin } from '../../rules/statistics/bins.ts'
import { SUMS, SUM_KINDS, type SumKind, impossible, wholeNumber } from './rules_sums.ts'
import type { Fields } from '../../models/checks.ts'

/** What the first line of an import says of all others. Times are epoch ms. */
export interface Header {
  readonly source: string
  readonly engine: string
  readonly query_sha256: string
  readonly run_url: string | null
  /** The data are as they were then. */
  readonly as_of: number
  /** The source is complete from here, the start of an hour, to there, the end of a minute. */
  readonly from: number
  readonly to: number
}

/** The release and environment that aggregates are of; `version` names the release of an agent. */
export interface AggregateOwner {
  readonly release_id: string | undefined
  readonly agent_id: string | undefined
  readonly version: string | undefined
  readonly environment: string
}

/** Whose runs on which model. */
type Variant = readonly [agent_id: string, provider: string, model: string]

/** Counts by bin of ten minutes. */
type Histogram = readonly [bucket: number, counts: Readonly<Record<string, number>>, largest: number | null]

/**
 * The aggregates of an hour of a place. A row of runs or parts begins with its bucket, minutes since the epoch, and its variant,
 * one of scores with the bucket and the name; the sums follow. One of tenants or tasks has a name too.
 */
export interface PlaceHour {
  readonly place: number
  readonly hour: number
  readonly line: number
  width_ms: number
  /** The same of sums by tenant or task, which count by the hour. */
  segments_width_ms: number
  runs: number
  aggregates: number
  readonly rows: Record<SumKind, SumRow[]>
  readonly segments: SegmentRow[]
  readonly latency: Histogram[]
  /** The line of each row, for what is wrong with several together. */
  readonly lines: Map<number | string, number>
}

type SumRow = readonly [bucket: number, of: number | string, ...sums: number[]]

/** Sums of the runs of a tenant or task, which are part of all runs. */
export interface SegmentRow {
  readonly kind: 'tenant' | 'task'
  readonly name: string
  readonly of: 'runs' | 'parts'
  readonly row: SumRow
}

export interface ReadAggregates {
  readonly header: Header
  readonly places: readonly AggregateOwner[]
  readonly variants: readonly Variant[]
  readonly hours: readonly PlaceHour[]
  readonly aggregates: number
}

/** Longest time that one import covers. */
const MOST_COVERED_MS = 31 * DAY_MS
/** Most aggregates of an import: some 60 MB. */
export const MOST_AGGREGATES = 100_000
/** Most lines, blank ones too. */
const MOST_LINES = 2 * MOST_AGGREGATES
export const LONGEST_LINE = 65_536
const MOST_PROBLEMS = 20
/** How far ahead of our clock the clock of an engine may be, ms. */
const MOST_AHEAD_MS = 10 * MINUTE_MS
/** Minutes of a histogram. */
const TEN = 10
const HOUR_MINUTES = HOUR_MS / MINUTE_MS
/** The bin of the longest latency that a run may have, 10^10 ms. */
const LAST_BIN = 1152
const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/

/** Reads an import line by line, and collects what is wrong with it. */
export class AggregateReader {
  readonly #now: number
  readonly #problems: FieldProblem[] = []
  readonly #places = new Numbers()
  readonly #variants = new Numbers()
  readonly #read: { places: AggregateOwner[]; variants: Variant[]; hours: PlaceHour[] } = {
    places: [],
    variants: [],
    hours: [],
  }
  readonly #hours = new Numbers()
  readonly #goodNames = new Set<string>()
  #header: Header | undefined
  #aggregates = 0

  /** `now` is our clock, epoch ms. */
  constructor(now: number) {
    this.#now = now
  }

  /** What is wrong so far. */
  get problems(): readonly FieldProblem[] {
    return this.#problems
  }

  /** Takes a line, numbered from 1. False once it is pointless to go on. */
  line(text: string, number: number): boolean {
    if (number > MOST_LINES) {
      this.#wrong(number, '', `there are more than ${MOST_LINES} lines; send fewer hours at a time`)
      return false
    }
    if (text.length > LONGEST_LINE) this.#wrong(number, '', `is longer than ${LONGEST_LINE} characters`)
    else if (text.trim() === '') return true
    else if (nestsDeeper(text)) this.#wrong(number, '', TOO_DEEP)
    else {
      const value = jsonOf(text)
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        this.#wrong(number, '', 'must be a JSON object: aggregates are JSON lines')
      else if (this.#header === undefined) this.#header = this.#readHeader(value as Fields, number)
      else if (++this.#aggregates > MOST_AGGREGATES)
        this.#wrong(
          number,
          '',
          `there are more than ${MOST_AGGREGATES} aggregates; send fewer hours at a time`,
        )
      else this.#readAggregate(value as Fields, number, this.#header)
    }
    return (
      this.#header !== undefined &&
      this.#aggregates <= MOST_AGGREGATES &&
      this.#problems.length < MOST_PROBLEMS
    )
  }

  /** All of it, checked as a whole; undefined where something is wrong. */
  end(): ReadAggregates | undefined {
    if (this.#header === undefined && this.#problems.length === 0) this.#wrong(1, '', 'a header is missing')
    if (this.#problems.length === 0) for (const hour of this.#read.hours) this.#checkHour(hour)
    if (this.#header === undefined || this.#problems.length > 0) return undefined
    return { header: this.#header, ...this.#read, aggregates: this.#aggregates }
  }

  #wrong(line: number, field: string, msg: string): undefined {
    if (this.#problems.length >= MOST_PROBLEMS) return
    this.#problems.push({
      loc: ['body', `line ${line}`, ...(field === '' ? [] : [field])],
      msg,
      type: 'aggregate',
    })
  }

  #readHeader(given: Fields, line: number): Header | undefined {
    const { aggregates, source, engine, query_sha256, run_url = null, as_of, covers } = given
    if (aggregates !== 'v1')
      return this.#wrong(line, 'aggregates', 'the first line must be a header with "aggregates":"v1"')
    if (typeof source !== 'string' || !NAME.test(source))
      return this.#wrong(line, 'source', 'must be a name of small letters, digits, dots and dashes')
    if (typeof engine !== 'string' || !this.#isName(engine))
      return this.#wrong(line, 'engine', 'must name the engine, such as "ClickHouse 26.9"')
    if (typeof query_sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(query_sha256))
      return this.#wrong(line, 'query_sha256', 'must be the SHA-256 of the query, in hex')
    if (run_url !== null && !(typeof run_url === 'string' && /^https?:\/\/\S{1,1000}$/.test(run_url)))
      return this.#wrong(line, 'run_url', 'must be an http address')
    const at = typeof as_of === 'string' ? parseTimestamp(as_of)?.ms : undefined
    if (at === undefined) return this.#wrong(line, 'as_of', 'must be an ISO-8601 date and time')
    if (at > this.#now + MOST_AHEAD_MS)
      return this.#wrong(line, 'as_of', `is ahead of the service's clock, which says ${isoTime(this.#now)}`)
    const { from_ms, to_ms } = (typeof covers === 'object' && covers !== null ? covers : {}) as Fields
    const [from, to] = [wholeNumber(from_ms), wholeNumber(to_ms)]
    if (from === undefined || from < 0 || from % HOUR_MS !== 0)
      return this.#wrong(line, 'covers.from_ms', 'must be the start of an hour, epoch ms')
    if (to === undefined || to <= from || to % MINUTE_MS !== 0)
      return this.#wrong(line, 'covers.to_ms', 'must be the start of a minute behind from_ms, epoch ms')
    if (to > at)
      return this.#wrong(line, 'covers.to_ms', 'is later than as_of: only time that has ended can be covered')
    if (to - from > MOST_COVERED_MS)
      return this.#wrong(line, 'covers', `covers more than ${MOST_COVERED_MS / DAY_MS} days`)
    return { source, engine, query_sha256, run_url, as_of: at, from, to }
  }

  #readAggregate(given: Fields, line: number, header: Header): void {
    const kind = given.aggregate
    const isLatency = kind === 'latency'
    if (!isLatency && !SUM_KINDS.includes(kind as SumKind))
      return this.#wrong(line, 'aggregate', 'must be runs, latency, parts or scores')
    const place = this.#placeOf(given, line)
    if (place === undefined) return
    const [at, width] = [wholeNumber(given.at_ms), wholeNumber(given.width_s)]
    const widths = isLatency ? [TEN * 60] : [60, 3600]
    if (width === undefined || !widths.includes(width))
      return this.#wrong(line, 'width_s', `must be ${widths.join(' or ')}`)
    if (at === undefined || at < 0 || at % (width * 1000) !== 0)
      return this.#wrong(line, 'at_ms', `must be the start of ${width} seconds since the epoch, in ms`)
    if (at < header.from || at >= header.to)
      return this.#wrong(line, 'at_ms', 'is outside what the header covers')
    const own = this.#hourOf(place, Math.floor(at / HOUR_MS), line)
    if (isLatency) this.#readLatency(given, line, own, at / MINUTE_MS / TEN)
    else this.#readSums(kind as SumKind, given, { line, own, at, width_ms: width * 1000 })
  }

  #placeOf({ release_id, agent_id, version, environment }: Fields, line: number): number | undefined {
    const isById = release_id !== undefined
    const numbers = this.#places.under(release_id, isById || agent_id, isById || version)
    const known = numbers.get(environment)
    if (known !== undefined) return known
    const names = isById ? { release_id, environment } : { agent_id, version, environment }
    for (const [field, name] of Object.entries(names)) {
      if (!this.#isName(name)) return this.#wrong(line, field, 'must be a text of 1 to 512 bytes')
    }
    const place = {
      release_id: undefined,
      agent_id: undefined,
      version: undefined,
      ...names,
    } as AggregateOwner
    numbers.set(environment, this.#read.places.length)
    return this.#read.places.push(place) - 1
  }

  #isName(name: unknown): name is string {
    if (typeof name !== 'string' || name === '') return false
    if (this.#goodNames.has(name)) return true
    const isGood = fitsBytes(name, 512) && findBadText(name) === undefined
    if (isGood) this.#goodNames.add(name)
    return isGood
  }

  #hourOf(place: number, hour: number, line: number): PlaceHour {
    const known = this.#hours.under(place).get(hour)
    if (known !== undefined) return this.#read.hours[known]!
    const rows = { runs: [], parts: [], scores: [] }
    const lines = new Map<number | string, number>()
    const made: PlaceHour = {
      place,
      hour,
      line,
      width_ms: 0,
      segments_width_ms: 0,
      runs: 0,
      aggregates: 0,
      rows,
      segments: [],
      latency: [],
      lines,
    }
    this.#hours.under(place).set(hour, this.#read.hours.push(made) - 1)
    return made
  }

  #readSums(
    kind: SumKind,
    given: Fields,
    { line, own, at, width_ms }: { line: number; own: PlaceHour; at: number; width_ms: number },
  ): void {
    const segment = this.#segmentOf(given, line)
    if (segment === undefined) return
    const width = segment === null ? 'width_ms' : 'segments_width_ms'
    if (own[width] === 0) own[width] = width_ms
    else if (own[width] !== width_ms)
      return this.#wrong(line, 'width_s', 'overlaps another aggregate of this hour with another width')
    const of = kind === 'scores' ? this.#nameOf(given, 'name', line) : this.#variantOf(given, line)
    if (of === undefined) return
    const row: [number, number | string, ...number[]] = [at / MINUTE_MS, of]
    const names = SUMS[kind]
    for (const field of names) {
      const value = wholeNumber(given[field])
      if (value === undefined)
        return this.#wrong(line, field, 'must be a whole number, or its digits as a text')
      if (value < 0 && field !== 'score_sum') return this.#wrong(line, field, 'must not be negative')
      row.push(value)
    }
    const wrong = impossible(kind, row.slice(2) as number[])
    if (wrong !== undefined) return this.#wrong(line, wrong.field, wrong.msg)
    if (segment !== null && kind === 'scores')
      return this.#wrong(line, segment.kind, 'scores have no tenant or task')
    const key =
      segment === null ? keyOf(kind, row) : `${kind} ${row[0]} ${of} ${segment.kind} ${segment.name}`
    if (own.lines.has(key))
      return this.#wrong(line, '', `repeats the aggregate of line ${own.lines.get(key)!}`)
    own.lines.set(key, line)
    own.aggregates++
    if (segment !== null) own.segments.push({ ...segment, of: kind as 'runs' | 'parts', row })
    else {
      own.rows[kind].push(row)
      if (kind === 'runs') own.runs += row[2] as number
    }
  }

  #nameOf(given: Fields, field: string, line: number): string | undefined {
    const name = given[field]
    return this.#isName(name) ? name : this.#wrong(line, field, 'must be a text of 1 to 512 bytes')
  }

  #variantOf(given: Fields, line: number): number | undefined {
    const numbers = this.#variants.under(given.agent_id, given.provider)
    const known = numbers.get(given.model)
    if (known !== undefined) return known
    const names: string[] = []
    for (const field of ['agent_id', 'provider', 'model']) {
      const name = this.#nameOf(given, field, line)
      if (name === undefined) return undefined
      names.push(name)
    }
    numbers.set(given.model, this.#read.variants.length)
    return this.#read.variants.push(names as unknown as Variant) - 1
  }

  /** Null where an aggregate is of all tenants and tasks, undefined where it is wrong. */
  #segmentOf({ tenant, task }: Fields, line: number): Pick<SegmentRow, 'kind' | 'name'> | null | undefined {
    if (tenant === undefined && task === undefined) return null
    if (tenant !== undefined && task !== undefined)
      return this.#wrong(line, 'task', 'an aggregate has a tenant or a task, not both')
    const kind = tenant === undefined ? 'task' : 'tenant'
    const name = tenant ?? task
    return this.#isName(name) ? { kind, name } : this.#wrong(line, kind, 'must be a text of 1 to 512 bytes')
  }

  #readLatency(given: Fields, line: number, own: PlaceHour, bucket: number): void {
    const bins = typeof given.bins === 'string' ? jsonOf(given.bins) : given.bins
    if (typeof bins !== 'object' || bins === null || Array.isArray(bins))
      return this.#wrong(line, 'bins', 'must be an object of counts by bin')
    const counts: [number, number][] = []
    for (const [name, of] of Object.entries(bins)) {
      const [bin, count] = [wholeNumber(name), wholeNumber(of)]
      if (bin === undefined || !(bin === ZERO_BIN || (bin >= 0 && bin <= LAST_BIN)))
        return this.#wrong(
          line,
          'bins',
          `has no bin ${name.slice(0, 20)}: they are ${ZERO_BIN} and 0 to ${LAST_BIN}`,
        )
      if (count === undefined || count < 1)
        return this.#wrong(line, 'bins', `bin ${name}: must count at least 1 run`)
      counts.push([bin, count])
    }
    if (counts.length === 0) return this.#wrong(line, 'bins', 'is empty')
    const key = `latency ${bucket}`
    if (own.lines.has(key))
      return this.#wrong(line, '', `repeats the aggregate of line ${own.lines.get(key)!}`)
    counts.sort(([a], [b]) => a - b)
    const largest = given.largest == null ? null : wholeNumber(given.largest)
    const [least, most] = edgesOfBin(counts.at(-1)![0])
    if (largest === undefined || (largest !== null && (largest < least || largest > most)))
      return this.#wrong(line, 'largest', `must be in the last bin: ${least} to ${most} ms`)
    own.lines.set(key, line)
    own.aggregates++
    own.latency.push([bucket, Object.fromEntries(counts.map(([bin, n]) => [`${bin}`, n])), largest])
  }

  /** What several aggregates of an hour can't be together. */
  #checkHour(own: PlaceHour): void {
    for (const rows of Object.values(own.rows)) rows.sort(byKey)
    own.latency.sort(([a], [b]) => a - b)
    this.#checkLatency(own)
    const runs = new Map<number, number>()
    for (const [bucket, , count] of own.rows.runs) runs.set(bucket, (runs.get(bucket) ?? 0) + count!)
    for (const kind of ['parts', 'scores'] as const) {
      for (const row of own.rows[kind]) {
        const most = runs.get(row[0]) ?? 0
        if ((row[2] as number) > most)
          this.#wrong(lineOf(own, kind, row), SUMS[kind][0], `is more than the ${most} runs of this time`)
      }
    }
    this.#checkSegments(own)
  }

  /** Sums by tenant or task are of runs that are in the sums of all: of an hour and model they are no more. */
  #checkSegments({ segments, rows, lines, line }: PlaceHour): void {
    const hourly = ({ kind, of, row }: SegmentRow): string => `${kind} ${of} ${row[1]}`
    const [runs, parts] = [rows.runs, rows.parts].map(all => Map.groupBy(all, ([, variant]) => variant))
    const byVariant = { runs: runs!, parts: parts! }
    for (const [{ kind, name, of, row }, ...others] of Map.groupBy(segments, hourly).values() as Iterable<
      [SegmentRow, ...SegmentRow[]]
    >) {
      const all = byVariant[of].get(row[1]) ?? []
      for (const [index, field] of SUMS[of].entries()) {
        const total = (of_: readonly SumRow[]) =>
          of_.reduce((sum, each) => sum + (each[index + 2] as number), 0)
        const own = total([row, ...others.map(other => other.row)])
        if (own <= total(all) * (1 + 1e-12)) continue
        const at = lines.get(`${of} ${row[0]} ${row[1]} ${kind} ${name}`) ?? line
        this.#wrong(at, field, `adds up to more by ${kind} than over all runs of this hour`)
        break
      }
    }
  }

  #checkLatency(own: PlaceHour): void {
    const perBucket = own.width_ms === HOUR_MS ? HOUR_MINUTES : TEN
    const carried = Map.groupBy(own.rows.runs, ([bucket]) => Math.floor(bucket / perBucket))
    const binned = Map.groupBy(own.latency, ([bucket]) => Math.floor((bucket * TEN) / perBucket))
    for (const bucket of new Set([...carried.keys(), ...binned.keys()])) {
      const [rows, histograms] = [carried.get(bucket) ?? [], binned.get(bucket) ?? []]
      const count = rows.reduce((sum, row) => sum + (row[4] as number), 0)
      const total = rows.reduce((sum, row) => sum + (row[5] as number), 0)
      let [n, least, most] = [0, 0, 0]
      for (const [, counts] of histograms) {
        for (const [bin, of] of Object.entries(counts)) {
          const [low, high] = edgesOfBin(Number(bin))
          n += of
          least += of * low
          most += of * high
        }
      }
      const [first] = histograms
      if (n !== count) {
        const where =
          first === undefined ? lineOf(own, 'runs', rows[0]!) : own.lines.get(`latency ${first[0]}`)!
        this.#wrong(
          where,
          first === undefined ? 'latency_count' : 'bins',
          `bins count ${n} runs of this time, latency_count ${count}`,
        )
      } else if (total < least * (1 - 1e-12) || total > most * (1 + 1e-12))
        this.#wrong(
          lineOf(own, 'runs', rows[0]!),
          'latency_sum',
          `adds up to ${total} ms in this time, but by their bins these runs took ${least} to ${most} ms`,
        )
    }
  }
}

/** Numbers of tuples. What is no text differs from its text. */
class Numbers {
  readonly #root = new Map<unknown, unknown>()

  /** Those of the tuples that begin like this, by what they end with. */
  under(...first: readonly unknown[]): Map<unknown, number> {
    let found = this.#root
    for (const part of first) {
      let next = found.get(part) as Map<unknown, unknown> | undefined
      if (next === undefined) found.set(part, (next = new Map()))
      found = next
    }
    return found as Map<unknown, number>
  }
}

/** What tells a row from the others of its hour: a number where there are many. */
function keyOf(kind: SumKind, [bucket, of]: SumRow): number | string {
  return kind === 'runs' ? (of as number) * HOUR_MINUTES + (bucket % HOUR_MINUTES) : `${kind} ${bucket} ${of}`
}

function lineOf(own: PlaceHour, kind: SumKind, row: SumRow): number {
  return own.lines.get(keyOf(kind, row)) ?? own.line
}

function byKey([a, x]: SumRow, [b, y]: SumRow): number {
  return a - b || (x < y ? -1 : x > y ? 1 : 0)
}
