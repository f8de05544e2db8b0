import { call } from '../../cli/service/run.ts'
import type { PolicyAdvice } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { fetchRelease } from '../../cli/release/release.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { callJson } from '../../cli/service/api.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { aligned } from '../../cli/terminal/table.ts'
import { count, percent, points, safe } from '../../cli/terminal/text.ts'
import { badRequest } from '../../base/errors.ts'
import { liveOf, templateText } from './template_text.ts'
import type { TemplateName } from './templates.ts'

/** Which limits on a change the traffic of an agent can prove, and in how many days. */
export const advise = call('GET /v1/policy/advice', {
  as: { agent: 'agent_id', env: 'environment' },
  text: (advice, { io }) => adviceText(advice, io),
})

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
      [['policy key', 'limit', 'runs per release', 'days'], ...rows],
      [{}, {}, { right: true }, { right: true }],
      io.outColumns,
    ),
    `\nWith so many runs an unchanged release passes${all} in 80 of 100 cases. Days: both releases share the traffic.\n`,
  ].join('')
}

/** Prints a policy as YAML, with limits from the runs of a release where one is named. */
export async function template({ options, io, api }: Invocation): Promise<number> {
  const name = options.required('for') as TemplateName
  const [from, agent, environment] = [options.text('from'), options.text('agent'), options.text('env')]
  if (from === undefined && agent === undefined) {
    if (name === 'low-traffic' || environment !== undefined) {
      throw badRequest('Give --agent or --from: these limits are derived from the runs of a release.')
    }
    io.out(templateText(name))
    return 0
  }
  const opened = await api()
  const release_id = from === undefined ? undefined : await releaseId(from, opened, io, environment)
  const agent_id = agent ?? (await fetchRelease(opened, release_id!)).agent_id
  const query = { agent_id, release_id, environment }
  const advice = await callJson(opened, 'GET /v1/policy/advice', { query })
  const live = liveOf(advice)
  if (live.errors.runs === 0) {
    throw badRequest(
      `${advice.release_id} has no runs in ${advice.environment} in the last 14 days to derive limits from.`,
    )
  }
  io.out(templateText(name, live))
  return 0
}
