import { fstatSync, writeSync } from 'node:fs'

/** Standard output or standard error. */
export interface Output {
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
