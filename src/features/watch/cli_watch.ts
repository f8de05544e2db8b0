import type { StartedWatch, Watch, WatchDetail, WatchCheck } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { backText, wayBack } from '../../cli/release/way_back.ts'
import { pretty, safe, count, counted, percent, points, signed } from '../../cli/terminal/text.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '../../cli/release/exit_codes.ts'
import { type Io, painter, warn } from '../../cli/terminal/io.ts'
import { onStop } from '../../cli/terminal/stop.ts'
import { minuteText } from '../../base/text.ts'
import { aligned } from '../../cli/terminal/table.ts'

/** Begins a watch, and with --follow shows it until it ends. */
export async function watch(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const follows = options.flag('follow') === true
  const running = follows ? await openWatch(invocation, opened) : undefined
  const found = running ?? (await begin(invocation, opened))
  warn(found, io)
  if (follows) return follow(found, invocation, opened)
  io.out(options.json ? pretty(found) : `${headline(found)}\n${canFindText(found)}`)
  if (!options.json && opened.here !== undefined) {
    io.err('svc: a running `svc serve` on this ledger checks it, or this command with --follow\n')
  }
  return 0
}

type Started = StartedWatch

/**
 * The watch that runs in this place, or whose rollback is tried again: a new one would end that. Options for a new one are
 * reported to have no effect.
 */
async function openWatch({ args, options, io }: Invocation, api: Api): Promise<Started | undefined> {
  const place = { agent: args[0], env: options.required('env') }
  const of = async (state: 'watching' | 'regressed') =>
    (await callJson(api, 'GET /v1/watches', { query: { ...place, state } })).watches
  const [running] = await of('watching')
  const open =
    running ?? (await of('regressed')).find(({ rollback }) => rollback?.next_attempt_at !== undefined)
  const isSpecial =
    ['for', 'against', 'min-runs'].some(name => options.text(name) !== undefined) ||
    options.flag('auto-rollback') !== undefined
  if (open !== undefined && isSpecial) {
    io.err(`svc: ${open.watch_id} runs there already: it continues unchanged\n`)
  }
  return open
}

async function begin({ args, options, io }: Invocation, api: Api): Promise<Started> {
  const against = options.text('against')
  return callJson(api, 'POST /v1/watches', {
    body: {
      agent_id: args[0],
      environment: options.required('env'),
      for: options.text('for'),
      against:
        against === undefined || against === 'baseline'
          ? undefined
          : await releaseId(against, api, io, options.required('env')),
      min_runs: options.number('min-runs'),
      auto_rollback: options.flag('auto-rollback'),
    },
  })
}

/** How often it is read, ms. */
const POLL_MS = 3000

/**
 * Shows a watch until it ends, or the user has seen enough. At a terminal it is drawn in place; elsewhere each check is a
 * line. Where the ledger is here, this command checks it too, so that it needs no server.
 */
async function follow({ watch_id }: Watch, { options, io }: Invocation, api: Api): Promise<number> {
  const stop = onStop()
  const show = options.json ? () => {} : io.outIsTty ? drawer(io) : printer(io)
  try {
    for (;;) {
      await api.here?.(async services => (await import('./jobs.ts')).checkOnce(services))
      const path = { watch_id }
      const detail = await callJson(api, 'GET /v1/watches/{watch_id}', { path })
      show(detail)
      if (detail.state !== 'watching') {
        io.out(options.json ? pretty(detail) : endText(detail, await backFrom(api, detail), io))
        return exitCode(detail, options.flag('detailed-exitcode') === true)
      }
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) {
        io.err(`svc: ${watch_id} continues; \`svc release watches\` has its result\n`)
        return stop.exitCode()
      }
    }
  } finally {
    stop.release()
  }
}

/** The command that goes back to the baseline although the rollback of the watch was blocked. */
async function backFrom(
  api: Api,
  { agent_id, environment, release_id: live, baseline_release_id: before, rollback }: WatchDetail,
): Promise<string[]> {
  if (rollback === null || rollback.passed) return []
  const path = { agent_id, environment }
  const { allowed } = await callJson(api, 'GET /v1/places/{agent_id}/{environment}', { path })
  return backText(await wayBack(api, { ...path, live, before, allowed }))
}

type Show = (detail: WatchDetail) => void

