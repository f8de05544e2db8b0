import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type Workspace, startService } from './cli.ts'
import { type Installed, installPackage } from './package.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Examples extends Installed {
  /** Runs a program of the examples. */
  readonly end: (program: string, args: readonly string[], env: Record<string, string>) => Promise<Ended>
}

/** A project of somebody who has installed the package and copied the examples. */
export async function installExamples(): Promise<Examples> {
  const project = await installPackage()
  cpSync(join(ROOT_PATH, 'examples'), project.folder, { recursive: true })
  return {
    ...project,
    end: async (program, args, env) => {
      const child = spawn(program, args, { cwd: project.folder, env: { ...project.env, ...env } })
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { code: code as number | null, stdout, stderr }
    },
  }
}

/** A service on a workspace, until the test is over; returns its address. */
export async function serve(workspace: Workspace, env: Record<string, string> = {}): Promise<string> {
  const service = await startService(workspace, { env })
  onTestFinished(async () => void (await service.stop()))
  return service.url
}
