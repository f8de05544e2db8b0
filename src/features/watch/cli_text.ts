import type { StartedWatch, Watch, WatchDetail, WatchLook } from '../../models/answers/watch.ts'
import { minuteText } from '../../base/shown.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { aligned } from '../../cli/terminal/table.ts'
import { count, counted, percent, points, safe, signed } from '../../cli/terminal/text.ts'

/** What is watched, against what, and until when. */
export function headline(watch: Watch): string {
  const { watch_id, agent_id, environment, release_id, baseline_release_id, ends_at, auto_rollback } = watch
  const until = minuteOf(ends_at)
  const rollback = auto_rollback ? ', rolls back on a regression' : ''
  return `${watch_id}  ${safe(agent_id)} in ${safe(environment)}: ${release_id} against ${baseline_release_id} until ${until}${rollback}`
}

/** What a watch can find by its end, where that is known. */
export function canFindText({ can_find }: Pick<StartedWatch, 'can_find'>): string {
  if (can_find == null) return ''
  const rises = METRICS.flatMap(([label, name]) => {
    const rise = can_find[name]
    return rise === null ? [] : [`${label} by ${signed(rise, name === 'error_rate' ? points : percent)}`]
  })
  return `by its end it finds half of all rises of ${rises.join(', ')}\n`
}

/** A time to the minute. */
export function minuteOf(time: string): string {
  return `${minuteText(time)} UTC`
}

const METRICS = [
  ['cost per run', 'cost_per_run_usd'],
  ['latency, mean', 'latency_ms'],
  ['error rate', 'error_rate'],
] as const

type Reading = WatchLook['metrics']['error_rate']

/** A watch as it stands, for a terminal. */
export function drawing(detail: WatchDetail, io: Io): string {
  const paint = painter(io)
  const { last_look, looks, started_at, ends_at } = detail
  const done = last_look === null ? 0 : Date.parse(last_look.at) - Date.parse(started_at)
  const whole = Date.parse(ends_at) - Date.parse(started_at)
  const minutes = (ms: number): string => String(Math.floor(ms / 60_000))
  const rows = METRICS.map(([label, name]) => {
    const reading = last_look?.metrics[name]
    if (reading === undefined) return [label, 'not looked at yet', '', '', '', '', '', '']
    const alarm = reading.alarm === null ? '' : 'REGRESSED'
    return [label, ...cells(reading, name), bars(detail.history, name), alarm]
  })
  const table = aligned(
    [['', 'change', 'at least', 'limit', 'would see', 'runs', 'last looks', ''], ...rows],
    [],
    io.outColumns,
  )
  return [
    `${headline(detail)}\n`,
    `${minutes(done)} of ${minutes(whole)} minutes, ${counted(looks, 'look')}\n`,
    ...(last_look?.problems ?? []).map(problem => `${paint('yellow', safe(problem))}\n`),
    table.replaceAll('REGRESSED', text => paint('red', text)),
  ].join('')
}

/** One look as a line: programs read it by its words. */
export function lookLine({ look, at, metrics, problems }: WatchLook): string {
  const parts = METRICS.map(([, name]) => {
    const reading = metrics[name]
    const [change, low, limit] = cells(reading, name)
    const runs = `n ${reading.baseline_runs} baseline, ${reading.candidate_runs} candidate`
    const alarm = reading.alarm === null ? '' : ' REGRESSED'
    return `${name} ${change}, at least ${low}, limit ${limit} (${runs})${alarm}`
  })
  return `${at}  look ${look}  ${[...parts, ...problems.map(safe)].join('; ')}\n`
}

function cells(reading: Reading, name: string): [string, string, string, string, string] {
  const format = name === 'error_rate' ? points : percent
  const text = (value: number | null): string => (value === null ? '-' : signed(value, format))
  const { change, low, limit, smallest_detectable, baseline_runs, candidate_runs } = reading
  const runs = `${count(baseline_runs)} → ${count(candidate_runs)}`
  return [text(change), text(low), text(limit), text(smallest_detectable), runs]
}

const LEVELS = [...'▁▂▃▄▅▆▇█']
/** Looks that are drawn. */
const DRAWN = 24

/** What the rise was at least, look by look, from the lowest of them to the limit. */
function bars(history: readonly WatchLook[], name: keyof WatchLook['metrics']): string {
  const last = history.slice(-DRAWN).map(look => look.metrics[name])
  const lows = last.flatMap(({ low }) => (low === null ? [] : [low]))
  const [floor, top] = [Math.min(...lows), Math.max(last[0]?.limit ?? 0, ...lows)]
  return last
    .map(({ low }) => {
      if (low === null) return '·'
      const height = top === floor ? 0 : (low - floor) / (top - floor)
      return LEVELS[Math.min(LEVELS.length - 1, Math.floor(height * LEVELS.length))]!
    })
    .join('')
}
