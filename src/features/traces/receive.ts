import { isoTime } from '../../base/time.ts'
import { runId } from '../../spans/event.ts'
import { lookalikeTexts, unreadTexts } from '../../spans/gather.ts'
import { FACTS } from '../../spans/names.ts'
import { type Span, textOf } from '../../spans/span.ts'
import type { SourceNote } from '../../ledger/events/source_notes.ts'
import { isCall, reportsTokens } from '../../spans/use.ts'
import type { KeptSpan, Recalled, StoredRun, TraceMemory } from './kept.ts'
import {
  type KnownRelease,
  type ReleaseNames,
  Releases,
  type ReleaseLookup,
  isNamedAgent,
  namedBy,
  wantedBy,
} from './releases.ts'
import { type RuleOptions, type RunDraft, draftOf } from './runs.ts'
import {
  isLoneCall,
  mayBeRepeated,
  processOf,
  repeatedGroups,
  repeatedTexts,
  repeatsWithinMs,
} from './repeated.ts'
import type { Decoded } from './spans.ts'
import { type Group, type Grouped, groupSpans } from './tree.ts'

/** What came of an export together with what is remembered of its traces. */
export interface Received {
  /** Runs to store. */
  readonly drafts: readonly RunDraft[]
  /** Runs of the export that wait because another trace may repeat them. */
  readonly pending: readonly RunDraft[]
  /** Remembered spans that these count or repeat, by the id of the run: no longer needed once it is stored. */
  readonly joined: readonly { readonly seq: number; readonly run_id: string }[]
  /** Remembered spans that no run needs any more. */
  readonly settled: readonly number[]
  /** Remembered spans that the answer tells of. */
  readonly reported: readonly number[]
  /** Spans to remember. */
  readonly keep: readonly KeepSpan[]
  readonly recalled: Recalled
  /** Traces of which not all can be stored, and the ids of their stored runs. */
  readonly doubtful: readonly string[]
  readonly run_ids: readonly string[]
  /** How many calls came after their run was stored. */
  readonly late: number
  readonly outcome: Outcome
  /** Releases that processes name of whose spans none is understood. */
  readonly strange: readonly ReleaseNames[]
}

/** A span to remember. */
export interface KeepSpan {
  readonly span: Span
  readonly isUnreported: boolean
  /** Whether it is a call that another trace may still repeat. */
  readonly isPending: boolean
}

/** How many spans there are for each reason. */
export interface Outcome {
  /** No run is made of them. */
  readonly refused: ReadonlyMap<string, number>
  /** They wait for others. */
  readonly waiting: ReadonlyMap<string, number>
  /** What is odd about what is stored. */
  readonly warnings: readonly string[]
  /** What sources send that isn't counted; said once an hour. */
  readonly notes: readonly SourceNote[]
}

/** What an export is received with. */
interface ReceiveOptions extends RuleOptions, Pick<JudgeOptions, 'refuses'> {
  /** Finds the registered releases that are wanted, newest first. */
  readonly lookup: (wanted: ReleaseLookup) => Promise<readonly KnownRelease[]>
  readonly memory: TraceMemory
  /** Traces to judge again in addition to those of the spans. */
  readonly due?: readonly string[]
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
  const { memory, nextTurn, due = [] } = options
  const nearby = await callsNear(spans, memory)
  const pending = nearby.filter(({ parentId }) => parentId === undefined)
  const traceIds = [...new Set([...spans, ...pending].map(({ traceId }) => traceId)), ...due]
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
  countOnce(verdicts, [...spans, ...nearby, ...recalled.kept.map(({ span }) => span)], {
    now: options.now,
    isNew: span => recalled.now - judging.arrivedAt(span) <= repeatsWithinMs(span),
  })
  await nextTurn()
  return {
    ...sortOut({ verdicts, grouped, recalled, spans, broken }),
    doubtful: [...doubtful],
    run_ids: stored.map(({ traceId, spanId }) => runId(traceId, spanId)),
    strange: strangeReleases(grouped.groups),
  }
}

