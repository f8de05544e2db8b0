import { stateOfHours } from '../../ledger/events/days.ts'
import { IN_SCOPE, scopeCte, sumsText } from '../../ledger/events/rollups.ts'
import { revisionOf } from '../../ledger/trail/chain.ts'
import { Sized, remembering } from '../../ledger/world/memo.ts'
import type { Moments } from '../../rules/common_time.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import type { Range } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import { type Query, asNumber, asRow, asText, columns, mapped, rowsOfSides } from '../../sql/query.ts'

/** Runs of one release in some hours of an environment. */
export interface SegmentRead {
  readonly releaseId: string
  readonly environment: string
  readonly hours: Range
  /** See {@link Cut}. */
  readonly moments: Moments | undefined
}

/** What a process read last, and what the ledger said then of its state. */
export type KnownSums = Sized<{ readonly state: string; readonly value: unknown }>

/** Most sums that are kept: of four pairs of releases with 500 tenants some 80 MB. */
const MOST_KEPT = 350_000

/** What a process remembers of the sums of tenants and tasks; diffs and lists share it. */
export const knownSums = remembering(newKnownSums)

export function newKnownSums(): KnownSums {
  return new Sized(MOST_KEPT)
}

/** What is kept of one kind. */
interface Kind<T> {
  /** How many sums a value has. */
  readonly sizeOf: (value: T) => number
  /** Whether sums lack no run of so many: they stay the same then when the last events are summed. */
  readonly isWhole: (value: T, runs: number) => boolean
}

/** What was read, with how many runs rollups count in its hours. */
interface SegmentValue<T> {
  readonly runs: number
  readonly value: T
}

/**
 * The rows of each of two releases that a statement reads, which are read again only where the state of their hours is another one:
 * what is summed of these changes with the number of their runs, or with the revision of their agent where sums are made again or come
 * in as aggregates. What another agent does, or the policy, is neither. `of` gives CTEs, behind `scope` and `changed`, which is
 * empty where nothing has changed, and what selects from them.
 */
export function unlessKnown<T>(
  known: KnownSums,
  what: string,
  reads: OfSides<SegmentRead>,
  of: (read: SegmentRead) => { readonly ctes: Statement; readonly rows: Statement; readonly order: string },
  valueOf: (rows: readonly Row[]) => { readonly value: T; readonly size: number },
): Query<OfSides<T>> {
  const sideOf = (side: keyof OfSides<unknown>) => {
    const read = reads[side]
    const { releaseId, environment, moments, hours } = read
    const key = keyOf(`all ${what}`, read, hours, moments)
    const before = known.get(key)
    const { ctes, rows } = of(read)
    const statement = sql`WITH ${scopeCte(releaseId, environment)}, now AS MATERIALIZED (
        SELECT ${stateOfHours('first', 'behind')} || ' ' || CAST(${revisionOfAgent(releaseId)} AS TEXT) AS state, ${listsOf(raw('first'), raw('behind'))}
        FROM (SELECT CAST(${hours.from} AS BIGINT) AS first, CAST(${hours.to} AS BIGINT) AS behind) AS given
      ), changed AS MATERIALIZED (SELECT 1 AS since FROM now WHERE state <> ${before?.state ?? ''}), ${ctes}
      SELECT n.state, n.lists, v.* FROM now n LEFT JOIN (${rows}) AS v ON true`
    return { key, before, statement }
  }
  const sides = { baseline: sideOf('baseline'), candidate: sideOf('candidate') }
  const { order } = of(reads.baseline)
  const read = rowsOfSides(side => sides[side].statement, order, asRow)
  const valueNow = (side: keyof OfSides<unknown>, rows: readonly Row[]): T => {
    const { key, before } = sides[side]
    const { state, lists } = readState(rows[0]!)
    if (state === before?.state) return before.value as T
    const { value, size } = valueOf(rows)
    // What is summed as it is read may be a part alone.
    if (lists === 0) known.keep(key, { state, value }, 1 + size)
    return value
  }
  return mapped(read, ({ baseline, candidate }) => ({
    baseline: valueNow('baseline', baseline),
    candidate: valueNow('candidate', candidate),
  }))
}

/** Some of the hours of a release, by a number, and at which moments the runs were under way, where that matters. */
export interface Stretch extends Range {
  readonly stretch: number
  readonly moments?: Moments
}

/** A stretch whose state is not the one that it had before, and how many rows may list runs of it that are not summed. */
export interface Changed {
  readonly stretch: number
  readonly state: string
  readonly lists: number
}

