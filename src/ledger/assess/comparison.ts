import type { UsedWindow } from '../../models/answers/window_used.ts'
import type { Policy } from '../../models/documents/policy.ts'
import {
  type BucketRuns,
  type Moments,
  type TimePlan,
  countWidthOf,
  isSamePlan,
} from '../../rules/common_time.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import { type Counts, type Reach, planOver } from '../../rules/moments.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import {
  type AnswerOf,
  NOTHING,
  type Query,
  ask,
  inTurn,
  mapped,
  ofSides,
  sidesOf,
  together,
} from '../../sql/query.ts'
import type { Fed, FedSide } from '../events/fed.ts'
import { type EndsFirst, endsQuery, readWindow } from '../events/gaps.ts'
import { newKnownSums } from '../events/known_sums.ts'
import { isFiltered } from '../events/rollups.ts'
import { FIRST_RUNS, beganQuery, reachQuery, startsQuery } from '../events/under_way.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { remembering } from '../world/memo.ts'
import { clustersQuery, type unitOf } from './clusters.ts'
import { countsQuery } from './counts.ts'
import { type RowQuestions, expectedPlan, notePlan } from './expected.ts'
import type { Measure, Requested } from './parts.ts'
import { type SideQuery, sidesQuery } from './sides.ts'

/** What two releases are read for. */
export interface ComparisonQuestion<M> {
  /** Neither cut nor with hours: what both sides share of its window says how it is cut. */
  readonly query: SideQuery
  readonly measures: Measures
  /** Whether what both sides share of the time is compared, in place of the window as it is. */
  readonly sharesTime: boolean
  /** What runs are grouped by. */
  readonly by?: ReturnType<typeof unitOf> | undefined
  /** What else is read in the snapshot of the sums. */
  readonly more?: ((query: SideQuery) => Query<M>) | undefined
}

/** A comparison as one snapshot saw it. */
export interface ReadComparison<M> extends Omit<Whole<M>, 'ends'> {
  /** Of the window that was read, as it was cut. */
  readonly query: SideQuery
  /** The window, where it is not the one that was wanted. */
  readonly window_used?: UsedWindow
  readonly plan: TimePlan | undefined
  readonly measures: Measures
  readonly by: ReturnType<typeof unitOf>
}

/** What is read first: runs by the hour, and all of the comparison where it is expected how they cut it, and by which of their rows. */
export interface First<M> {
  readonly counts: OfSides<Counts> | undefined
  readonly rows: RowAnswers | undefined
  readonly whole: Whole<M> | undefined
}

export const NOTHING_YET = { counts: undefined, rows: undefined, whole: undefined } as const

type Whole<M> = AnswerOf<ReturnType<typeof wholeQuery<M>>>

export interface ComparisonReader<M> {
  /** Whether all is read first. */
  readonly isWhole: boolean
  readonly first: Query<First<M>>
  /** Reads what is still to be read. */
  readonly rest: (first: First<M>) => Promise<ReadComparison<M>>
}

/**
 * Reads two releases. How their sums are cut depends on their runs by the hour: a process that has read them before expects the
 * same as then, and reads both in one snapshot. Where the runs say otherwise, the sums are read again by what they say.
 */
export async function comparisonReader<M = undefined>(
  ledger: Ledger,
  { query, measures, sharesTime, by, more }: ComparisonQuestion<M>,
): Promise<ComparisonReader<M>> {
  const { sql: db, memo } = ledger
  const { window: wanted } = query
  const fed = await fedOf(ledger)
  const known = sharesTime ? expectedPlan(memo, query) : undefined
  const expected = known?.plan
  const cutBy = (window: Window, plan: TimePlan | undefined): SideQuery => ({
    ...query,
    window,
    cut: plan?.cut,
    hours: plan?.hours,
  })
  const wholeOf = (own: SideQuery): Query<Whole<M>> => wholeQuery(own, { measures, by, more }, fed)
  const ends = endsFirst(ledger, query, measures, fed)
  const isWhole = (!sharesTime || expected !== undefined) && !ends.cutBefore.has(ends.key)
  return {
    isWhole,
    first: together({
      counts: sharesTime ? countsQuery(ledger, query) : undefined,
      rows: known && rowsQuery(query, known.questions),
      whole: isWhole ? wholeOf(cutBy(wanted, expected)) : undefined,
    }),
    rest: async ({ counts, rows, whole }) => {
      const made = sharesTime
        ? await timePlanOf(ledger, query, counts ?? (await ask(db, countsQuery(ledger, query))), rows)
        : undefined
      if (made !== undefined) notePlan(memo, query, made)
      const plan = made?.plan
      const isExpected = plan === undefined || (expected !== undefined && isSamePlan(plan, expected))
      const { window, found, window_used } = await readWindow(
        wanted,
        async part => {
          const isRead = part === wanted && isExpected
          const read = (isRead ? whole : undefined) ?? (await ask(db, wholeOf(cutBy(part, plan))))
          return { ...read, coveredTo: coveredTo(read.fed) }
        },
        ends,
      )
      return { ...found, query: cutBy(window, plan), plan, measures, by, ...(window_used && { window_used }) }
    },
  }
}

