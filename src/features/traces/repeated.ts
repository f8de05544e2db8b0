import { FACTS } from '../../spans/names.ts'
import { isServedAs } from '../../spans/provider.ts'
import type { Span } from '../../spans/span.ts'
import {
  type Part,
  SAME_TIME,
  cacheOf,
  isCall,
  modelsOf,
  overlapOf,
  ownPart,
  reportsTokens,
} from '../../spans/use.ts'
import { UsageError, sumCounts } from '../../usage/counts.ts'
import type { Group } from './tree.ts'

/** The process that a span is of, where its resource names its release: only there is a call that begins its trace a run. */
export function processOf({ resource }: Pick<Span, 'resource'>): string | undefined {
  const release = FACTS.release_id.map(name => resource[name]).find(id => typeof id === 'string')
  return release === undefined ? undefined : JSON.stringify([release, resource['service.name']])
}

/** Whether a group is one call of a model that begins its trace, as an SDK's own span next to those of a framework. */
export function isLoneCall({ top, kind, gathered: { parts, calls } }: Group): boolean {
  const isOne = parts.length === 1 ? isCall(top) || reportsTokens(top) : isFailedCall(top) && calls === 1
  return kind === 'run by resource' && isOne
}

function isFailedCall(span: Span): boolean {
  return span.hasFailed && isCall(span) && !reportsTokens(span)
}

interface Call {
  readonly span: Span
  readonly part: Part
  readonly process: string
  /** The group that it is alone. */
  readonly lone: Group | undefined
}

/** Most calls of the same counts and time that one is compared with, and most scopes of such. */
const MOST_COMPARED = 100
const MOST_SCOPES = 10

/**
 * The groups of one call that another trace of their process holds too, by another instrumentation. Of two that are alone
 * the one stays that knows more of the cache, or else the inner one, which is nearer to the provider. Each call of a scope takes
 * a call of its own, so one that was made again is counted.
 */
export function repeatedGroups(groups: readonly Group[], spans: readonly Span[]): ReadonlyMap<Group, Span> {
  const lone = new Map(groups.filter(isLoneCall).map(group => [group.top, group]))
  const repeated = new Map<Group, Span>()
  if (lone.size === 0) return repeated
  const processes = new Set(Array.from(lone.keys(), processOf))
  const each = new Map(
    [...lone.keys(), ...spans].toReversed().map(span => [span.traceId + span.spanId, span]),
  )
  const calls = [...each.values()].flatMap(span => callOf(span, processes, lone.get(span)))
  const keyed = calls.flatMap(call => keysOf(call).map(key => [key, call] as const))
  const taken = new Map<string | undefined, Set<Call>>()
  for (const some of Map.groupBy(keyed, ([key]) => key).values()) {
    const same = some.map(([, call]) => call).sort((a, b) => a.part.startMs - b.part.startMs)
    const scopes = [...Map.groupBy(same, ({ span }) => span.scope).values()].slice(0, MOST_SCOPES)
    for (const call of same) {
      if (call.lone === undefined || repeated.has(call.lone)) continue
      const { scope } = call.span
      if (!taken.has(scope)) taken.set(scope, new Set())
      const twin = twinOf(call, scopes, taken.get(scope)!)
      if (twin === undefined) continue
      taken.get(scope)!.add(twin)
      repeated.set(call.lone, twin.span)
    }
  }
  return repeated
}

/** The first call that counts for another one, and doesn't yet for another one of that scope. */
function twinOf(call: Call, scopes: readonly Call[][], taken: ReadonlySet<Call>): Call | undefined {
  for (const others of scopes) {
    if (others[0]!.span.scope === call.span.scope) continue
    let compared = 0
    for (const other of others) {
      if (other.part.endMs <= call.part.startMs || taken.has(other)) continue
      if (other.part.startMs >= call.part.endMs || ++compared > MOST_COMPARED) break
      if (countsFor(other, call) && isSameCall(other, call)) return other
    }
  }
  return undefined
}

function callOf(span: Span, processes: ReadonlySet<string | undefined>, lone: Group | undefined): Call[] {
  const process = processOf(span)
  if (process === undefined || !processes.has(process) || span.problem !== undefined) return []
  try {
    const part = isFailedCall(span)
      ? failedPart(span)
      : lone === undefined
        ? ownPart(span)
        : lone.gathered.parts[0]
    return part === undefined ? [] : [{ span, part, process, lone }]
  } catch (error) {
    if (error instanceof UsageError) return []
    throw error
  }
}

