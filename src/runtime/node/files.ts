import { closeSync, mkdirSync, openSync, promises, readlinkSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

// What every command reads of files is read synchronously: it would wait longer for the first thread of the pool, and to
// load `fs/promises`.

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
  ELOOP: 'its symlinks form a loop',
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
  const file = attempt(() => openSync(linkedPath(path), 'ax', 0o600))
  if (file === undefined) return false
  closeSync(file)
  return true
}

/** As many links as Linux follows. */
const MOST_LINKS = 40

function linkedPath(path: string): string {
  let at = path
  for (let links = 0; links < MOST_LINKS; links++) {
    const target = attempt(() => readlinkSync(at))
    if (target === undefined) break
    at = resolve(dirname(at), target)
  }
  return at
}

/**
 * Makes a folder and those above it, for their owner alone unless `mode` says otherwise. Node's own recursive mkdir never
 * returns where a file system refuses new folders with ENOENT (/proc).
 */
export async function makeFolder(folder: string, mode = 0o700): Promise<void> {
  const problem = tryMkdir(folder, mode)
  if (problem === undefined) return
  if (problem.code !== 'ENOENT' || dirname(folder) === folder) throw problem
  await makeFolder(dirname(folder), mode)
  const still = tryMkdir(folder, mode)
  if (still !== undefined) throw still
}

function tryMkdir(folder: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return error as NodeJS.ErrnoException
  }
  return undefined
}

/** Whether others than its owner can read a file. Windows keeps rights otherwise, and tells nothing of them here. */
export async function othersMayRead(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const found = attempt(() => statSync(path))
  return found !== undefined && (found.mode & 0o044) !== 0
}

function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}

/**
 * Opens a new file that is written before it takes its place. One that a killed process left under the name goes; a
 * link that was planted there is not written through.
 */
export async function openPart(path: string): Promise<FileHandle> {
  await promises.rm(path, { force: true })
  return promises.open(path, 'wx', 0o600)
}
