import { hasUnknownField } from '../shapes/is_event.ts'
import type { Fields } from '../fields.ts'
import { shape } from '../shapes/run_event.ts'
import { type Known, knownOf, unknownFieldText, unknownFields } from '../unknown_fields.ts'

const KNOWN = knownOf(shape) as Known

/** Most fields that are counted one by one; of the rest, the events that have one. */
const MOST_COUNTED = 20

const WHAT = 'not a field of a run event'

/** Whether a warning is one of those that are made here. */
export function isAboutField(warning: string): boolean {
  return warning.includes(` is ${WHAT}: `)
}

/** What to say of one event's field. Looks for what was meant, so not for every event. */
export function surplusText(path: string): string {
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
