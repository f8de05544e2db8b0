import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of test/crash/programs that is running. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** What it printed, a JSON value per line, up to now. */
  readonly lines: unknown[]
  /** Resolves when `count` lines are there, or the program is over. */
  printed(count: number): Promise<void>
  /** Resolves with exit code or signal when it is over and all it printed is read. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
}

/** Programs that are started from their sources find them stripped of types and compiled, as `svc` does. */
export const COMPILED: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }

/** Starts a program with this Node. Its arguments are passed as one JSON text. */
export function start(program: string, input: unknown, variables: NodeJS.ProcessEnv = {}): Running {
  const path = fileURLToPath(new URL(`../../crash/programs/${program}`, import.meta.url))
  const env = { ...process.env, ...COMPILED, ...variables }
  const child = spawn(process.execPath, [path, JSON.stringify(input)], { env })
  const lines: unknown[] = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const waiting = new Set<() => void>()
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => {
    // A killed program may leave half a line; it had not acknowledged that.
    try {
      lines.push(JSON.parse(line))
    } catch {
      return
    }
    for (const check of waiting) check()
  })
  const readAll = new Promise<void>(resolve => reader.once('close', resolve))
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const ended = Promise.all([exited, readAll]).then(([end]) => ({ ...end, stderr }))
  return {
    child,
    lines,
    ended,
    printed: count =>
      new Promise(resolve => {
        const check = (): void => {
          if (lines.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        void ended.then(() => resolve())
        check()
      }),
  }
}