/** A call that failed and reports nothing: its model and its time tell which it is. */
function failedPart(span: Span): Part {
  return {
    models: modelsOf(span),
    provider: undefined,
    counts: sumCounts([]),
    responseId: undefined,
    startMs: span.endMs - span.latencyMs,
    endMs: span.endMs,
  }
}

/** Two instrumentations may not both tell what of the input a cache gave or took. */
function keysOf({ part: { counts, responseId }, process }: Call): string[] {
  const all = counts.input_tokens + counts.cached_input_tokens
  const ids = responseId === undefined ? [] : [JSON.stringify([process, responseId])]
  return [...ids, JSON.stringify([process, all, counts.output_tokens])]
}

/** Whether of two traces of one call the first one counts. */
function countsFor(a: Call, b: Call): boolean {
  if (a.lone === undefined) return true
  const more = cacheOf(a.part.counts) - cacheOf(b.part.counts)
  if (more !== 0) return more > 0
  if (a.part.startMs !== b.part.startMs) return a.part.startMs > b.part.startMs
  return `${a.span.scope}` < `${b.span.scope}`
}

/** One scope reports a call once: what it reports again was called again. */
function isSameCall(a: Call, b: Call): boolean {
  const [ours, theirs] = [a.span, b.span]
  if (ours.traceId === theirs.traceId || !ours.scope || !theirs.scope || ours.scope === theirs.scope)
    return false
  if (a.part.responseId !== undefined && b.part.responseId !== undefined)
    return a.part.responseId === b.part.responseId && overlapOf(a.part, b.part) > 0
  const isSameModel = a.part.models.some(one =>
    b.part.models.some(other => isServedAs(one, other) || isServedAs(other, one)),
  )
  return isSameModel && isSameTime(a.part, b.part)
}

/** How far two spans about one call end apart, ms. */
const AGREE_MS = 100

/** One that prepares the call begins long before it on a busy machine, and ends with it. */
function isSameTime(a: Part, b: Part): boolean {
  if (overlapOf(a, b) >= SAME_TIME) return true
  const shared = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)
  const shorter = Math.min(a.endMs - a.startMs, b.endMs - b.startMs)
  return shared > 0 && shared >= SAME_TIME * shorter && Math.abs(a.endMs - b.endMs) <= AGREE_MS
}

/** How long exporters keep a span until they send it, ms, and how much later than a call another trace's may end. */
export const MOST_BUFFERED_MS = 15_000
const MOST_LATER_MS = 45_000

/** How much later than a call the same one in another trace may end, ms. */
function endsLaterMs({ latencyMs }: Span): number {
  return Math.max(AGREE_MS, latencyMs * (1 / SAME_TIME - 1))
}

/** How long after a call another trace may repeat it, ms. */
export function repeatsWithinMs(call: Span): number {
  return MOST_BUFFERED_MS + Math.min(MOST_LATER_MS, endsLaterMs(call))
}

/**
 * Whether a group of one call may still turn out to be repeated: no span of its process has come that ended later than the
 * same call in another trace could, and exporters may still hold it. They send spans in the order in which they end.
 */
export function mayBeRepeated(spans: readonly Span[], now: number): (group: Group) => boolean {
  const latest = new Map<string | undefined, number>()
  for (const span of spans) {
    const process = processOf(span)
    latest.set(process, Math.max(span.endMs, latest.get(process) ?? 0))
  }
  return ({ top }) => {
    const isInTime = now - top.endMs <= repeatsWithinMs(top)
    return isInTime && latest.get(processOf(top))! <= top.endMs + endsLaterMs(top)
  }
}

/** What to say of calls that two traces hold; one text for two scopes. */
export function repeatedTexts(repeated: Iterable<readonly [Group, Span]>): Set<string> {
  return new Set(
    Array.from(
      repeated,
      ([{ top }, { scope }]) =>
        `spans of ${top.scope} in another trace repeat calls of ${scope}: each call is counted once; ` +
        'switch one instrumentation off',
    ),
  )
}
