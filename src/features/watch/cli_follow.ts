import { setTimeout as sleep } from 'node:timers/promises'
import type { Watch, WatchDetail, WatchLook } from '../../models/answers/watch.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { EXIT } from '../../cli/release/exit_codes.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { onStop } from '../../cli/terminal/stop.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { drawing, headline, lookLine, minuteOf } from './cli_text.ts'

/** How often it is asked for, ms. */
const POLL_MS = 3000

/**
 * Shows a watch until it ends, or the user has seen enough. At a terminal it is drawn in place; elsewhere each look is a
 * line. Where the ledger is here, this command looks at it too, so that it needs no server.
 */
export async function follow({ watch_id }: Watch, { options, io }: Invocation, api: Api): Promise<number> {
  const stop = onStop()
  const show = options.json ? () => {} : io.outIsTty ? drawer(io) : printer(io)
  try {
    for (;;) {
      await api.here?.(async services => (await import('./jobs.ts')).lookOnce(services))
      const path = { watch_id }
      const detail = await callJson<WatchDetail>(api, 'GET /v1/watches/{watch_id}', { path })
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
