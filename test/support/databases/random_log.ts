import { eventOf } from '../services/builders.ts'
import { NOON } from '../services/service.ts'

export interface LoggedEvent {
  readonly json: Record<string, unknown>
  readonly release_id: string
  readonly run_id: string
  readonly environment: string
  readonly at: number
  readonly tenant_id: string
  readonly task_id: string
  readonly model: string
  readonly ended: boolean
  readonly success: boolean
  readonly latency: number | null
  readonly tokens: readonly [input: number, output: number, cached: number]
  /** Of the input tokens. */
  readonly written: number
  /** Another model that the run called, and its tokens. */
  readonly other:
    | { readonly model: string; readonly tokens: LoggedEvent['tokens']; readonly written: number }
    | undefined
}

/**
 * A random event log in order of arrival: several releases and environments, times clustered around minute and
 * hour boundaries and spread over days, late events, run_starts, repeated run_ids with other contents.
 */
export function randomLog(random: () => number, releases: readonly string[], count: number): LoggedEvent[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const whole = (below: number): number => Math.floor(random() * below)
  const time = (): number => {
    const back = pick([60_000, 3_600_000, 86_400_000, 3 * 86_400_000])
    const at = NOON - whole(back)
    const boundary = pick([1000, 60_000, 3_600_000])
    // Many events fall exactly on, just before, or just behind a boundary.
    return random() < 0.4 ? Math.floor(at / boundary) * boundary + pick([-1, 0, 1]) : at
  }
  return Array.from({ length: count }, (_, index) => {
    const tokens = [whole(100_000), whole(10_000), whole(5000)] as const
    const more = [whole(50_000), whole(5000), whole(2000)] as const
    const event = {
      release_id: pick(releases),
      run_id: random() < 0.1 ? `run-${whole(index + 1)}` : `run-${index}`,
      environment: pick(['local', 'local', 'prod']),
      at: time(),
      tenant_id: pick(['t1', 't2', 't3']),
      task_id: pick(['k1', 'k2']),
      model: pick(['m1', 'm2']),
      ended: random() < 0.9,
      success: random() < 0.8,
      latency: random() < 0.8 ? whole(5000) : null,
      tokens,
      written: random() < 0.3 ? whole(tokens[0] + 1) : 0,
      other:
        random() < 0.2
          ? { model: pick(['m1', 'm2']), tokens: more, written: random() < 0.5 ? whole(more[0] + 1) : 0 }
          : undefined,
    }
    const json = eventOf({
      ...event,
      input: event.tokens[0],
      output: event.tokens[1],
      cached: event.tokens[2],
      written: event.written,
      ...(event.other === undefined
        ? {}
        : {
            others: [{ model: event.other.model, tokens: event.other.tokens, written: event.other.written }],
          }),
      type: event.ended ? 'run_end' : 'run_start',
    })
    return { ...event, json }
  })
}
