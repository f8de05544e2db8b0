import type { StartedWatch, Watch, WatchDetail, WatchLook } from '../../models/answers/watch.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { drawing, headline, lookLine, minuteOf, canFindText } from './cli_text.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '../../cli/release/exit_codes.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { onStop } from '../../cli/terminal/stop.ts'

/** Begins a watch, and with --follow shows it until it ends. */
export async function watch(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const follows = options.flag('follow') === true
  const running = follows ? await runningWatch(invocation, opened) : undefined
  const found = running ?? (await begin(invocation, opened))
  for (const warning of found.warnings ?? []) io.err(`svc: warning: ${safe(warning)}\n`)
  if (follows) return follow(found, invocation, opened)
  io.out(options.json ? pretty(found) : `${headline(found)}\n${canFindText(found)}`)
  if (!options.json && opened.here !== undefined) {
    io.err('svc: a running `svc serve` on this ledger looks at it, or this command with --follow\n')
  }
  return 0
}

type Started = StartedWatch

/** The one that runs in this place; what else was typed is for a new one, and told to have no effect. */
async function runningWatch({ args, options, io }: Invocation, api: Api): Promise<Started | undefined> {
  const query = { agent: args[0], env: options.required('env'), state: 'watching' }
  const { watches } = await callJson(api, 'GET /v1/watches', { query })
  const [running] = watches
  const isSpecial =
    ['for', 'against', 'min-runs'].some(name => options.text(name) !== undefined) ||
    options.flag('auto-rollback') !== undefined
  if (running !== undefined && isSpecial) {
    io.err(`svc: ${running.watch_id} runs there already: it goes on as it was begun\n`)
  }
  return running
}

async function begin({ args, options, io }: Invocation, api: Api): Promise<Started> {
  const against = options.text('against')
  return callJson(api, 'POST /v1/watches', {
    body: {
      agent_id: args[0],
      environment: options.required('env'),
      for: options.text('for'),
      against:
        against === undefined || against === 'baseline' ? undefined : await releaseId(against, api, io),
      min_runs: options.number('min-runs'),
      auto_rollback: options.flag('auto-rollback'),
    },
  })
}

/** How often it is asked for, ms. */
const POLL_MS = 3000

/**
 * Shows a watch until it ends, or the user has seen enough. At a terminal it is drawn in place; elsewhere each look is a
 * line. Where the ledger is here, this command looks at it too, so that it needs no server.
 */
async function follow({ watch_id }: Watch, { options, io }: Invocation, api: Api): Promise<number> {
  const stop = onStop()
  const show = options.json ? () => {} : io.outIsTty ? drawer(io) : printer(io)
  try {
    for (;;) {
      await api.here?.(async services => (await import('./jobs.ts')).lookOnce(services))
      const path = { watch_id }
      const detail = await callJson(api, 'GET /v1/watches/{watch_id}', { path })
      show(detail)
      if (detail.state !== 'watching') {
        io.out(options.json ? pretty(detail) : endText(detail, io))
        return exitCode(detail, options.flag('detailed-exitcode') === true)
      }
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) {
        io.err(`svc: ${watch_id} goes on; \`svc release watches\` says how it ended\n`)
        return stop.exitCode()
      }
    }
  } finally {
    stop.release()
  }
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
    const isNew = ({ look }: WatchLook): boolean => last === undefined || look > last
    for (const look of detail.history.filter(isNew)) io.out(lookLine(look))
    last = detail.looks
  }
}

function endText({ state, ended_because, rollback }: WatchDetail, io: Io): string {
  const paint = painter(io)
  const isBad = state === 'regressed' || state === 'rolled_back'
  const colour = isBad ? 'red' : state === 'passed' ? 'green' : 'yellow'
  const blocked = rollback !== null && !rollback.passed ? rollback.reasons : []
  return [
    `${paint(colour, state.replace('_', ' ').toUpperCase())}  ${safe(ended_because ?? '')}\n`,
    ...blocked.map(reason => `  rollback blocked: ${safe(reason)}\n`),
    ...againText(rollback),
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
