import { DAY_HOURS, DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Cut } from '../../rules/common_time.ts'
import { type Aggregate, joinedAggregates } from '../../rules/rollup.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import { type Query, asNumber, asText, columns, mapped, rowsOfEach, together } from '../../sql/query.ts'
import { revisionOf } from '../trail/chain.ts'
import { Sized } from '../world/memo.ts'
import {
  SUM_COLUMNS,
  COLUMNS,
  blockSumsStatement,
  cutCte,
  edgesStatement,
  toBlockSums,
} from './block_sums.ts'
import { STATE_SUMS, stateOfHours } from './days.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  addedRanges,
  blockAt,
  isFiltered,
  named,
  scopeCte,
  summed,
  sumsText,
} from './rollups.ts'

/** The sums of a stretch of the time, and what the ledger said of its state when they were read. */
interface CachedSums {
  readonly state: string
  readonly aggregates: readonly Aggregate[]
  /** The variants of these sums: id, agent, provider, model. */
  readonly variants: readonly Variant[]
}

type Variant = readonly [id: number, agent_id: string, provider: string, model: string]

/** What a process read last, by the stretch. */
export type KnownSums = Sized<CachedSums>

/** Most stretches and sums that are kept: 70 releases of three models over a week, some 10 MB. */
const MOST_KEPT = 20_000

export function newKnownSums(): KnownSums {
  return new Sized(MOST_KEPT)
}

/**
 * The same as {@link blockSumsStatement}. Where the time is cut into blocks of the UTC clock, the sums of hours and minutes that
 * have not changed since a process read them last come from its memory: most of a window is over, and is read often.
 */
export function blockSumsQuery(
  releaseIds: readonly string[],
  environment: string,
  blocks: Blocks,
  filters: Filters,
  known: KnownSums | undefined,
): Query<Aggregate[][]> {
  const { cut, window } = blocks
  if (known === undefined || cut === undefined || isFiltered(filters)) {
    const of = (id: string) => blockSumsStatement(id, environment, blocks, filters)
    return rowsOfEach(releaseIds, of, BLOCK_ORDER, toBlockSums)
  }
  const releases = releaseIds.map(id => ({
    id,
    ctes: sql`${scopeCte(id, environment)}, ${cutCte(window)}`,
    stretches: stretchesOf(blocks, cut).map(stretch => {
      const { widthMs, from, to } = stretch
      const key = [id, environment, widthMs, from, to].join('\0')
      return { ...stretch, key, before: known.get(key) }
    }),
  }))
  const read = together({
    changed: rowsOfEach(
      releases,
      ({ id, ctes, stretches }) => changedStatement(ctes, id, stretches, window.until),
      'stretch, variant',
      toChanged,
    ),
    edges: rowsOfEach(releases, ({ ctes }) => edgesStatement(ctes, blocks), BLOCK_ORDER, toBlockSums),
  })
  const joined = ({ stretches }: (typeof releases)[number], changed: Changed[], edges: Aggregate[]) => {
    // Of a release with very many variants all is in one block.
    if (changed[0]?.blocks === 1)
      return joinedAggregates([...changed.flatMap(({ aggregates }) => aggregates), ...edges])
    const found = Map.groupBy(changed, ({ stretch }) => stretch)
    const aggregates = stretches.flatMap(({ key, block, before }, index) => {
      const rows = found.get(index)
      const now = rows && {
        state: rows[0]!.state,
        aggregates: rows.flatMap(row => row.aggregates),
        variants: rows.flatMap(row => row.variants),
      }
      const own = inBlock(now ?? before!, block)
      known.keep(key, own, 1 + own.aggregates.length)
      return own.aggregates
    })
    return joinedAggregates([...aggregates, ...edges])
  }
  return mapped(read, ({ changed, edges }) =>
    releases.map((release, index) => joined(release, changed[index]!, edges[index]!)),
  )
}

/** The same sums, in a block: those that are in it already are taken as they are, and of a window most are. */
function inBlock(sums: CachedSums, block: number): CachedSums {
  if (sums.aggregates.every(aggregate => aggregate.block === block)) return sums
  return { ...sums, aggregates: sums.aggregates.map(aggregate => ({ ...aggregate, block })) }
}

/** The order of sums by block. */
export const BLOCK_ORDER = 'agent_id, provider, model, block'

/** Hours or minutes of one block of a cut, by their numbers since the epoch; `to` is excluded. */
interface Stretch {
  readonly widthMs: typeof HOUR_MS | typeof MINUTE_MS
  readonly from: number
  readonly to: number
  readonly block: number
}

function stretchesOf(blocks: Blocks, cut: Cut): Stretch[] {
  const { hours, minutes } = addedRanges(blocks)
  const stretches: Stretch[] = []
  const cutUp = ({ from, to }: { from: number; to: number }, widthMs: Stretch['widthMs']): void => {
    for (let first = from, at = from; at < to; at++) {
      const block = blockAt(cut, at * widthMs)
      if (at + 1 < to && blockAt(cut, (at + 1) * widthMs) === block) continue
      stretches.push({ widthMs, from: first, to: at + 1, block })
      first = at + 1
    }
  }
  for (const range of hours) cutUp(range, HOUR_MS)
  for (const range of minutes) cutUp(range, MINUTE_MS)
  return stretches
}

/** A stretch, and what is known of it. */
interface KnownStretch extends Stretch {
  readonly before: CachedSums | undefined
}

/**
 * Groups stretches by what is read to know whether they changed. Those of a day that is over are checked by that whole day. Each of
 * the last day is checked alone, since only the newest of them change all the time.
 */
