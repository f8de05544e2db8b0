import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { scaled } from './scale.ts'

/** Where Linux has a folder in memory. */
const MEMORY = '/dev/shm'

/** Several times what all tests have there at once, bytes. */
const ROOM = 6e9

/**
 * Lets tests have their temporary folders in memory where there is room for them: what they write goes with them, and
 * to sync it to a disk, or to copy a database there, takes longer than most tests. Where TMPDIR is set it stays so, and
 * long forms, which write far more, stay on the disk.
 */
export default function useMemory(): (() => void) | undefined {
  const stays = process.env.TMPDIR !== undefined || scaled(false, true)
  if (stays || !hasRoom()) return undefined
  const folder = mkdtempSync(`${MEMORY}/svc-tests-`)
  // The user that PostgreSQL runs as has to get to its files.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  // A run that is interrupted ends without what is returned here.
  process.once('exit', remove)
  return () => {
    delete process.env.TMPDIR
    remove()
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM && process.availableMemory() >= 2 * ROOM && mayRunPrograms()
  } catch {
    return false
  }
}

/** Some tests write programs and start them, which containers forbid there. */
function mayRunPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.find(line => line.split(' ')[1] === MEMORY)?.split(' ') ?? []
  return type === 'tmpfs' && !options.split(',').includes('noexec')
}
