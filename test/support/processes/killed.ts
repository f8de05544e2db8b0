import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { spawnSvc } from './cli.ts'

/** How a command ended that was to be killed. */
export interface Killed {
  /** Whether the kill came before its end. */
  readonly inTime: boolean
  readonly stdout: string
  readonly tookMs: number
}

/** Runs `svc` and kills it without warning after `ms`. Throws where it ended by itself with an error. */
export async function killAfter(args: readonly string[], cwd: string, ms: number): Promise<Killed> {
  const startedAt = performance.now()
  const child = spawnSvc(args, { cwd })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const [code, signal] = await closed
  clearTimeout(timer)
  if (signal === null && code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${stderr}`)
  return { inTime: signal === 'SIGKILL', stdout, tookMs: performance.now() - startedAt }
}