/** Releases that resources name whose spans begin traces, and hold no agent, call or tool that is known. */
function strangeReleases(groups: readonly Group[]): ReleaseNames[] {
  const named = new Map<string, ReleaseNames>()
  const understood = new Set<string>()
  for (const { top, kind, gathered } of groups) {
    const release = namedBy({ ...top, attributes: {} })
    const isNamed =
      release.release_id !== undefined || (release.version !== undefined && release.agents.length > 0)
    const key = JSON.stringify(release)
    if (kind === 'run' || gathered.calls + gathered.tools.size > 0) understood.add(key)
    else if (isNamed && top.parentId === undefined && top.problem === undefined) named.set(key, release)
  }
  for (const key of understood) named.delete(key)
  return [...named.values()].slice(0, MOST_STRANGE)
}

/** Most releases of one export that are looked up because no span of theirs is understood. */
const MOST_STRANGE = 20

/** The remembered calls of the processes that send calls, where one that begins its trace may be a run. */
async function callsNear(spans: readonly Span[], memory: TraceMemory): Promise<readonly Span[]> {
  const processes = new Set<string>()
  for (const span of spans) {
    const process = isCall(span) || reportsTokens(span) ? processOf(span) : undefined
    if (process !== undefined && processes.size < MOST_PROCESSES) processes.add(process)
  }
  return processes.size === 0 ? [] : memory.callsOf([...processes])
}

/** Most processes of one export whose calls are compared across traces. */
const MOST_PROCESSES = 100

