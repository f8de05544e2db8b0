import { badRequest, unprocessable } from '../../base/errors.ts'
import { hasUnknownField, isEvent } from '../shapes/is_event.ts'
import { normaliseEvent } from '../documents/normalise.ts'
import type { RunEvent } from '../documents/run_event.ts'
import type { StoredEvent } from '../documents/stored_event.ts'
import { findBadText, fitsBytes } from '../../base/text.ts'
import { check } from './check.ts'
import { type Fields, type Problem, pathText, problemsText } from '../checks.ts'
import { fits } from '../shape.ts'
import { RunEvent as shape } from '../shapes/run_event.ts'
import { type KnownFields, knownOf, meantField, unknownFieldText, unknownFields } from '../unknown_fields.ts'

/** Longest JSON text of a stored event in bytes of UTF-8: some hundred times a usual one. */
const MAX_EVENT_BYTES = 256_000

/** An event with its defaults, where this plainly is one; for anything else undefined: ask {@link explainEvent}. */
export function acceptEvent(value: object): StoredEvent | undefined {
  if (wideField(value) !== undefined) return undefined
  if (!isEvent(value)) return undefined
  const event = normaliseEvent(value)
  return tooLong(event) ? undefined : event
}

type ParsedEvent =
  | { readonly event: StoredEvent }
  /** The api_version as a message shows it: text in single quotes, other values as JSON. */
  | { readonly unsupported: string }
  | { readonly problem: string }

/** The same for an event that needs its fields read, or why it is not valid. */
export function explainEvent(value: object): ParsedEvent {
  const version = (value as { api_version?: unknown }).api_version
  if (version !== undefined && version !== 'v1') {
    return { unsupported: shown(version) }
  }
  const wide = wideField(value)
  if (wide !== undefined) return { problem: `${nameOf(value)}${wide} has more than ${MOST_MEMBERS} members` }
  if (fits(shape, value)) {
    const event = normaliseEvent(value as RunEvent)
    return tooLong(event) ? { problem: `${nameOf(value)}is longer than ${MAX_EVENT_BYTES} bytes` } : { event }
  }
  const checked = check(shape, startOf(value))
  return {
    problem:
      nameOf(value) +
      (checked.ok
        ? 'is not valid'
        : problemsText(checked.problems, '', problem => misnamed(asWhole(inTime(problem), value), value))),
  }
}

/** Times are numbers elsewhere, in seconds or milliseconds: says what they are here. */
function inTime(problem: Problem): Problem {
  const isNumber = problem.path[0] === 'timestamp' && problem.type === 'type'
  return isNumber
    ? { ...problem, message: `${problem.message}: ISO-8601, such as 2026-01-31T12:00:00Z` }
    : problem
}

/** A latency in seconds, or one that was not rounded: says which whole numbers were meant. */
function asWhole(problem: Problem, value: object): Problem {
  if (!problem.message.startsWith('must be an integer') || !`${problem.path.at(-1)}`.endsWith('_ms'))
    return problem
  const given = problem.path.reduce<unknown>((whole, key) => (whole as Fields)[key], value) as number
  const [rounded, thousands] = [Math.round(given), Math.round(given * 1000)]
  return { ...problem, message: `${problem.message}: ${rounded}, or ${thousands} if these are seconds` }
}

/** Fields of an object that are looked at for the one that was meant. */
const MOST_READ = 20

/** Names the field that is there where a missing one was meant, such as prompt_tokens. */
function misnamed(problem: Problem, value: object): Problem {
  if (problem.type !== 'missing') return problem
  const within = problem.path.slice(0, -1)
  const object = within.reduce<unknown>((whole, key) => (whole as Fields)[key], value)
  const named = (key: string): string => pathText([...within, key]).replaceAll(/\[\d+\]/g, '[]')
  const missing = named(String(problem.path.at(-1)))
  const typed = Object.keys(object as Fields)
    .slice(0, MOST_READ)
    .find(key => meantField(named(key), KNOWN) === missing)
  return typed === undefined
    ? problem
    : { ...problem, message: `${problem.message}: ${typed} is not its name` }
}

/** Most labels, and most tools: each takes a few bytes at least, and an event is bounded. */
const MOST_MEMBERS = 10_000

function wideField(value: object): string | undefined {
  const { labels, scores, usage } = value as Growing
  if (isWide(labels)) return 'labels'
  if (isWide(scores)) return 'scores'
  if (isWide(usage?.tools)) return 'usage.tools'
  return isWide(usage?.models) ? 'usage.models' : undefined
}

function isWide(list: unknown): boolean {
  if (typeof list !== 'object' || list === null) return false
  return (Array.isArray(list) ? list.length : Object.keys(list).length) > MOST_MEMBERS
}

interface Growing {
  readonly labels?: unknown
  readonly scores?: unknown
  readonly usage?: { readonly tools?: unknown; readonly models?: unknown } | null
}

/** How much of what can grow is looked at to say what is wrong: the model lists every fault, which takes its time. */
const EXPLAINED = 101

