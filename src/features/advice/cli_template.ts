import type { Invocation } from '../../cli/arguments/command.ts'
import { count } from '../../cli/terminal/text.ts'
import { TEMPLATES, type TemplateName } from './templates.ts'

/** Prints a policy as YAML. */
export function template({ options, io }: Invocation): Promise<number> {
  const name = options.required('traffic') as TemplateName
  const { traffic, runs, limits } = TEMPLATES[name]
  const lines = [
    `# For ${traffic}: at least ${count(runs)} of each release in the window that you name.`,
    '# An unchanged release then passes all limits in 80 of 100 cases or more (docs/decisions-quality.md).',
    '# With fewer runs a gate says that the evidence is too little. What your own traffic can prove:',
    '#   svc policy advise --agent AGENT_ID --env ENV',
    `policy_id: ${name}-traffic`,
    `max_cost_increase_pct: ${limits.max_cost_increase_pct} # 0.1 is +10 %`,
    `max_latency_increase_pct: ${limits.max_latency_increase_pct}`,
    `max_error_rate_increase: ${limits.max_error_rate_increase} # 0.01 is 1 more run of 100`,
    // Below the sizes that service.yaml has by default, confidence would never be HIGH.
    ...(runs < 500 ? [`min_candidate_runs: ${runs}`, `min_baseline_runs: ${runs}`] : []),
  ]
  io.out(`${lines.join('\n')}\n`)
  return Promise.resolve(0)
}