function checksOf(stretches: readonly KnownStretch[], until: number) {
  const today = Math.floor((until - 1) / DAY_MS)
  const groups = Map.groupBy(stretches.entries(), ([index, { widthMs, from, to }]) => {
    const day = Math.floor(from / DAY_HOURS)
    const isOver = widthMs === HOUR_MS && day < today && to <= (day + 1) * DAY_HOURS
    return isOver ? `day ${day}` : index
  })
  return Array.from(groups, ([key, of]) => {
    const [, first] = of[0]!
    const day = Math.floor(first.from / DAY_HOURS)
    const span = typeof key === 'number' ? first : { from: day * DAY_HOURS, to: (day + 1) * DAY_HOURS }
    const state = first.before?.state ?? ''
    const isKnown = of.every(([, { before }]) => before?.state === state)
    return { of, widthMs: first.widthMs, from: span.from, to: span.to, state: isKnown ? state : '' }
  })
}

/**
 * The sums of stretches whose state is another one than before, with that state; a row without sums of one that is empty.
 * What is summed changes with the runs, and with the revisions where sums are made again. All are read again where a variant is
 * another one than before, as after a restore of the database.
 */
function changedStatement(
  ctes: Statement,
  releaseId: string,
  stretches: readonly KnownStretch[],
  until: number,
): Statement {
  const checks = checksOf(stretches, until)
  const checked = checks.map(({ widthMs, from, to, state }, check) => [check, widthMs, from, to, state])
  const given = checks.flatMap(({ of }, check) => of.map(([index, { from, to }]) => [index, check, from, to]))
  const variants = new Map(
    stretches.flatMap(({ before }) => before?.variants ?? []).map(own => [own[0], own]),
  )
  const number = (index: number, of = 'g'): string => `CAST(${of}.value ->> ${index} AS BIGINT)`
  const within = raw(`${IN_SCOPE.text} AND bucket >= first AND bucket < behind`)
  const minutes = sql`(SELECT ${MINUTES_STATE} FROM rollup_minutes WHERE ${within})`
  const sumsOf = (table: string, widthMs: number) => sql`SELECT stretch, variant, ${raw(COLUMNS)}
      FROM changed CROSS JOIN ${raw(table)} WHERE width_ms = ${raw(String(widthMs))} AND ${within}`
  return sql`WITH ${ctes}, ${revisionsCte(releaseId)}, checks AS (
      SELECT ${raw(`${number(0)} AS check_number, ${number(1)} AS width_ms, ${number(2)} AS first, ${number(3)} AS behind, g.value ->> 4 AS before`)}
      FROM ${jsonRows(checked)}
    ), found AS (
      SELECT check_number, width_ms, before, CASE WHEN width_ms = ${raw(String(HOUR_MS))} THEN ${stateOfHours('first', 'behind')} ELSE ${minutes} END
        || ' ' || (SELECT revisions FROM revised) AS state FROM checks
    ), changed AS MATERIALIZED (
      SELECT ${raw(`${number(0, 's')} AS stretch, f.width_ms, ${number(2, 's')} AS first, ${number(3, 's')} AS behind, f.state`)}
      FROM found f JOIN ${jsonRows(given, 's')} ON ${raw(number(1, 's'))} = f.check_number
      WHERE f.state <> f.before OR (SELECT blocks FROM cut) = 1
        OR EXISTS (SELECT 1 FROM ${jsonRows([...variants.values()])} LEFT JOIN variants v ON v.id = ${raw(number(0))}
          AND v.agent_id = g.value ->> 1 AND v.provider = g.value ->> 2 AND v.model = g.value ->> 3 WHERE v.id IS NULL)
    )
    SELECT c.stretch, c.state, (SELECT blocks FROM cut) AS blocks, 0 AS block, s.variant, ${NAMED}, v.agent_id, v.provider, v.model
    FROM changed c LEFT JOIN (
      SELECT p.stretch, p.variant, ${summed(SUM_COLUMNS)}
      FROM (${sumsOf('rollup_hours', HOUR_MS)} UNION ALL ${sumsOf('rollup_minutes', MINUTE_MS)}) AS p
      GROUP BY p.stretch, p.variant HAVING sum(p.runs) > 0
    ) AS s ON s.stretch = c.stretch LEFT JOIN variants v ON v.id = s.variant`
}

const MINUTES_STATE = raw(sumsText(STATE_SUMS))

/** The revisions that are bumped where sums are made again or come in from elsewhere, or runs are erased. */
export function revisionsCte(releaseId: string): Statement {
  const agent = sql`(SELECT agent_id FROM releases WHERE release_id = ${releaseId})`
  return sql`revised AS (SELECT CAST(revision AS TEXT) || ' ' || CAST(${revisionOf(agent)} AS TEXT) AS revisions
      FROM audit_head WHERE id = 1)`
}

const NAMED = named([], SUM_COLUMNS)

const readChanged = columns({ stretch: asNumber, state: asText, blocks: asNumber })

type Changed = ReturnType<typeof readChanged> & Pick<CachedSums, 'aggregates' | 'variants'>

function toChanged(row: Row): Changed {
  const read = readChanged(row)
  if (row.model === null) return { ...read, aggregates: [], variants: [] }
  const aggregates = toBlockSums(row)
  const variants = [
    [asNumber(row.variant), aggregates.agent_id, aggregates.provider, aggregates.model] as const,
  ]
  return { ...read, aggregates: [aggregates], variants }
}
