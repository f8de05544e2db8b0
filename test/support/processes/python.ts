import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A program that runs until it ends or is stopped. */
export interface Running {
  /** All that it prints. */
  readonly stdout: Promise<string>
  readonly firstLine: () => Promise<string>
  readonly stop: () => void
}

export async function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })
  const first = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    child.once('close', code => reject(new Error(`${program} ended with ${code} before it said anything`)))
  })
  first.catch(() => {})
  return { stdout: text(child.stdout), firstLine: () => first, stop: () => void child.kill() }
}
