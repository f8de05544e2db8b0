import { styleText } from 'node:util'

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
}

export function processIo(): Io {
  // A reader that has seen enough (`svc release list | head -1`) closes the pipe; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  return {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    outIsTty: process.stdout.isTTY,
    errIsTty: process.stderr.isTTY,
  }
}

type Color = 'green' | 'red' | 'yellow' | 'bold' | 'dim'

/** Colours text for a terminal; elsewhere, and under NO_COLOR, it stays as it is. */
export function painter(io: Io): (color: Color, text: string) => string {
  const on = io.outIsTty && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
  return (color, text) => (on ? styleText(color, text, { validateStream: false }) : text)
}
