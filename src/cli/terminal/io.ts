import { fstatSync, writeSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Log } from '../../ledger/world/ledger.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import { printable, safe } from './text.ts'
import { badRequest } from '../../base/errors.ts'

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
  /** Whether lists name their columns where stdout is no terminal. */
  readonly header?: boolean
}

/** What blocked nothing but should be known. */
export function warn({ warnings = [] }: { readonly warnings?: readonly string[] | undefined }, io: Io): void {
  for (const warning of warnings) io.err(`svc: warning: ${safe(warning)}\n`)
}

export function processIo(): Io {
  const err = output(
    2,
    () => process.stderr,
    () => {},
  )
  const out = output(
    1,
    () => process.stdout,
    error => {
      // A reader that has seen enough (`svc release list | head -1`) closes the pipe. That is no error, and the
      // command goes on to its own exit code: a blocked promotion must not look passed.
      if (error.code === 'EPIPE') return
      err.write(`svc: stdout can't be written: ${reasonOf(error)}.\n`)
      process.exit(1)
    },
  )
  return {
    cwd: process.cwd(),
    env: process.env,
    // Few commands read it, and it loads streams.
    get stdin() {
      return process.stdin
    },
    out: out.write,
    err: err.write,
    outIsTty: out.isTty,
    errIsTty: err.isTty,
    outColumns: out.columns,
  }
}

/** The same, but what it writes is made {@link printable}. */
export function printing(io: Io): Io {
  const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(io)
  return Object.defineProperties({} as Io, {
    ...own,
    out: { ...own.out, value: (text: string) => io.out(printable(text)) },
    err: { ...own.err, value: (text: string) => io.err(printable(text)) },
  })
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

/** Rewrites one line on a terminal; elsewhere it says nothing. */
export function progress(io: Io, done: string, part: number, whole: number): void {
  if (!io.errIsTty) return
  const share = whole === 0 ? 100 : Math.min(100, Math.floor((part / whole) * 100))
  io.err(`\r${done} ${share} %\u001B[K`)
}

export function clearProgress(io: Io): void {
  if (io.errIsTty) io.err('\r\u001B[K')
}

/** Asks at a terminal. Throws 400 where there is none to ask. */
export async function confirmed(question: string, { stdin, err }: Io): Promise<boolean> {
  if ((stdin as Partial<NodeJS.ReadStream>).isTTY !== true) {
    throw badRequest('There is no terminal to confirm this at; add --yes.')
  }
  err(`${question} [y/N] `)
  // Loaded only here: it would slow the start of every command.
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: stdin })
  const line = await Promise.race([
    new Promise<string>(resolve => reader.once('line', resolve)),
    new Promise<string>(resolve => reader.once('close', () => resolve(''))),
  ])
  reader.close()
  return /^y(?:es)?$/i.test(line.trim())
}

/** Standard output or standard error. */
interface Output {
  readonly write: (text: string) => void
  readonly isTty: boolean
  /** Width of the terminal that it is, in characters. */
  readonly columns: number | undefined
}

/** A pipe holds as much, so what is written to it so far doesn't wait for who reads it. */
const MOST_AT_ONCE = 32_768

/**
 * Writes to a file or a pipe in place, as long as it is little: the streams of Node take as long to load as a command's
 * own code. What is more, what a pipe doesn't take at once, and a terminal go through `stream`. `failed` gets the reason why a
 * write failed.
 *
 * @public
 */
export function output(
  fd: 1 | 2,
  stream: () => NodeJS.WriteStream,
  failed: (error: NodeJS.ErrnoException) => void,
): Output {
  let left = isPlain(fd) ? MOST_AT_ONCE : 0
  let opened: NodeJS.WriteStream | undefined
  const open = (): NodeJS.WriteStream => (opened ??= stream().on('error', failed))

  function write(text: string): void {
    const bytes = left < text.length ? undefined : Buffer.from(text)
    if (bytes === undefined || left < bytes.length) {
      left = 0
      open().write(text)
      return
    }
    left -= bytes.length
    const rest = bytes.subarray(writtenOf(bytes))
    if (rest.length === 0) return
    left = 0
    open().write(rest)
  }

  /** How much of it is written, all where nobody is there to take it. */
  function writtenOf(bytes: Buffer): number {
    try {
      return bytes.length === 0 ? 0 : writeSync(fd, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      failed(error as NodeJS.ErrnoException)
      return bytes.length
    }
  }

  if (left > 0) return { write, isTty: false, columns: undefined }
  const { isTTY, columns } = open()
  return { write, isTty: isTTY, columns }
}

/** Whether it is a file, a pipe or a socket. Of Windows Node knows more. */
function isPlain(fd: number): boolean {
  if (process.platform === 'win32') return false
  const found = fstatSync(fd)
  return found.isFile() || found.isFIFO() || found.isSocket()
}
