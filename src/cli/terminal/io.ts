import { styleText } from 'node:util'
import type { Log } from '../../ledger/ledger.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import { safe } from './text.ts'

/** What a command touches of the process it runs in. `demo` runs commands in a folder of its own. */
export interface Io {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream
  /** Data: what a script would read. */
  readonly out: (text: string) => void
  /** Messages: progress, warnings, what to do next. */
  readonly err: (text: string) => void
  readonly outIsTty: boolean
  readonly errIsTty: boolean
  /** Width of the terminal that stdout is, in characters. */
  readonly outColumns: number | undefined
}

export function processIo(): Io {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`svc release list | head -1`) closes the pipe. That is no error, and the
    // command goes on to its own exit code: a blocked promotion must not look passed.
    if (error.code === 'EPIPE') return
    process.stderr.write(`svc: stdout can't be written: ${reasonOf(error)}.\n`)
    process.exit(1)
  })
  process.stderr.on('error', () => {})
  return {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    outIsTty: process.stdout.isTTY,
    errIsTty: process.stderr.isTTY,
    outColumns: process.stdout.columns,
  }
}

/** What operations log, for people: one line each. Errors are thrown as well, and shown there. */
export function stderrLog(io: Io): Log {
  return function log(level, message, fields = {}) {
    if (level === 'error') return
    const extra = Object.entries(fields).map(([key, value]) => ` ${key}=${String(value)}`)
    io.err(`svc: ${safe(message + extra.join(''))}\n`)
  }
}

type Color = 'green' | 'red' | 'yellow' | 'bold' | 'dim'

/** Colours text for a terminal, and under FORCE_COLOR; elsewhere, and under NO_COLOR, it stays as it is. */
export function painter(
  io: Pick<Io, 'env' | 'outIsTty' | 'errIsTty'>,
  stream: 'out' | 'err' = 'out',
): (color: Color, text: string) => string {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM } = io.env
  const isTty = stream === 'out' ? io.outIsTty : io.errIsTty
  const on = forced ? !['0', 'false'].includes(forced) : isTty && !refused && TERM !== 'dumb'
  return (color, text) => (on ? styleText(color, text, { validateStream: false }) : text)
}
