import { seededRandom } from '../../base/numbers.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'

/** How runs of one demo release behave: means of what each event draws. */
export interface RunLevel {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly latencyMs: number
  readonly errorRate: number
}

/** The same, and how many there are. */
export interface RunProfile extends RunLevel {
  readonly runs: number
}

export interface RunNames {
  readonly agent_id: string
  readonly release_id: string
  readonly provider: string
  readonly model: string
}

const TENANTS = ['northwind', 'contoso', 'fabrikam', 'tailspin']
const TASKS = ['order-status', 'returns', 'billing', 'how-to']
const SPAN_MS = 6 * HOUR_MS

/**
 * JSONL of run events in the six hours before `now`: the same draws every time, so the demo always ends the same.
 */
export function demoEvents(profile: RunProfile, names: RunNames, now: number): string {
  const random = seededRandom(profile.runs * 31 + profile.inputTokens)
  const lines = Array.from({ length: profile.runs }, (_, index) => {
    const success = random() >= profile.errorRate
    const at = Math.floor(now - SPAN_MS + (SPAN_MS * (index + random())) / profile.runs) - 1
    return JSON.stringify(demoRun(profile, names, { at, index, success }, random))
  })
  return `${lines.join('\n')}\n`
}

/** One run event; `at` is its end, epoch ms, and `index` its number among the runs of its release. */
export function demoRun(
  level: RunLevel,
  names: RunNames,
  { at, index, success }: { readonly at: number; readonly index: number; readonly success: boolean },
  random: () => number,
) {
  const around = (mean: number): number => Math.round(mean * (0.6 + 0.8 * random()))
  const { agent_id, release_id, provider, model } = names
  return {
    timestamp: isoTime(at),
    agent_id,
    release_id,
    run_id: `${release_id}-${String(index).padStart(4, '0')}`,
    tenant_id: TENANTS[Math.floor(random() * TENANTS.length)],
    task_id: TASKS[Math.floor(random() * TASKS.length)],
    environment: 'prod',
    metrics: {
      success,
      latency_ms: around(level.latencyMs),
      ...(success ? {} : { error_type: random() < 0.5 ? 'timeout' : 'tool_error' }),
    },
    usage: {
      model: {
        provider,
        model,
        input_tokens: around(level.inputTokens),
        output_tokens: around(level.outputTokens),
        cached_input_tokens: around(level.inputTokens / 4),
      },
    },
    request: {
      session_id: `session-${release_id}-${Math.floor(index / 3)}`,
      trace_id: `trace-${release_id}-${index}`,
    },
  }
}