interface SumsRequest<T> {
  readonly what: string
  readonly read: SegmentRead
  readonly stretches: readonly Stretch[]
  /** The value of some hours, from those of its stretches in their order. */
  readonly joined: (values: readonly T[]) => T
}

/**
 * The values of some stretches of hours, joined. A query reads those that the CTE `changed` lists (stretch, first_hour, end_hour,
 * and {@link CHANGED}): where one run came late, or an hour is over, only its stretch is read again. The joined value is the same
 * object as long as none is.
 */
export function stretchesUnlessKnown<T>(
  known: KnownSums,
  { what, read, stretches, joined }: SumsRequest<T>,
  { sizeOf, isWhole }: Kind<T>,
  query: (
    changed: Statement,
  ) => Query<{ readonly changed: readonly Changed[]; readonly valueOf: (stretch: number) => T }>,
): Query<SegmentValue<T>> {
  const { releaseId, environment, hours, moments } = read
  const wanted = stretches.map(stretch => {
    const key = keyOf(what, read, stretch, stretch.moments)
    return { ...stretch, key, before: known.get(key) }
  })
  const rows = wanted.map(({ stretch, from, to, before }) => [stretch, from, to, before?.state ?? ''])
  const number = (index: number): string => `CAST(g.value ->> ${index} AS BIGINT)`
  const statement = sql`${scopeCte(releaseId, environment)}, given AS (
      SELECT ${raw(number(0))} AS stretch, ${raw(number(1))} AS first_hour, ${raw(number(2))} AS end_hour, g.value ->> 3 AS before
      FROM ${jsonRows(rows)}
    ), found AS (
      SELECT g.stretch, g.first_hour, g.end_hour, g.before, ${stateOf(releaseId, raw('g.first_hour'), raw('g.end_hour'))} AS state FROM given g
    ), changed AS MATERIALIZED (SELECT stretch, first_hour, end_hour, state FROM found WHERE state <> before)`
  return mapped(query(statement), ({ changed, valueOf }) => {
    const found = new Map(changed.map(own => [own.stretch, own]))
    const now = wanted.map(({ stretch, key, before, moments: at }) => {
      const own = found.get(stretch)
      const state = own?.state ?? before!.state
      const value = own === undefined ? (before!.value as T) : valueOf(stretch)
      // What is summed as it is read may be a part alone.
      const isKept = own === undefined || own.lists === 0 || isWhole(value, runsOf(state))
      if (isKept) known.keep(key, { state, value }, 1 + sizeOf(value))
      return { state, value, isKept, runs: at === undefined ? runsOf(state) : 0 }
    })
    const [key, state] = [
      keyOf(`all ${what}`, read, hours, moments),
      JSON.stringify(now.map(own => own.state)),
    ]
    const before = known.get(key)
    const isSame = before?.state === state && found.size === 0
    const value = isSame ? (before.value as T) : joined(now.map(own => own.value))
    // It has no sums that its stretches don't have.
    if (now.every(({ isKept }) => isKept)) known.keep(key, { state, value }, 1)
    return { runs: now.reduce((sum, { runs }) => sum + runs, 0), value }
  })
}

/** Columns of `c`, a row of the CTE of {@link stretchesUnlessKnown}. */
export const CHANGED = {
  stretch: 'c.stretch',
  state: 'c.state',
  lists:
    '(SELECT count(*) FROM segments_unsummed WHERE last_hour >= c.first_hour AND first_hour < c.end_hour)',
} as const

function keyOf(
  what: string,
  { releaseId, environment }: SegmentRead,
  { from, to }: Range,
  moments?: Moments,
): string {
  return [what, releaseId, environment, from, to, moments?.at].join('\0')
}

/** What the sums of some hours of the scope depend on, as a text. */
function stateOf(releaseId: string, from: Statement, to: Statement): Statement {
  const sums = raw(sumsText(['runs', 'errors', 'latency_sum']))
  return sql`((SELECT ${sums} FROM rollup_hours WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to})
    || ' ' || CAST(${revisionOfAgent(releaseId)} AS TEXT))`
}

function revisionOfAgent(releaseId: string): Statement {
  return revisionOf(sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`)
}

/** How many rows of segments_unsummed may list runs of some hours. */
function listsOf(from: Statement, to: Statement): Statement {
  return sql`(SELECT count(*) FROM segments_unsummed WHERE last_hour >= ${from} AND first_hour < ${to}) AS lists`
}

/** A state begins with the number of runs. */
function runsOf(state: string): number {
  return Number.parseInt(state, 10)
}

const readState = columns({ state: asText, lists: asNumber })