/** Reads two releases; see {@link comparisonReader}. */
export async function readComparison<M = undefined>(
  ledger: Ledger,
  question: ComparisonQuestion<M>,
): Promise<ReadComparison<M>> {
  const { first, rest } = await comparisonReader(ledger, question)
  return rest(await ask(ledger.sql, first))
}

/** What each side takes from sources of sums. */
export interface FedSides {
  readonly baseline: FedSide | undefined
  readonly candidate: FedSide | undefined
}

/** Who keeps runs of either side as sums. */
export function keptOf({ baseline, candidate }: FedSides) {
  return [...(candidate?.kept ?? []), ...(baseline?.kept ?? [])]
}

/** Measures of features, and what they are read for. */
export interface Measures extends Requested {
  readonly measures: readonly Measure[]
}

export const NO_MEASURES: Measures = {
  measures: [],
  policy: DEFAULT_POLICY,
  isDiff: false,
  isRollback: false,
}

/** The measures of features that a policy decides by, those that diffs show, and those that are wanted by name. */
export async function measuresOf(
  { features, memo }: Pick<Ledger, 'features' | 'memo'>,
  requested: Requested,
  names: readonly string[] = [],
): Promise<Measures> {
  const all = await partsOf(features, 'measure')
  const measures = all.filter(
    ({ name, isShown = false, isLimited }) =>
      names.includes(name) || (isShown && requested.isDiff) || isLimited(requested.policy),
  )
  return { ...requested, memo, measures }
}

/** Whose sums count in place of run events, if any may. */
export async function fedOf({ features }: Pick<Ledger, 'features'>): Promise<Fed | undefined> {
  const [fed] = await partsOf(features, 'fed')
  return fed
}

/** Up to when both sides are complete, epoch ms. */
function coveredTo({ baseline, candidate }: FedSides): number {
  return Math.min(baseline?.coveredTo ?? Infinity, candidate?.coveredTo ?? Infinity)
}

const knownSums = remembering(newKnownSums)

/** The comparisons whose windows were cut before. */
const cutWindows = remembering(() => new Map<string, true>())

/** The ends of the window of a comparison alone, where that may save reading it twice. */
function endsFirst(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  query: SideQuery,
  measures: Measures,
  fed: Fed | undefined,
): EndsFirst {
  const { environment, baselineId, candidateId } = query
  return {
    cutBefore: cutWindows(memo),
    key: [environment, baselineId, candidateId].join('\0'),
    read: window =>
      ask(
        db,
        together({
          ends: endsQuery({ ...query, window }, bucketOf(measures)),
          coveredTo: fed?.coveredTo(environment, [baselineId, candidateId], window),
        }),
      ),
  }
}

function bucketOf({ measures }: Measures): number {
  return Math.max(0, ...measures.map(({ bucketMs = 0 }) => bucketMs))
}

const NOT_FED: Query<FedSides> = mapped(NOTHING, () => ({ baseline: undefined, candidate: undefined }))

