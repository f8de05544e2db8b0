/** A kind of traffic, and limits that an unchanged release passes at it. */
export interface Template {
  /** In words. */
  readonly traffic: string
  /** Runs of each side in the window. */
  readonly runs: number
  /** Standard deviation of single runs by their mean, of cost and of latency. */
  readonly variation: number
  readonly limits: {
    readonly max_cost_increase_pct: number
    readonly max_latency_increase_pct: number
    readonly max_error_rate_increase: number
  }
}

/** Error rate of the traffic that the templates are simulated with. */
export const TEMPLATE_ERROR_RATE = 0.02

/** By the name that `--traffic` takes. `npm run calibrate -- --only templates` says how often an unchanged release passes. */
export const TEMPLATES = {
  low: {
    traffic: 'few runs',
    runs: 300,
    variation: 1,
    limits: {
      max_cost_increase_pct: 0.4,
      max_latency_increase_pct: 0.4,
      max_error_rate_increase: 0.05,
    },
  },
  mid: {
    traffic: 'some thousand runs',
    runs: 3_000,
    variation: 1,
    limits: {
      max_cost_increase_pct: 0.1,
      max_latency_increase_pct: 0.1,
      max_error_rate_increase: 0.015,
    },
  },
  high: {
    traffic: 'many runs',
    runs: 30_000,
    variation: 1,
    limits: {
      max_cost_increase_pct: 0.05,
      max_latency_increase_pct: 0.05,
      max_error_rate_increase: 0.01,
    },
  },
  skewed: {
    traffic: 'some thousand runs, of which few cost most',
    runs: 3_000,
    variation: 3,
    limits: {
      max_cost_increase_pct: 0.4,
      max_latency_increase_pct: 0.4,
      max_error_rate_increase: 0.015,
    },
  },
} as const satisfies Record<string, Template>

export type TemplateName = keyof typeof TEMPLATES
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]
