import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { atEndOfFile } from '../file_end.ts'
import { shared } from '../shared.ts'
import { copyCheckoutTo } from './packer.ts'

/** A project of somebody who has installed the package. */
export interface Installed {
  readonly folder: string
  /** The package in its node_modules. */
  readonly package: string
  /** Unpacked size without dependencies, bytes. */
  readonly bytes: number
  /** Where `svc` is found, and the program that runs this test. */
  readonly env: NodeJS.ProcessEnv
  /** Runs a program of the project; returns its stdout. Throws with what it said where it ends with an error. */
  run(program: string, ...args: string[]): string
}

const folders: string[] = []
atEndOfFile(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/**
 * Unpacks what the run has packed of the checkout as `npm install` would. Only declared dependencies are linked to
 * it, so that one that isn't declared is missed.
 */
export async function installPackage(): Promise<Installed> {
  const { file, bytes } = await shared('package')
  const folder = join(ownFolder(), 'project')
  const installed = join(folder, 'node_modules/release-governance')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', installed, '--strip-components', '1'])
  const { dependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    bin: Record<string, string>
  }
  for (const name of Object.keys(dependencies))
    link(join(ROOT_PATH, 'node_modules', name), join(folder, 'node_modules', name))
  for (const [name, path] of Object.entries(bin)) {
    chmodSync(join(installed, path), 0o755)
    link(join(installed, path), join(folder, 'node_modules/.bin', name))
  }
  link(process.execPath, join(folder, 'node_modules/.bin/node'))
  const {
    SERVICE_URL: _url,
    SERVICE_LOCAL_API_TOKEN: _token,
    NODE_OPTIONS: _options,
    ...inherited
  } = process.env
  const path = `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  const env = { ...inherited, PATH: path, USER: 'tester' }
  return {
    folder,
    package: installed,
    bytes,
    env,
    run: (program, ...args) => {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' })
      if (status !== 0)
        throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
      return stdout
    },
  }
}

/** A copy of the checkout with what is installed, but nothing that was built, in a folder of its own. */
export function copyCheckout(): string {
  return copyCheckoutTo(ownFolder())
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
  folders.push(folder)
  return folder
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Every file below a folder, as paths relative to it. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
