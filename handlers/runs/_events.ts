import { undeclaredText } from '../../src/rules/scope.ts'
import { badRequest, unprocessable } from '../../src/base/errors.ts'
import { acceptEvent, explainEvent } from '../../src/models/all/parse_event.ts'
import { UnknownEventFields, surplusText } from '../../src/models/all/unknown_event_fields.ts'
import { problemsText } from '../../src/models/problems.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { findBadText } from '../../src/base/text.ts'
import type { Context } from '../../src/http/access/context.ts'
import type { JsonBody } from '../../src/http/endpoint/json_body.ts'

/** Most events of one request. */
const MOST_EVENTS = 50_000

/** Events as they are stored, and what of the given ones is not. */
export interface ReadEvents {
  readonly events: readonly StoredEvent[]
  /** A sentence for each field that no event has, with how many had it. */
  readonly warnings: readonly string[]
}

/**
 * The events of a POST /v1/events body, with defaults applied. Throws 422 for another shape, 400 for the first
 * event that is not valid: its api_version is looked at before its fields (specification, POST /v1/events). Unknown
 * fields are refused too where the workspace is strict, and environments that it doesn't declare where it declares some.
 */
export async function readEvents(
  { value, suspect }: JsonBody,
  { nextTurn, workspace }: Pick<Context, 'nextTurn' | 'workspace'>,
): Promise<ReadEvents> {
  const given = eventsOf(value)
  const events: StoredEvent[] = []
  const unknown = new UnknownEventFields()
  for (const [index, event] of given.entries()) {
    // One may have ten thousand labels.
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
    const undeclared = undeclaredText(workspace, parsed.event.environment)
    if (undeclared !== undefined) {
      throw badRequest(`Invalid RunEvent: events[${index}] (run_id ${runName(parsed.event)}) ${undeclared}`)
    }
    const surplus = unknown.add(event, parsed.event.run_id)
    if (surplus !== undefined && workspace.strict) {
      throw badRequest(
        `Invalid RunEvent: events[${index}] (run_id ${runName(parsed.event)}) ${surplusText(surplus)}`,
      )
    }
    events.push(parsed.event)
  }
  return { events, warnings: unknown.warnings() }
}

/** The id of its run, quoted and not too long for a message. */
export function runName({ run_id }: StoredEvent): string {
  return JSON.stringify(run_id.slice(0, 80))
}

/** How many events a body holds, sound or not. */
export function eventsIn({ value }: JsonBody): number {
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