function startOf(value: object): object {
  const { labels, scores, usage } = value as Growing
  const isLong = (list: unknown): list is object => typeof list === 'object' && list !== null
  return {
    ...value,
    ...(isLong(labels) ? { labels: cut(labels) } : {}),
    ...(isLong(scores) ? { scores: cut(scores) } : {}),
    ...(isLong(usage)
      ? {
          usage: {
            ...usage,
            ...(isLong(usage.tools) ? { tools: cut(usage.tools) } : {}),
            ...(isLong(usage.models) ? { models: cut(usage.models) } : {}),
          },
        }
      : {}),
  }
}

function cut(list: object): unknown {
  return Array.isArray(list)
    ? (list as unknown[]).slice(0, EXPLAINED)
    : Object.fromEntries(Object.entries(list).slice(0, EXPLAINED))
}

function shown(version: unknown): string {
  if (typeof version === 'string') return `'${version}'`
  return findBadText(version) === undefined ? JSON.stringify(version) : typeof version
}

/**
 * A character takes up to 6 bytes when it is escaped; the names that the model bounds take 45 kB at most. So below
 * this many characters in the parts that can grow there is nothing to measure.
 */
const SMALL_CHARS = 30_000
const TOOL_CHARS = 100

/** Only labels, tools, models and error_type can grow; the rest is bounded by the model. */
function tooLong(event: StoredEvent): boolean {
  const { labels, usage, metrics } = event
  let chars = metrics.error_type?.length ?? 0
  for (const { tool_name } of usage.tools) chars += tool_name.length + TOOL_CHARS
  for (const { provider, model } of usage.models ?? []) chars += provider.length + model.length + TOOL_CHARS
  for (const key of Object.keys(labels)) chars += key.length + labels[key]!.length + 6
  return chars >= SMALL_CHARS && !fitsBytes(JSON.stringify(event), MAX_EVENT_BYTES)
}

function nameOf(value: object): string {
  const id = (value as { run_id?: unknown }).run_id
  return typeof id === 'string' && id !== '' ? `(run_id ${JSON.stringify(id.slice(0, 80))}) ` : ''
}

const KNOWN = knownOf(shape) as KnownFields

/** Most fields that are counted one by one; of the rest, the events that have one. */
const MOST_COUNTED = 20

const WHAT = 'not a field of a run event'

/** Whether a warning is one of those that are made here. */
export function isAboutField(warning: string): boolean {
  return warning.includes(` is ${WHAT}: `)
}

/** What to say of one event's field. Looks for what was meant, so not for every event. */
function surplusText(path: string): string {
  return unknownFieldText(path, KNOWN, WHAT)
}

/** Counts unknown fields of run events: they are dropped, and a slip such as `sucess` would never be seen. */
export class UnknownEventFields {
  readonly #counts = new Map<string, { events: number; readonly runId: string }>()
  #others = 0

  /** Counts the fields of an event; returns the path of the first, or undefined where there is none. */
  add(event: object, runId: string): string | undefined {
    if (!hasUnknownField(event as Fields)) return undefined
    const paths = unknownFields(event as Fields, KNOWN)
    for (const path of paths) {
      const counted = this.#counts.get(path)
      if (counted !== undefined) counted.events += 1
      else if (this.#counts.size < MOST_COUNTED) this.#counts.set(path, { events: 1, runId })
      else this.#others += 1
    }
    return paths[0]
  }

  warnings(): string[] {
    const warnings = [...this.#counts].map(([path, { events, runId }]) => {
      const first = `first: run_id ${JSON.stringify(runId.slice(0, 80))}`
      const dropped = `dropped from ${events} ${events === 1 ? 'event' : 'events'} (${first})`
      return unknownFieldText(path, KNOWN, `${WHAT}: ${dropped}`)
    })
    return this.#others === 0
      ? warnings
      : [...warnings, `${this.#others} further unknown fields were dropped`]
  }
}

const MOST_EVENTS = 50_000

interface ReadOptions {
  /** Refuses fields that no event has, rather than warning of them. */
  readonly strict: boolean
  /** Says why an environment takes no events, if it does not. */
  readonly refuses: (environment: string) => string | undefined
  /** Lets other requests in between two events. */
  readonly nextTurn: () => Promise<void> | void
}

export interface ReadEvents {
  readonly events: readonly StoredEvent[]
  /** A sentence for each unknown field, with how many events had it. */
  readonly warnings: readonly string[]
  readonly dropped: readonly DroppedRuns[]
}

/**
 * What a POST /v1/events body holds: its events with their defaults, a warning for each unknown field. `suspect` says whether
 * the body may hold text that no database keeps. Throws 400 for dropped runs that are no counts, 422 for a body of another
 * shape, 400 for the first event that is not valid; its api_version is checked before its fields (specification, POST
 * /v1/events).
 */
