import type { Io } from './io.ts'

/** Rewrites one line on a terminal; elsewhere it says nothing. */
export function progress(io: Io, done: string, part: number, whole: number): void {
  if (!io.errIsTty) return
  const share = whole === 0 ? 100 : Math.min(100, Math.floor((part / whole) * 100))
  io.err(`\r${done} ${share} %\u001B[K`)
}

export function clearProgress(io: Io): void {
  if (io.errIsTty) io.err('\r\u001B[K')
}
