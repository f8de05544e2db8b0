import { isoTime } from '../../base/time.ts'
import { FACTS } from '../../spans/names.ts'
import { type Span, textOf } from '../../spans/span.ts'
import type { StoredRun } from './kept.ts'
import { type KnownRelease, isNamedAgent } from './releases.ts'
import { type RuleOptions, type RunDraft, draftOf } from './runs.ts'
import type { Group } from './tree.ts'

/** What becomes of a group of spans. */
export type Verdict =
  | { readonly what: 'run'; readonly draft: RunDraft }
  /** Its run is stored already: it was sent again. */
  | { readonly what: 'known' }
  /** No run needs it. */
  | { readonly what: 'nothing' }
  /** What comes later decides. Nothing is wrong yet. */
  | { readonly what: 'waits'; readonly reason: string }
  /** No run is made of it now; what comes later may make it whole. */
  | { readonly what: 'held'; readonly reason: string; readonly isLate: boolean }
  /** No run is made of it ever. `isLoose`: no run can need its spans. */
  | { readonly what: 'refused'; readonly reason: string; readonly isLoose: boolean; readonly isLate: boolean }

/** What is known of the trace of a group in addition to its own spans. */
export interface TraceFacts {
  /** Groups whose calls may be a part of any run of the trace: the parent above them has not come. */
  readonly open: readonly Group[]
  /** Its stored runs; undefined until they were looked up. */
  readonly stored: readonly StoredRun[] | undefined
  /** Whether as many spans of it wait as are remembered. */
  readonly isFull: boolean
}

export interface JudgeOptions extends RuleOptions {
  /** The release that a run names, or why it isn't known. */
  readonly releaseOf: (group: Group) => KnownRelease | string
  /** When a span came, epoch ms of the database's clock. */
  readonly arrivedAt: (span: Span) => number
  /** Spans that came before this may be forgotten; epoch ms, 0 where none is. */
  readonly forgottenBefore: number
  /** Why runs of an environment are refused, if they are. */
  readonly refuses?: ((environment: string) => string | undefined) | undefined
}

const TOKENS_WITHOUT_AGENT = 'it reports tokens, but no agent span is above it'
const MEND =
  'send whole traces (groupbytrace of the Collector, or RunSpanProcessor of release-governance/otel for JavaScript)'

/**
 * Whether the calls of a group may turn out to be a part of another one: the parent above them has not come. A run is
 * taken for a whole one all the same where its parent is in another process, or where it bears its agent's name.
 */
export function isOpen(group: Group, options: JudgeOptions): boolean {
  if (group.missing === undefined || group.gathered.calls === 0) return false
  return group.kind === 'stray' || isCutOff(group, options)
}

function isCutOff(group: Group, { releaseOf }: JudgeOptions): boolean {
  if (group.kind !== 'run' || group.missing === undefined || group.missing.isRemote) return false
  const release = releaseOf(group)
  return typeof release === 'string' || !isNamedAgent(group.top, release)
}

export function judge(group: Group, trace: TraceFacts, options: JudgeOptions): Verdict {
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
  const refused = (reason: string): Verdict => ({ what: 'refused', reason, isLoose: false, isLate: false })
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
  const draft = draftOf(group, options.releaseOf(group), options)
  if (typeof draft === 'string') return refused(draft)
  const problem = options.refuses?.(draft.environment)
  return problem === undefined ? { what: 'run', draft } : refused(problem)
}

/** How far clocks may be ahead, and how long spans on their way, ms: a run may have begun by so much earlier than it seems. */
const MOST_DELAY_MS = 600_000

const WAITS = 'it reports tokens, and waits up to 24 h for the agent span above it'
const TOOLS_WAIT = 'it is a call of a tool, and waits up to 24 h for the agent span above it'
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
