import { badRequest, unprocessable } from '../../base/errors.ts'
import { findBadText } from '../../base/text.ts'
import type { StoredEvent } from '../documents/stored_event.ts'
import { problemsText } from '../checks.ts'
import { UnknownEventFields, acceptEvent, explainEvent, surplusText } from './parse_event.ts'

/** Most events of one request. */
const MOST_EVENTS = 50_000

export interface ReadOptions {
  /** Refuses fields that no event has, rather than warning of them. */
  readonly strict: boolean
  /** Says why an environment takes no events, if it does not. */
  readonly refuses: (environment: string) => string | undefined
  /** Lets other requests in between two events. */
  readonly nextTurn: () => Promise<void> | void
}

/** Events as they are stored. */
export interface ReadEvents {
  readonly events: readonly StoredEvent[]
  /** A sentence for each unknown field, with how many events had it. */
  readonly warnings: readonly string[]
}

/**
 * The events of a POST /v1/events body with their defaults, and a warning for each unknown field. `suspect` says whether the
 * body may hold text that no database keeps. Throws 422 for a body of another shape, 400 for the first event that is not
 * valid; its api_version is checked before its fields (specification, POST /v1/events).
 */
export async function readEvents(
  { value, suspect }: { readonly value: unknown; readonly suspect: boolean },
  { strict, refuses, nextTurn }: ReadOptions,
): Promise<ReadEvents> {
  const given = eventsOf(value)
  const events: StoredEvent[] = []
  const unknown = new UnknownEventFields()
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
    events.push(parsed.event)
  }
  return { events, warnings: unknown.warnings() }
}

/** The run_id as a message shows it: quoted, and at most 80 characters long. */
function runName({ run_id }: StoredEvent): string {
  return JSON.stringify(run_id.slice(0, 80))
}

/** How many events a body holds, valid or not. */
export function countIn(value: unknown): number {
  const events = (value as { events?: unknown } | null | undefined)?.events
  return Array.isArray(events) ? events.length : 0
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