/** Takes back runs of one call that another trace holds too, and holds back those that one may still repeat. */
function countOnce(
  verdicts: Map<Group, Verdict>,
  spans: readonly Span[],
  { now, isNew }: { readonly now: number; readonly isNew: (span: Span) => boolean },
): void {
  const lone = [...verdicts].flatMap(([group, { what }]) =>
    what === 'run' && isLoneCall(group) ? [group] : [],
  )
  if (lone.length === 0) return
  const repeated = repeatedGroups(lone, spans)
  const isPending = mayBeRepeated(spans, now)
  for (const group of lone) {
    const twin = repeated.get(group)
    if (twin !== undefined) verdicts.set(group, { what: 'repeated', twin })
    else if (isNew(group.top) && isPending(group)) {
      const { draft } = verdicts.get(group) as Extract<Verdict, { what: 'run' }>
      verdicts.set(group, { what: 'may be repeated', draft })
    }
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

interface DecidedRequest extends Decoded, Pick<Received, 'recalled'> {
  readonly verdicts: ReadonlyMap<Group, Verdict>
  readonly grouped: Grouped
}

function sortOut(decided: DecidedRequest): Omit<Received, 'doubtful' | 'run_ids' | 'strange'> {
  const { verdicts, grouped, recalled, spans, broken } = decided
  const rows = Map.groupBy(recalled.kept, ({ span }) => grouped.groupOf(span))
  const groupOf = groupsOf(decided)
  let sent: ReadonlySet<Group | undefined> | undefined
  const refused = new Map<string, number>()
  for (const reason of broken) add(refused, reason, 1)
  const [drafts, pending]: RunDraft[][] = [[], []]
  const joined: { seq: number; run_id: string }[] = []
  const [settled, reported]: KeptSpan[][] = [[], []]
  const warnings = new Set<string>()
  const notes: SourceNote[] = []
  const repeated: [Group, Span][] = []
  let late = 0
  for (const [group, verdict] of verdicts) {
    const own = rows.get(group) ?? []
    if (verdict.what === 'run' || (verdict.what === 'may be repeated' && own.length === 0)) {
      const { run_id } = verdict.draft
      if (verdict.what === 'run') drafts!.push(verdict.draft)
      else pending!.push(verdict.draft)
      for (const { seq } of own) joined.push({ seq, run_id })
      for (const text of [...lookalikeTexts(group.gathered), ...group.warnings]) warnings.add(text)
      for (const text of unreadTexts(group.gathered)) notes.push({ kind: 'unread', text })
    } else if (verdict.what === 'known') {
      settled!.push(...own)
    } else if (verdict.what === 'repeated') {
      const run = runOf(verdict, verdicts, groupOf)
      // Gone with that run, at once: without it the call would be taken for one that nothing repeats.
      if (run === undefined) settled!.push(...own)
      else for (const { seq } of own) joined.push({ seq, run_id: run.run_id })
      repeated.push([group, verdict.twin])
    } else if (verdict.what === 'held' || verdict.what === 'refused') {
      const unreported = own.filter(({ isUnreported }) => isUnreported)
      if (verdict.what === 'refused' && verdict.isLoose) settled!.push(...own)
      else reported!.push(...unreported)
      // Its sender gets the report, not everybody who sends another span of its trace.
      sent ??= groupsOfNews(spans, groupOf)
      if (group.top.problem !== undefined || (unreported.length === 0 && !sent.has(group))) continue
      const count = Math.max(1, group.gathered.counted)
      add(refused, verdict.reason, count)
      if (verdict.isLate) late += count
      if (verdict.what === 'refused' && verdict.isUnknown)
        notes.push({ kind: 'not registered', text: verdict.reason })
    }
  }
  const { keep, waiting } = toKeep(decided)
  for (const text of repeatedTexts(repeated)) notes.push({ kind: 'repeated', text })
  return {
    drafts: drafts!,
    pending: pending!,
    joined,
    settled: settled!.map(({ seq }) => seq),
    reported: reported!.map(({ seq }) => seq),
    keep,
    recalled,
    late,
    outcome: { refused, waiting, warnings: [...warnings], notes },
  }
}

/** The run that is stored now with the call that another one repeats; undefined where that one isn't. */
function runOf(
  { twin }: Extract<Verdict, { what: 'repeated' }>,
  verdicts: ReadonlyMap<Group, Verdict>,
  groupOf: (span: Span) => Group | undefined,
): RunDraft | undefined {
  const verdict = verdicts.get(groupOf(twin)!)
  if (verdict?.what === 'repeated') return runOf(verdict, verdicts, groupOf)
  return verdict?.what === 'run' ? verdict.draft : undefined
}

/** The group of a span, also of one that is remembered and was sent or read again. */
function groupsOf({ grouped, recalled }: DecidedRequest): (span: Span) => Group | undefined {
  const kept = new Map(recalled.kept.map(({ span }) => [keyOf(span), span]))
  return span => grouped.groupOf(kept.get(keyOf(span)) ?? span)
}

/** The groups of which the first span or a call was sent, whether or not it was remembered. */
function groupsOfNews(
  spans: readonly Span[],
  groupOf: (span: Span) => Group | undefined,
): ReadonlySet<Group | undefined> {
  const groups = new Set<Group | undefined>()
  for (const span of spans) {
    const group = groupOf(span)
    if (reportsTokens(span) || isCall(span) || group?.top.spanId === span.spanId) groups.add(group)
  }
  return groups
}

function keyOf({ traceId, spanId }: Span): string {
  return traceId + spanId
}

/** The spans that have to be remembered from now on, and why those wait that no answer reports as refused. */
function toKeep({
  verdicts,
  grouped,
  recalled,
}: DecidedRequest): Pick<Received, 'keep'> & Pick<Outcome, 'waiting'> {
  const groups = new Set<Group>()
  for (const [group, { what }] of verdicts) {
    if (what === 'waits' || what === 'held' || what === 'may be repeated') groups.add(group)
  }
  const waiting = new Map<string, number>()
  if (groups.size === 0) return { keep: [], waiting }
  const kept = new Set(recalled.kept.map(({ span }) => span))
  const keep = grouped
    .remains(groups)
    .filter(span => !kept.has(span))
    .map(span => {
      const verdict = verdicts.get(grouped.groupOf(span)!)!
      const isLink = !reportsTokens(span) && !isCall(span) && !span.hasFailed
      const isPending = verdict.what === 'may be repeated'
      if (isLink || verdict.what !== 'waits') return { span, isUnreported: false, isPending }
      add(waiting, verdict.reason, 1)
      return { span, isUnreported: true, isPending }
    })
  return { keep, waiting }
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  counts.set(reason, (counts.get(reason) ?? 0) + count)
}

/** What becomes of a group of spans. */
type Verdict =
  | { readonly what: 'run'; readonly draft: RunDraft }
  /** Its run is stored already: it was sent again. */
  | { readonly what: 'known' }
  /** No run needs it. */
  | { readonly what: 'nothing' }
  /** Its one call is in another trace too. */
  | { readonly what: 'repeated'; readonly twin: Span }
  /** Its one call may be in another trace that has not come. */
  | { readonly what: 'may be repeated'; readonly draft: RunDraft }
  /** What comes later decides. Nothing is wrong yet. */
  | { readonly what: 'waits'; readonly reason: string }
  /** No run is made of it now; what comes later may make it whole. */
  | { readonly what: 'held'; readonly reason: string; readonly isLate: boolean }
  /** No run is made of it ever. `isLoose`: no run can need its spans. */
  | {
      readonly what: 'refused'
      readonly reason: string
      readonly isLoose: boolean
      readonly isLate: boolean
      /** Whether its release isn't known. */
      readonly isUnknown?: boolean
    }

/** What is known of the trace of a group in addition to its own spans. */
interface TraceFacts {
  /** Groups whose calls may be a part of any run of the trace: the parent above them has not come. */
  readonly open: readonly Group[]
  /** Its stored runs; undefined until they were looked up. */
  readonly stored: readonly StoredRun[] | undefined
  /** Whether as many spans of it wait as are remembered. */
  readonly isFull: boolean
}

interface JudgeOptions extends RuleOptions {
  /** The release that a run names, or why it isn't known. */
  readonly releaseOf: (group: Group) => KnownRelease | string
  /** When a span came, epoch ms of the database's clock. */
  readonly arrivedAt: (span: Span) => number
  /** Spans that came before this may be forgotten; epoch ms, 0 where none is. */
  readonly forgottenBefore: number
  /** Why runs of an environment are refused, if they are. */
  readonly refuses?: ((environment: string) => string | undefined) | undefined
}

const TOKENS_WITHOUT_AGENT = 'it reports tokens, but has no agent span above it'
const MEND =
  'send whole traces (groupbytrace of the Collector, or RunSpanProcessor of release-governance/otel for JavaScript)'

/**
 * Whether the calls of a group may turn out to be a part of another one: the parent above them has not come. A run is
 * taken for a whole one all the same where its parent is in another process, or where it bears its agent's name.
 */
function isOpen(group: Group, options: JudgeOptions): boolean {
  if (group.missing === undefined || group.gathered.calls === 0) return false
  return group.kind === 'stray' || isCutOff(group, options)
}

function isCutOff(group: Group, { releaseOf }: JudgeOptions): boolean {
  if (group.kind !== 'run' || group.missing === undefined || group.missing.isRemote) return false
  const release = releaseOf(group)
  return typeof release === 'string' || !isNamedAgent(group.top, release)
}

function judge(group: Group, trace: TraceFacts, options: JudgeOptions): Verdict {
  const { top, kind, missing, gathered } = group
  if (trace.stored?.some(({ spanId }) => spanId === top.spanId)) return { what: 'known' }
  if (isOpen(group, options)) return judgeOpen(group, trace, options)
  if (hasLooseTools(group)) return trace.isFull ? { what: 'nothing' } : { what: 'waits', reason: TOOLS_WAIT }
  if (isCutOff(group, options)) {
    return top.hasFailed ? { what: 'waits', reason: cutOffText(group, options) } : { what: 'nothing' }
  }
  const isRunOfAgents = kind === 'run by resource' && (trace.stored?.length ?? 0) > 0
  if (kind === 'stray' || kind === 'circle' || isRunOfAgents) {
    const isRefused = gathered.counted > 0 && missing === undefined
    return isRefused
      ? { what: 'refused', reason: TOKENS_WITHOUT_AGENT, isLoose: true, isLate: false }
      : { what: 'nothing' }
  }
  return judgeRun(group, trace, options)
}

/** Calls of tools alone, whose run may come. They hold up none: a run without them is whole but for its tools. */
function hasLooseTools({ kind, missing, gathered: { calls, tools } }: Group): boolean {
  return kind === 'stray' && missing?.isRemote === false && calls === 0 && tools.size > 0
}

function judgeOpen(group: Group, { stored = [], isFull }: TraceFacts, options: JudgeOptions): Verdict {
  const { top, kind, missing } = group
  if (stored.some(({ spanId }) => spanId === missing!.spanId)) {
    return { what: 'refused', reason: LATE, isLoose: true, isLate: true }
  }
  if (isFull) return { what: 'refused', reason: FULL, isLoose: false, isLate: false }
  const isLate = stored.some(({ startMs, endMs }) => startOf(top) >= startMs && startOf(top) <= endMs)
  if (isLate) return { what: 'held', reason: LATE, isLate }
  return { what: 'waits', reason: kind === 'run' ? cutOffText(group, options) : WAITS }
}

function judgeRun(group: Group, { open, isFull }: TraceFacts, options: JudgeOptions): Verdict {
  const { top } = group
  const refused = (reason: string) => ({ what: 'refused', reason, isLoose: false, isLate: false }) as const
  if (isFull) return refused(FULL)
  const above = group.above()
  if (open.some(other => mayBeOf(other, group, above))) return { what: 'held', reason: APART, isLate: false }
  const { arrivedAt, forgottenBefore } = options
  const began = Math.min(startOf(top), arrivedAt(top) - top.latencyMs) - MOST_DELAY_MS
  if (forgottenBefore > 0 && began < forgottenBefore) {
    return refused(
      `it began before ${isoTime(forgottenBefore)}, and spans of that time were forgotten, so it may be half a run: ${MEND}`,
    )
  }
  const release = options.releaseOf(group)
  const draft = draftOf(group, release, options)
  if (typeof draft === 'string') return { ...refused(draft), isUnknown: draft === release }
  const problem = options.refuses?.(draft.environment)
  return problem === undefined ? { what: 'run', draft } : refused(problem)
}

/** How far clocks may be ahead, and how long spans on their way, ms: a run may have begun by so much earlier than it seems. */
const MOST_DELAY_MS = 600_000

const WAITS = 'it reports tokens, and waits up to 24 h for the agent span above it'
const TOOLS_WAIT = 'it is a tool call, and waits up to 24 h for the agent span above it'
const APART =
  'its trace holds calls of a model whose parents have not come, so it may be half a run: it is stored when they come ' +
  `within 24 h; ${MEND}`
const LATE = `it came after a run of its trace was stored, which is without it: ${MEND}`
const FULL = `more spans of its trace wait for others than are remembered: ${MEND}`

function cutOffText(group: Group, { releaseOf }: JudgeOptions): string {
  const release = releaseOf(group)
  const agent = typeof release === 'string' ? 'the agent of its release' : release.agent_id
  return (
    'its parent has not come, so it may be a part of another run, for which it waits up to 24 h: if it is a run of its ' +
    `own, set gen_ai.agent.name to ${agent}, or ${MEND}`
  )
}

/** How far the clocks of two services may be apart, ms; those of spans of one service are rounded. */
const MOST_SKEW_MS = 5000
const ROUNDED_MS = 1

/** Whether a group may be a part of a run: unless its parent is one of the run's, or it is of another time. */
function mayBeOf({ top, missing }: Group, run: Group, above: ReadonlySet<string>): boolean {
  if (above.has(missing!.spanId)) return false
  if (top.problem !== undefined) return true
  const slack = textOf(top, FACTS.service) === textOf(run.top, FACTS.service) ? ROUNDED_MS : MOST_SKEW_MS
  return startOf(top) <= run.top.endMs + slack && top.endMs >= startOf(run.top) - slack
}

function startOf({ endMs, latencyMs }: Span): number {
  return endMs - latencyMs
}
