import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import type { ServiceClient } from '../../src/sdk/index.ts'
import { releaseOf } from '../../test/support/services/builders.ts'

const PROGRAM = join(ROOT_PATH, 'bin/svc.cjs')

/**
 * Runs `use` while a service with a new workspace is up on a port of its own, and stops it. With `config` that is its
 * service.yaml.
 */
export async function withService<T>(
  env: Readonly<Record<string, string>>,
  use: (url: string, pid: number) => Promise<T>,
  config?: unknown,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prove-'))
  const inFolder = { cwd: folder, env: { ...process.env, ...env } }
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'init'], { ...inFolder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`svc init: ${stderr}`)
  // JSON is YAML, too.
  if (config !== undefined) writeFileSync(join(folder, 'service.yaml'), JSON.stringify(config))
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    ...inFolder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url === undefined) throw new Error(`svc serve: ${line}`)
      server.stdout.resume()
      return await use(url, server.pid!)
    }
    throw new Error('svc serve ended before it listened')
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Registers a version of support-bot at the bundled prices of its model. */
export async function registerBot(client: ServiceClient, version: string): Promise<string> {
  const { pricing } = await client.call('GET /v1/pricing')
  const { pricing_version } = pricing.find(({ provider }) => provider === 'openai')!
  const artifact = releaseOf({ ...BOT, version, pricing: pricing_version })
  return (await client.registerRelease({ checksum: 'a'.repeat(64), artifact })).release_id
}

export const BOT = { agent: 'support-bot', provider: 'openai', model: 'gpt-4.1-mini' } as const
