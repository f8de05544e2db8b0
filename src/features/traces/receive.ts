import { runId } from '../../spans/event.ts'
import { lookalikesText } from '../../spans/gather.ts'
import type { Span } from '../../spans/span.ts'
import { isCall, reportsTokens } from '../../spans/use.ts'
import { type JudgeOptions, type TraceFacts, type Verdict, isOpen, judge } from './judge.ts'
import type { KeptSpan, Recalled, TraceMemory } from './kept.ts'
import { type KnownRelease, Releases, type Wanted, namedBy, wantedBy } from './releases.ts'
import type { RuleOptions, RunDraft } from './runs.ts'
import type { Decoded } from './spans.ts'
import { type Group, type Grouped, groupSpans } from './tree.ts'

/** What came of an export together with what is remembered of its traces. */
export interface Received {
  /** Runs to store. */
  readonly drafts: readonly RunDraft[]
  /** Remembered spans that these count, by the id of the run: no longer needed once it is stored. */
  readonly joined: readonly { readonly seq: number; readonly run_id: string }[]
  /** Remembered spans that no run needs any more. */
  readonly settled: readonly number[]
  /** Remembered spans that the answer tells of. */
  readonly reported: readonly number[]
  /** Spans to remember. */
  readonly keep: readonly { readonly span: Span; readonly isUnreported: boolean }[]
  readonly recalled: Recalled
  /** Traces of which not all can be stored, and the ids of their stored runs. */
  readonly doubtful: readonly string[]
  readonly run_ids: readonly string[]
  /** How many calls came after their run was stored. */
  readonly late: number
  readonly telling: Telling
}

/** How many spans there are for each reason. */
export interface Telling {
  /** No run is made of them. */
  readonly refused: ReadonlyMap<string, number>
  /** They wait for others. */
  readonly waiting: ReadonlyMap<string, number>
  /** What is odd about what is stored. */
  readonly warnings: readonly string[]
}

/** What an export is received with. */
export interface ReceiveOptions extends RuleOptions, Pick<JudgeOptions, 'refuses'> {
  /** Finds the registered releases that are wanted, newest first. */
  readonly lookup: (wanted: Wanted) => Promise<readonly KnownRelease[]>
  readonly memory: TraceMemory
  /** Lets others go on between the parts of the work. */
  readonly nextTurn: () => Promise<void> | void
}

/** Most releases that one export may be about, and most spans of one trace that are remembered. */
const MOST_WANTED = 10_000
export const MOST_OF_TRACE = 10_000

/**
 * Makes runs of spans and of those that came before of the same traces. A run is stored with all of its spans or not at
 * all, as far as what has come can tell; what can't be decided yet is to be remembered.
 */
export async function makeRuns({ spans, broken }: Decoded, options: ReceiveOptions): Promise<Received> {
  const { memory, nextTurn } = options
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))]
  const recalled = await memory.recall(traceIds)
  const grouped = groupSpans([...recalled.kept.map(({ span }) => span), ...spans])
  await nextTurn()
  const judging = await judgeOptions(grouped.groups, recalled, options)
  const facts = factsOf(grouped.groups, recalled, judging)
  const verdicts = new Map(grouped.groups.map(group => [group, judge(group, facts(group), judging)]))
  const doubtful = new Set<string>()
  for (const [{ top, kind }, { what }] of verdicts) {
    if (kind === 'run by resource' || (what !== 'run' && what !== 'nothing')) doubtful.add(top.traceId)
  }
  const stored = doubtful.size === 0 ? [] : await memory.storedRuns([...doubtful])
  const byTrace = Map.groupBy(stored, ({ traceId }) => traceId)
  if (byTrace.size > 0) {
    for (const group of grouped.groups) {
      const runs = byTrace.get(group.top.traceId)
      if (runs !== undefined) verdicts.set(group, judge(group, { ...facts(group), stored: runs }, judging))
    }
  }
  await nextTurn()
  return {
    ...sortOut({ verdicts, grouped, recalled, spans, broken }),
    doubtful: [...doubtful],
    run_ids: stored.map(({ traceId, spanId }) => runId(traceId, spanId)),
  }
}

async function judgeOptions(
  groups: readonly Group[],
  { kept, now, forgottenBefore }: Recalled,
  { lookup, ...options }: ReceiveOptions,
): Promise<JudgeOptions> {
  const runs = groups.filter(({ kind }) => kind === 'run' || kind === 'run by resource')
  const named = new Map(runs.map(({ top }) => [top, namedBy(top)]))
  const wanted = wantedBy(named.values())
  const isTooMany = wanted.release_ids.length + wanted.versions.length > MOST_WANTED
  const releases = new Releases(isTooMany ? [] : await lookup(wanted))
  const arrived = new Map(kept.map(({ span, arrivedAt }) => [span, arrivedAt]))
  return {
    ...options,
    forgottenBefore,
    arrivedAt: span => arrived.get(span) ?? now,
    releaseOf: ({ top }) => (isTooMany ? TOO_MANY_RELEASES : releases.find(named.get(top)!)),
  }
}

