import type { PolicyAdvice } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { aligned } from '../../cli/terminal/table.ts'
import { count, percent, points, pretty, safe } from '../../cli/terminal/text.ts'
import { TEMPLATES, type TemplateName } from './templates.ts'

/** Which limits on a change the traffic of an agent could prove, and in how many days. */
export async function advise({ options, io, api }: Invocation): Promise<number> {
  const advice = await callJson(await api(), 'GET /v1/policy/advice', {
    query: {
      agent_id: options.required('agent'),
      environment: options.text('env'),
      window: options.text('window'),
    },
  })
  io.out(options.json ? pretty(advice) : adviceText(advice, io))
  return 0
}

function adviceText(
  {
    agent_id,
    environment,
    release_id,
    runs_per_day,
    limits_at_once: atOnce = 1,
    metrics,
    ...advice
  }: PolicyAdvice,
  io: Io,
): string {
  const rows = metrics.flatMap(({ policy_key, limits }) =>
    limits.map(({ limit, runs_per_side, days }) => [
      policy_key,
      policy_key.endsWith('_pct') ? `${limit} (+${percent(limit)})` : `${limit} (+${points(limit)})`,
      runs_per_side === null ? 'no number' : count(runs_per_side),
      days === null ? '-' : days < 0.1 ? 'under 0.1' : days.toFixed(1),
    ]),
  )
  const all = atOnce > 1 ? ` all ${atOnce} limits of the policy` : ''
  return [
    `${safe(agent_id)} in ${safe(environment)}: ${count(Math.round(runs_per_day))} runs a day of ${safe(release_id)}, `,
    `${advice.since} to ${advice.until}\n\n`,
    aligned(
      [['policy key', 'limit', 'runs per side', 'days'], ...rows],
      [{}, {}, { right: true }, { right: true }],
      io.outColumns,
    ),
    `\nWith so many runs an unchanged release passes${all} in 80 of 100 cases. Days are those of both sides sharing the ` +
      'traffic.\n',
  ].join('')
}

/** Prints a policy as YAML. */
export function template({ options, io }: Invocation): Promise<number> {
  const name = options.required('traffic') as TemplateName
  const { traffic, runs, limits } = TEMPLATES[name]
  const lines = [
    `# For ${traffic}: at least ${count(runs)} of each release in the window that you name.`,
    '# An unchanged release then passes all limits in 80 of 100 cases or more (docs/decisions-quality.md).',
    '# With fewer runs a gate says that the evidence is too little. What your own traffic can prove:',
    '#   svc policy advise --agent AGENT_ID --env ENV',
    '# A rollback is asked none of these limits (on_rollback names those that it is), but HIGH confidence as well: until the live',
    `# release has ${runs < 500 ? count(runs) : 'min_baseline_runs (500)'} runs, nothing rolls it back. allow_forced_rollback: true in service.yaml permits it.`,
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