export async function readEvents(
  { value, suspect }: { readonly value: unknown; readonly suspect: boolean },
  { strict, refuses, nextTurn }: ReadOptions,
): Promise<ReadEvents> {
  const { dropped, warnings } = droppedIn(value)
  const given = eventsOf(value)
  const events: StoredEvent[] = []
  const unknown = new UnknownEventFields()
  let isZoneless = false
  for (const [index, event] of given.entries()) {
    // An event may have ten thousand labels.
    await nextTurn()
    const accepted = acceptEvent(event)
    const parsed = accepted === undefined ? explainEvent(event) : { event: accepted }
    if ('unsupported' in parsed) {
      throw badRequest(
        `Unsupported api_version for POST /v1/events: ${parsed.unsupported} (only 'v1' is accepted).`,
      )
    }
    if ('problem' in parsed) throw badRequest(`Invalid RunEvent: events[${index}] ${parsed.problem}`)
    const bad = suspect ? findBadText(event) : undefined
    if (bad !== undefined) {
      const problem = problemsText([{ ...bad, type: 'text' }])
      throw badRequest(`Invalid RunEvent: events[${index}] (run_id ${runName(parsed.event)}) ${problem}`)
    }
    const undeclared = refuses(parsed.event.environment)
    if (undeclared !== undefined) {
      throw badRequest(`Invalid RunEvent: events[${index}] (run_id ${runName(parsed.event)}) ${undeclared}`)
    }
    const surplus = unknown.add(event, parsed.event.run_id)
    if (surplus !== undefined && strict) {
      throw badRequest(
        `Invalid RunEvent: events[${index}] (run_id ${runName(parsed.event)}) ${surplusText(surplus)}`,
      )
    }
    isZoneless ||= !ZONE.test((event as { timestamp: string }).timestamp)
    events.push(parsed.event)
  }
  return {
    events,
    warnings: [...warnings, ...unknown.warnings(), ...(isZoneless ? [ZONELESS] : [])],
    dropped,
  }
}

/** The end of a timestamp that says its time zone. */
const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i
const ZONELESS =
  'timestamps without a time zone are read as UTC; end them with Z, or with an offset such as +02:00'

/** The run_id as a message shows it: quoted, and at most 80 characters long. */
function runName({ run_id }: StoredEvent): string {
  return JSON.stringify(run_id.slice(0, 80))
}

/** How many events a body holds, valid or not. */
export function countIn(value: unknown): number {
  const events = (value as { events?: unknown } | null | undefined)?.events
  return Array.isArray(events) ? events.length : 0
}

/** Runs that a recorder had to leave out, by place. */
interface DroppedRuns {
  readonly release_id: string
  readonly environment: string
  readonly runs: number
}

/** Most places that one request may say it dropped runs of, most runs of each, and longest name, characters. */
const [MOST_DROPPED, MOST_RUNS, LONGEST_NAME] = [100, 1e9, 512]

/**
 * What a body of any shape says was dropped. A name that no release or environment can have is left out with a warning: the
 * events of the request must not be lost for it. Throws 400 for anything else.
 */
function droppedIn(body: unknown): Pick<ReadEvents, 'dropped' | 'warnings'> {
  const { dropped = [] } = (body ?? {}) as { dropped?: unknown }
  if (!Array.isArray(dropped) || dropped.length > MOST_DROPPED) {
    throw badRequest(`Invalid dropped: it must be an array of at most ${MOST_DROPPED} entries.`)
  }
  const entries = dropped.map((entry: Partial<DroppedRuns> | null, index) => {
    const { release_id, environment, runs } = entry ?? {}
    const isCount = Number.isSafeInteger(runs) && runs! >= 1 && runs! <= MOST_RUNS
    if (isCount && typeof release_id === 'string' && typeof environment === 'string')
      return { release_id, environment, runs: runs! }
    throw badRequest(
      `Invalid dropped[${index}]: it must have release_id, environment and runs, a whole number of 1 or more.`,
    )
  })
  const isNamed = ({ release_id, environment }: DroppedRuns): boolean =>
    [release_id, environment].every(
      name => name !== '' && name.length <= LONGEST_NAME && findBadText(name) === undefined,
    )
  const odd = entries.filter(entry => !isNamed(entry)).reduce((sum, { runs }) => sum + runs, 0)
  return {
    dropped: entries.filter(isNamed),
    warnings:
      odd === 0
        ? []
        : [`${odd} dropped runs are not counted: no release or environment can have their names`],
  }
}

function eventsOf(body: unknown): object[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw shapeProblem([], 'must be a JSON object with an events array', 'dict_type')
  }
  const events = (body as { events?: unknown }).events
  if (events === undefined) throw shapeProblem(['events'], 'is required', 'missing')
  if (!Array.isArray(events)) throw shapeProblem(['events'], 'must be an array', 'list_type')
  if (events.length === 0) throw shapeProblem(['events'], 'must have at least one event', 'too_short')
  if (events.length > MOST_EVENTS) {
    throw shapeProblem(['events'], `must have at most ${MOST_EVENTS} events`, 'too_long')
  }
  const odd = events.findIndex(event => typeof event !== 'object' || event === null || Array.isArray(event))
  if (odd >= 0) throw shapeProblem(['events', odd], 'must be a JSON object', 'dict_type')
  return events as object[]
}

function shapeProblem(path: (string | number)[], msg: string, type: string) {
  return unprocessable([{ loc: ['body', ...path], msg, type }])
}