const TOO_MANY_RELEASES = `the request names more than ${MOST_WANTED} releases`

function factsOf(
  groups: readonly Group[],
  { kept }: Recalled,
  judging: JudgeOptions,
): (group: Group) => TraceFacts {
  const open = Map.groupBy(
    groups.filter(group => isOpen(group, judging)),
    ({ top }) => top.traceId,
  )
  const counts = new Map<string, number>()
  for (const { span } of kept) counts.set(span.traceId, (counts.get(span.traceId) ?? 0) + 1)
  return ({ top: { traceId } }) => ({
    open: open.get(traceId) ?? [],
    stored: undefined,
    isFull: (counts.get(traceId) ?? 0) >= MOST_OF_TRACE,
  })
}

interface Decided extends Decoded, Pick<Received, 'recalled'> {
  readonly verdicts: ReadonlyMap<Group, Verdict>
  readonly grouped: Grouped
}

function sortOut(decided: Decided): Omit<Received, 'doubtful' | 'run_ids'> {
  const { verdicts, grouped, recalled, broken } = decided
  const rows = Map.groupBy(recalled.kept, ({ span }) => grouped.groupOf(span))
  let sent: ReadonlySet<Group | undefined> | undefined
  const refused = new Map<string, number>()
  for (const reason of broken) add(refused, reason, 1)
  const drafts: RunDraft[] = []
  const joined: { seq: number; run_id: string }[] = []
  const [settled, reported]: KeptSpan[][] = [[], []]
  const warnings = new Set<string>()
  let late = 0
  for (const [group, verdict] of verdicts) {
    const own = rows.get(group) ?? []
    if (verdict.what === 'run') {
      const { run_id } = verdict.draft
      drafts.push(verdict.draft)
      for (const { seq } of own) joined.push({ seq, run_id })
      const lookalikes = lookalikesText(group.gathered)
      if (lookalikes !== undefined) warnings.add(lookalikes)
    } else if (verdict.what === 'known') {
      settled!.push(...own)
    } else if (verdict.what === 'held' || verdict.what === 'refused') {
      const unreported = own.filter(({ isUnreported }) => isUnreported)
      if (verdict.what === 'refused' && verdict.isLoose) settled!.push(...own)
      else reported!.push(...unreported)
      // Its sender gets the report, not everybody who sends another span of its trace.
      sent ??= groupsOfNews(decided)
      if (group.top.problem !== undefined || (unreported.length === 0 && !sent.has(group))) continue
      const count = Math.max(1, group.gathered.counted)
      add(refused, verdict.reason, count)
      if (verdict.isLate) late += count
    }
  }
  const { keep, waiting } = toKeep(decided)
  return {
    drafts,
    joined,
    settled: settled!.map(({ seq }) => seq),
    reported: reported!.map(({ seq }) => seq),
    keep,
    recalled,
    late,
    telling: { refused, waiting, warnings: [...warnings] },
  }
}

/** The groups of which the first span or a call was sent, whether or not it was remembered. */
function groupsOfNews({ grouped, recalled, spans }: Decided): ReadonlySet<Group | undefined> {
  const kept = new Map(recalled.kept.map(({ span }) => [keyOf(span), span]))
  const groups = new Set<Group | undefined>()
  for (const span of spans) {
    const group = grouped.groupOf(kept.get(keyOf(span)) ?? span)
    if (reportsTokens(span) || isCall(span) || group?.top.spanId === span.spanId) groups.add(group)
  }
  return groups
}

function keyOf({ traceId, spanId }: Span): string {
  return traceId + spanId
}

/** The spans that have to be remembered from now on, and why those wait that no answer reports as refused. */
function toKeep({ verdicts, grouped, recalled }: Decided): Pick<Received, 'keep'> & Pick<Telling, 'waiting'> {
  const groups = new Set<Group>()
  for (const [group, { what }] of verdicts) if (what === 'waits' || what === 'held') groups.add(group)
  const waiting = new Map<string, number>()
  if (groups.size === 0) return { keep: [], waiting }
  const kept = new Set(recalled.kept.map(({ span }) => span))
  const keep = grouped
    .remains(groups)
    .filter(span => !kept.has(span))
    .map(span => {
      const verdict = verdicts.get(grouped.groupOf(span)!)!
      const isLink = !reportsTokens(span) && !isCall(span) && !span.hasFailed
      if (isLink || verdict.what !== 'waits') return { span, isUnreported: false }
      add(waiting, verdict.reason, 1)
      return { span, isUnreported: true }
    })
  return { keep, waiting }
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  counts.set(reason, (counts.get(reason) ?? 0) + count)
}