/** All that one snapshot reads of two releases in a window. */
function wholeQuery<M>(
  query: SideQuery,
  { measures: all, by, more }: Pick<ComparisonQuestion<M>, 'measures' | 'by' | 'more'>,
  fed: Fed | undefined,
) {
  const { measures, ...settings } = all
  const { memo } = settings
  const extras: Record<string, Query<unknown>> = {}
  for (const measure of measures) extras[measure.name] = measure.query(query, settings)
  const { baselineId, candidateId, environment, window } = query
  const sources = fed?.sourcesOf([baselineId, candidateId], environment, window)
  return together({
    ends: endsQuery(query, bucketOf(all)),
    sides: sidesQuery(query, memo && knownSums(memo)),
    fed: sources === undefined ? NOT_FED : mapped(sources, sidesOf),
    extras: together(extras),
    clusters: by && clustersQuery(query, by),
    more: more?.(query) as Query<M>,
  })
}

/** What is compared; unset is `time`. */
export type CompareBy = NonNullable<Policy['compare_by']>

/** Whether what both sides share is compared, or the window as it is. */
export function comparesShared({ compare_by }: { readonly compare_by?: CompareBy | undefined }): boolean {
  return compare_by !== 'window'
}

/** When as many runs as {@link beganQuery} reads have ended, from whole buckets; else the end of the window. Epoch ms. */
function endOfFirst(buckets: readonly BucketRuns[], since: number, window: Window): number {
  const widthMs = countWidthOf(window)
  let runs = 0
  for (const own of buckets) {
    if (own.bucket * widthMs >= since) runs += own.runs
    if (runs >= FIRST_RUNS) return Math.min(window.until, (own.bucket + 1) * widthMs)
  }
  return window.until
}

/** What rows said, and to which questions. */
type RowAnswers = AnswerOf<ReturnType<typeof rowsQuery>>

/** Reads of the rows what was read of them for the plan before. */
function rowsQuery(query: SideQuery, questions: RowQuestions) {
  const { began, reach } = questions
  const answers = together({
    // With a filter it rests on the counts how far rows are read.
    began: began && !isFiltered(query.filters) ? beganOfSides(query, ...began) : undefined,
    reach: reach && reachOfSides(query, ...reach),
  })
  return mapped(answers, found => ({ questions, ...found }))
}

function beganOfSides(
  query: SideQuery,
  sides: readonly (keyof OfSides)[],
  since: number,
  untilOf = (_side: keyof OfSides) => query.window.until,
): Query<(number | undefined)[]> {
  const { environment, filters } = query
  return inTurn(
    sides.map(side => beganQuery(query[`${side}Id`], environment, { since, until: untilOf(side) }, filters)),
  )
}

function reachOfSides(query: SideQuery, moments: Moments, mostRuns: number): Query<OfSides<Reach>> {
  const { environment, window } = query
  return ofSides(side => reachQuery(query[`${side}Id`], environment, moments, window, mostRuns))
}

/** See {@link planOver}. What was read of the rows `before` is not read again. */
async function timePlanOf(
  { sql: db }: Pick<Ledger, 'sql'>,
  query: SideQuery,
  counts: OfSides<Counts>,
  before?: RowAnswers,
): Promise<{ readonly plan: TimePlan; readonly questions: RowQuestions }> {
  const { window, environment, filters } = query
  const questions: { -readonly [Name in keyof RowQuestions]: RowQuestions[Name] } = {}
  const known = <Name extends keyof RowQuestions>(name: Name, question: RowQuestions[Name]) => {
    questions[name] = question
    const isKnown = JSON.stringify(before?.questions[name]) === JSON.stringify(question)
    return isKnown ? before?.[name] : undefined
  }
  const plan = await planOver(counts, window, {
    began: async (sides, since) => {
      // Rows of a filter are not in order of time, so those of later hours are left out before they are sorted.
      const untilOf = (side: keyof OfSides): number =>
        isFiltered(filters) ? endOfFirst(counts[side].within, since, window) : window.until
      return known('began', [sides, since]) ?? ask(db, beganOfSides(query, sides, since, untilOf))
    },
    starts: (times, oneIn) =>
      ask(
        db,
        ofSides(side => startsQuery(query[`${side}Id`], environment, filters, { times, oneIn: oneIn[side] })),
      ),
    reach: async (...question) => known('reach', question) ?? ask(db, reachOfSides(query, ...question)),
  })
  return { plan, questions }
}
