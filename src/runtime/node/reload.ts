import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, existsSync, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../root.ts'

export interface ReloadOptions {
  /** Folder of service.yaml and what it names. */
  readonly folder: string
  /** Arguments of Node for the process that serves. */
  readonly argv: readonly string[]
  readonly say: (text: string) => void
}

/** Folders of a checkout whose change asks for a restart; an installed package has none of them. */
const SOURCES = ['src', 'handlers', 'migrations']

/** Quiet time after a change before the restart: editors write a file in several steps, ms. */
const SETTLE_MS = 100

/**
 * Runs a server and restarts it when its configuration or source changes. A server that can't start, for a mistake
 * in the configuration, is started again at the next change. Returns the exit code once a signal has ended it.
 */
export async function restartOnChange({ folder, argv, say }: ReloadOptions): Promise<number> {
  let child = start(argv, folder)
  let [stopping, settling] = [false, undefined as NodeJS.Timeout | undefined]

  async function restart(what: string): Promise<void> {
    say(`${what} changed; restarting`)
    await stop(child)
    if (!stopping) child = start(argv, folder)
  }

  function changed(what: string): void {
    clearTimeout(settling)
    settling = setTimeout(() => void restart(what), SETTLE_MS)
  }

  const watchers = [...watchConfiguration(folder, changed), ...watchSources(changed)]
  await new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  stopping = true
  clearTimeout(settling)
  for (const watcher of watchers) watcher.close()
  await stop(child)
  return child.exitCode ?? 0
}

function start(argv: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, [...argv], { cwd, stdio: 'inherit' })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** The folder is watched rather than the file: editors replace files. */
function watchConfiguration(folder: string, changed: (what: string) => void): FSWatcher[] {
  return [
    watch(folder, (_event, name) => {
      if (name === 'service.yaml') changed(name)
    }),
  ]
}

function watchSources(changed: (what: string) => void): FSWatcher[] {
  return SOURCES.map(name => fileURLToPath(new URL(`${name}/`, ROOT)))
    .filter(path => existsSync(path))
    .map(path =>
      watch(path, { recursive: true }, (_event, name) => {
        if (name !== null) changed(name)
      }),
    )
}