/** Draws over what it drew before. */
function drawer(io: Io): Show {
  let [lines, drawn] = [0, '']
  return detail => {
    const text = drawing(detail, io)
    if (text === drawn) return
    drawn = text
    io.out(`${lines === 0 ? '' : `\u001B[${lines}A\u001B[J`}${text}`)
    lines = text.split('\n').length - 1
  }
}

function printer(io: Io): Show {
  let last: number | undefined
  return detail => {
    if (last === undefined) io.out(`${headline(detail)}\n`)
    const isNew = ({ number }: WatchCheck): boolean => last === undefined || number > last
    for (const check of detail.history.filter(isNew)) io.out(checkLine(check))
    last = detail.checks
  }
}

function endText(detail: WatchDetail, back: readonly string[], io: Io): string {
  const { state, ended_because, rollback } = detail
  const paint = painter(io)
  const isBad = state === 'regressed' || state === 'rolled_back'
  const colour = isBad ? 'red' : state === 'passed' ? 'green' : 'yellow'
  const blocked = rollback !== null && !rollback.passed ? rollback.reasons : []
  return [
    `${paint(colour, state.replace('_', ' ').toUpperCase())}  ${safe(ended_because ?? '')}\n`,
    ...blocked.map(reason => `  rollback blocked: ${safe(reason)}\n`),
    ...againText(rollback),
    ...back,
  ].join('')
}

function againText(rollback: WatchDetail['rollback']): string[] {
  const at = rollback?.next_attempt_at
  if (at === undefined) return []
  return [`  it is tried again when that changes${at === null ? '' : `, and at ${minuteOf(at)}`}\n`]
}

function exitCode({ state }: WatchDetail, detailed: boolean): number {
  if (state === 'regressed' || state === 'rolled_back') return detailed ? EXIT.block : EXIT.error
  return state === 'passed' || !detailed ? EXIT.pass : EXIT.inconclusive
}

/** What is watched, against what, and until when. */
function headline(started: Watch): string {
  const { watch_id, agent_id, environment, release_id, baseline_release_id, ends_at, auto_rollback } = started
  const until = minuteOf(ends_at)
  const rollback = auto_rollback ? ', rolls back on a regression' : ''
  return `${watch_id}  ${safe(agent_id)} in ${safe(environment)}: ${release_id} against ${baseline_release_id} until ${until}${rollback}`
}

/** What a watch can find by its end, where that is known. */
function canFindText({ can_find }: Pick<StartedWatch, 'can_find'>): string {
  if (can_find == null) return ''
  const rises = METRICS.flatMap(([label, name]) => {
    const rise = can_find[name]
    return rise === null ? [] : [`${label} by ${signed(rise, name === 'error_rate' ? points : percent)}`]
  })
  return `by its end it finds half of all rises of ${rises.join(', ')}\n`
}

function minuteOf(time: string): string {
  return `${minuteText(time)} UTC`
}

const METRICS = [
  ['cost per run', 'cost_per_run_usd'],
  ['latency, mean', 'latency_ms'],
  ['error rate', 'error_rate'],
] as const

type WatchReading = WatchCheck['metrics']['error_rate']

/** The state of a watch, for a terminal. */
function drawing(detail: WatchDetail, io: Io): string {
  const paint = painter(io)
  const { last_check, checks, started_at, ends_at } = detail
  const done = last_check === null ? 0 : Date.parse(last_check.at) - Date.parse(started_at)
  const whole = Date.parse(ends_at) - Date.parse(started_at)
  const minutes = (ms: number): string => String(Math.floor(ms / 60_000))
  const rows = METRICS.map(([label, name]) => {
    const reading = last_check?.metrics[name]
    if (reading === undefined) return [label, 'not checked yet', '', '', '', '', '', '']
    const alarm = reading.alarm === null ? '' : 'REGRESSED'
    return [label, ...cells(reading, name), bars(detail.history, name), alarm]
  })
  const table = aligned(
    [['', 'change', 'at least', 'limit', 'would see', 'runs', 'last checks', ''], ...rows],
    [],
    io.outColumns,
  )
  return [
    `${headline(detail)}\n`,
    `${minutes(done)} of ${minutes(whole)} minutes, ${counted(checks, 'check')}\n`,
    ...(last_check?.problems ?? []).map(problem => `${paint('yellow', safe(problem))}\n`),
    table.replaceAll('REGRESSED', text => paint('red', text)),
  ].join('')
}

/** One check as a line: programs read it by its words. */
function checkLine({ number, at, metrics, problems }: WatchCheck): string {
  const parts = METRICS.map(([, name]) => {
    const reading = metrics[name]
    const [change, low, limit] = cells(reading, name)
    const runs = `n ${reading.baseline_runs} baseline, ${reading.candidate_runs} candidate`
    const alarm = reading.alarm === null ? '' : ' REGRESSED'
    return `${name} ${change}, at least ${low}, limit ${limit} (${runs})${alarm}`
  })
  return `${at}  check ${number}  ${[...parts, ...problems.map(safe)].join('; ')}\n`
}

function cells(reading: WatchReading, name: string): [string, string, string, string, string] {
  const format = name === 'error_rate' ? points : percent
  const text = (value: number | null): string => (value === null ? '-' : signed(value, format))
  const { change, low, limit, smallest_detectable, baseline_runs, candidate_runs } = reading
  const runs = `${count(baseline_runs)} → ${count(candidate_runs)}`
  return [text(change), text(low), text(limit), text(smallest_detectable), runs]
}

const LEVELS = [...'▁▂▃▄▅▆▇█']
const DRAWN = 24

/** What the rise was at least, check by check, from the lowest of them to the limit. */
function bars(history: readonly WatchCheck[], name: keyof WatchCheck['metrics']): string {
  const last = history.slice(-DRAWN).map(check => check.metrics[name])
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
