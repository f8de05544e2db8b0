import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { env, platform } from 'node:process'

/** Where programs that are not ours are kept from one proof to the next. */
export const CACHE = join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'release-governance-prove')

/** A program could not be had: there is no package manager for it, or no registry answers. */
export class NotHere extends Error {}

/** Runs a program. Throws with what it said where it ends with an error, and `NotHere` where there is none. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>>; input?: string },
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    env: { ...env, ...options.env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new NotHere(`there is no ${program}`)
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')}:\n${`${stdout}${stderr}`.slice(-4000)}`)
  return stdout
}

/** The folder of a virtual environment with exactly these packages of PyPI. */
export function pythonPackages(name: string, packages: readonly string[]): string {
  return installed(name, packages, folder => {
    run('python3', ['-m', 'venv', '.'], { cwd: folder })
    run(inVenv(folder, 'python'), ['-m', 'pip', 'install', '--quiet', ...packages], { cwd: folder })
  })
}

/** A program of a virtual environment. */
export function inVenv(folder: string, program: string): string {
  return join(folder, platform === 'win32' ? 'Scripts' : 'bin', program)
}

/** A folder whose node_modules has exactly these packages of npm. */
export function npmPackages(name: string, packages: readonly string[]): string {
  return installed(name, packages, folder => {
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    run('npm', ['install', '--save-exact', '--no-audit', '--no-fund', ...packages], { cwd: folder })
  })
}

/** A folder whose bin has this program of a Go module. */
export function goProgram(name: string, module: string): string {
  return installed(name, [module], folder => {
    run('go', ['install', module], { cwd: folder, env: { GOBIN: join(folder, 'bin'), GOFLAGS: '' } })
  })
}

/** A jar of Maven's central repository: `group:artifact:version`. Maven keeps it in a folder of its own. */
export function mavenJar(artifact: string): string {
  const [group, name, version] = artifact.split(':') as [string, string, string]
  const folder = installed('maven', [artifact], into => {
    run('mvn', ['-q', `-Dmaven.repo.local=${into}`, 'dependency:get', `-Dartifact=${artifact}`], {
      cwd: into,
    })
  })
  return join(folder, ...group.split('.'), name, version, `${name}-${version}.jar`)
}

/** A folder with the files of a zip of Maven's central repository: `group:artifact:version`. */
export function mavenZip(artifact: string): string {
  const [group, name, version] = artifact.split(':') as [string, string, string]
  return installed('maven-zip', [artifact], into => {
    const kept = join(into, 'repository')
    const options = [`-Dmaven.repo.local=${kept}`, '-Dtransitive=false', `-Dartifact=${artifact}:zip`]
    run('mvn', ['-q', ...options, 'dependency:get'], { cwd: into })
    const file = join(kept, ...group.split('.'), name, version, `${name}-${version}.zip`)
    run('jar', ['-xf', file], { cwd: into })
    rmSync(kept, { recursive: true })
  })
}

/** A folder with the files of a package of Debian, as it would lay them below `/`. */
export function debianPackage(name: string): string {
  return debianPackages(name, [name])
}

/** The same of several, laid over one another. */
export function debianPackages(name: string, packages: readonly string[]): string {
  return installed('debian', [name], folder => {
    run('apt-get', ['download', ...packages], { cwd: folder })
    for (const file of readdirSync(folder)) run('dpkg-deb', ['--extract', file, '.'], { cwd: folder })
  })
}

/** A folder with the files of an archive (.tar.gz) that is at a URL. */
export async function archive(name: string, url: string): Promise<string> {
  const file = join(CACHE, `${name}.download`)
  mkdirSync(CACHE, { recursive: true })
  const folder = pathOf(name, [url])
  if (isWhole(folder)) return folder
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(600_000) })
    if (!response.ok) throw new NotHere(`${url} answered ${response.status}`)
    writeFileSync(file, await response.bytes())
  } catch (error) {
    if (error instanceof NotHere) throw error
    const { message, cause } = error as Error
    throw new NotHere(`${url}: ${(cause as Error | undefined)?.message ?? message}`)
  }
  return installed(name, [url], into => {
    run('tar', ['-xzf', file], { cwd: into })
    rmSync(file)
  })
}

/** The folder of a set of packages, installed at first use: one per set, so that none is ever changed. */
function installed(name: string, packages: readonly string[], install: (folder: string) => void): string {
  const folder = pathOf(name, packages)
  if (isWhole(folder)) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    install(folder)
    writeFileSync(join(folder, WHOLE), '')
    return folder
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error instanceof NotHere ? error : new NotHere((error as Error).message)
  }
}

/** Is in each folder whose installation came to its end: one that was killed leaves a part. */
const WHOLE = '.installed'

function isWhole(folder: string): boolean {
  return existsSync(join(folder, WHOLE))
}

function pathOf(name: string, packages: readonly string[]): string {
  return join(CACHE, [name, ...packages].join('_').replaceAll(/[^\w.@=-]/g, '-'))
}
