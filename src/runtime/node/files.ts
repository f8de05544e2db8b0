import { type FileHandle, mkdir, open, readlink, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** A file system error in words. */
export function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return REASONS[code ?? ''] ?? message
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symlinks go round in circles',
  ENOSPC: 'the disk is full',
  EFBIG: 'the file may not grow that large',
  EROFS: 'the file system is read-only',
  EEXIST: 'it exists already',
}

/**
 * Makes a file for its owner alone, empty, unless it is there; returns whether it did. Behind a link that leads nowhere
 * yet it makes the file that it leads to. What can't be made, who opens it will say.
 */
export async function makePrivateFile(path: string): Promise<boolean> {
  const file = await open(await linkedPath(path), 'ax', 0o600).catch(() => undefined)
  await file?.close()
  return file !== undefined
}

/** As many links as Linux follows. */
const MOST_LINKS = 40

async function linkedPath(path: string): Promise<string> {
  let at = path
  for (let links = 0; links < MOST_LINKS; links++) {
    const target = await readlink(at).catch(() => undefined)
    if (target === undefined) break
    at = resolve(dirname(at), target)
  }
  return at
}

/**
 * Makes a folder and those above it, for their owner alone. Node's own recursive mkdir never returns where a file system refuses new
 * folders with ENOENT (/proc).
 */
export async function makeFolder(folder: string): Promise<void> {
  const problem = await tryMkdir(folder)
  if (problem === undefined) return
  if (problem.code !== 'ENOENT' || dirname(folder) === folder) throw problem
  await makeFolder(dirname(folder))
  const still = await tryMkdir(folder)
  if (still !== undefined) throw still
}

async function tryMkdir(folder: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return error as NodeJS.ErrnoException
  }
  return undefined
}

/** Whether others than its owner can read a file. Windows keeps rights otherwise, and tells nothing of them here. */
export async function othersMayRead(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.mode & 0o044) !== 0
}

/**
 * Opens a new file that is written before it takes its place. One that a killed process left under the name goes; a
 * link that was planted there is not written through.
 */
export async function openPart(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx', 0o600)
}
