import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const SH = `#!/bin/sh
# Follows links, so that one in a folder of PATH works.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=$(dirname "$self")/$link ;; esac
done
root=$(cd "$(dirname "$self")/.." && pwd)
exec "$root/bin/node" "$root/node_modules/release-governance/bin/svc.cjs" "$@"
`
const CMD = '@"%~dp0node.exe" "%~dp0..\\node_modules\\release-governance\\bin\\svc.cjs" %*\r\n'

/**
 * Makes a folder that runs without Node and npm from what `npm pack` made: the package, what it depends on, and the Node that
 * runs this, as an archive in `into`. Returns the archive's path. It is for the system and processor that it is made on.
 *
 * A single executable of Node would hold one script. The command line is several hundred files that are loaded when they are
 * needed, files of threads and the addon of libsql, so it would have to unpack this folder before it starts.
 */
export function standalone(tarball: string, into: string): string {
  const isWindows = process.platform === 'win32'
  const name = `release-governance-${process.platform}-${process.arch}`
  const work = mkdtempSync(join(tmpdir(), 'svc-standalone-'))
  try {
    const folder = join(work, name)
    mkdirSync(join(folder, 'bin'), { recursive: true })
    const npm = ['install', '--prefix', folder, '--omit=dev', '--no-audit', '--no-fund', resolve(tarball)]
    execFileSync('npm', npm, { stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows })
    copyFileSync(process.execPath, join(folder, 'bin', isWindows ? 'node.exe' : 'node'))
    for (const program of ['svc', 'release-governance']) {
      const path = join(folder, 'bin', isWindows ? `${program}.cmd` : program)
      writeFileSync(path, isWindows ? CMD : SH)
      chmodSync(path, 0o755)
    }
    const archive = join(resolve(into), `${name}.tar.gz`)
    execFileSync('tar', ['-czf', archive, '-C', work, name], { stdio: 'inherit' })
    return archive
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

if (import.meta.main) process.stdout.write(`${standalone(process.argv[2]!, '.')}\n`)
