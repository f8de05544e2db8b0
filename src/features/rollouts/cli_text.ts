import type { Rollout, RolloutCheck, StartedRollout } from './models.ts'
import { hoursText, minuteText, shareText } from '../../base/text.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { aligned } from '../../cli/terminal/table.ts'
import { count, percent, points, safe, signed } from '../../cli/terminal/text.ts'
import { isOpen, rolloutSentence } from './rules_sentence.ts'

/** A rollout that has begun, or would: its steps and how long each takes. */
export function startedText(started: StartedRollout): string {
  const { rollout_id, agent_id, environment, candidate_release_id, baseline_release_id, by } = started
  const { steps, expected_hours, runs_per_hour, max_duration, hold } = started
  const name = rollout_id ?? 'dry run'
  const lines = steps.map(step => [
    `  ${shareText(step.share)}`,
    `at least ${step.for}`,
    hoursText(step.expected_hours),
  ])
  return [
    `${name}  ${safe(agent_id)} in ${safe(environment)}: ${candidate_release_id} next to ${baseline_release_id}, by ${by}\n`,
    aligned(lines),
    `completes after ${hoursText(expected_hours)} at ${runs_per_hour} runs an hour, and expires after ${max_duration}\n`,
    hold === null ? '' : `then ${shareText(hold.share)} stay on ${baseline_release_id} for ${hold.for}\n`,
  ].join('')
}

/** What became of a rollout that somebody changed. To abort a completed one ends what it holds back. */
export function changedText({ rollout_id, state, by, candidate_release_id }: Rollout): string {
  const end = state === 'completed' ? `: the hold has ended, all ${by}s get ${candidate_release_id}` : ''
  return `${rollout_id} ${state}${end}\n`
}

const METRICS = [
  ['cost per run', 'cost_per_run_usd'],
  ['latency, mean', 'latency_ms'],
  ['error rate', 'error_rate'],
] as const

/** A rollout as it is at `now`, epoch ms, for a terminal. */
export function rolloutText(rollout: Rollout, io: Io, now: number): string {
  const paint = painter(io)
  const { rollout_id, agent_id, environment, state, last_check, by } = rollout
  const colour = COLOURS[state]
  return [
    `${rollout_id}  ${paint(colour, state.toUpperCase())}  ${safe(agent_id)} in ${safe(environment)}, by ${by}\n`,
    `${rollout.candidate_release_id} beside ${rollout.baseline_release_id}\n`,
    `${safe(rolloutSentence(rollout, id => id, now))}\n`,
    aligned(rollout.steps.map((step, index) => stepCells(rollout, index, step))),
    ...holdText(rollout, now),
    ...(last_check === null ? ['not checked yet\n'] : checkText(last_check, io, now)),
  ].join('')
}

const COLOURS = {
  running: 'green',
  completed: 'green',
  paused: 'yellow',
  superseded: 'yellow',
  expired: 'yellow',
  aborted: 'red',
} as const

function stepCells(rollout: Rollout, index: number, own: Rollout['steps'][number]): string[] {
  const mark = index === rollout.step && isOpen(rollout) ? '>' : ' '
  const [from, to] = [own.started_at, own.ended_at].map(time => (time === null ? '' : minuteText(time)))
  return [`${mark} ${shareText(own.share)}`, own.for, from === '' ? '-' : `${from} – ${to}`]
}

function holdText(rollout: Rollout, now: number): string[] {
  const { hold, hold_until, baseline_release_id: baseline } = rollout
  if (hold === null || (hold_until === null && !isOpen(rollout))) return []
  const share = shareText(hold.share)
  if (hold_until === null) return [`${share} stay on ${baseline} for ${hold.for} after completion\n`]
  const until = `until ${minuteText(hold_until)} UTC`
  return Date.parse(hold_until) > now
    ? [`${share} stay on ${baseline} ${until}\n`]
    : [`${share} stayed on ${baseline} ${until}; the hold has ended\n`]
}

function checkText(check: RolloutCheck, io: Io, now: number): string[] {
  const paint = painter(io)
  const { metrics, holds, ready_at, problems, runs, units, wrong_share } = check
  const rows = METRICS.flatMap(([label, name]) => {
    const reading = metrics[name]
    if (reading === undefined) return []
    const write = name === 'error_rate' ? points : percent
    const text = (value: number | null): string => (value === null ? '-' : signed(value, write))
    const { change, low, limit, smallest_detectable, baseline_runs, candidate_runs, alarm } = reading
    const cells = [change, low, limit, smallest_detectable].map(text)
    return [
      [label, ...cells, `${count(baseline_runs)} → ${count(candidate_runs)}`, alarm === null ? '' : 'HARM'],
    ]
  })
  const table = aligned(
    [['', 'change', 'at least', 'limit', 'would see', 'runs', ''], ...rows],
    [],
    io.outColumns,
  )
  const wrong = wrong_share === null ? '' : `, ${percent(wrong_share)} on the wrong side`
  return [
    table.replaceAll('HARM', text => paint('red', text)),
    `check ${check.number}: ${count(runs.baseline)} and ${count(runs.candidate)} runs of ${count(units.baseline)} and ` +
      `${count(units.candidate)} units in this step${wrong}\n`,
    ...problems.map(problem => `${paint('yellow', safe(problem))}\n`),
    ...(holds.length === 0 ? [] : [`waits: ${holds.map(safe).join('; ')}\n`]),
    ...(ready_at === null || Date.parse(ready_at) <= now
      ? []
      : [`about ready at ${minuteText(ready_at)} UTC\n`]),
  ]
}
