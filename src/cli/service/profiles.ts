import { readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { badRequest } from '../../base/errors.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import { writeWhole } from '../files.ts'
import type { Io } from '../terminal/io.ts'

/** A service that is called by a name, and the token for it. */
export interface Profile {
  readonly url: string
  readonly token: string | undefined
  /** How another token is got when this one has ended. */
  readonly login?: SavedLogin | undefined
}

/** What `svc login` keeps of a sign-in. */
export interface SavedLogin {
  readonly issuer: string
  readonly client_id: string
  readonly nonce_secret: string
  readonly refresh_token?: string | undefined
}

type ProfileIo = Pick<Io, 'env'>

/** What `--profile` names. Throws 400 for an unknown name, or where others can read its token. */
export async function readProfile(name: string, io: ProfileIo): Promise<Profile> {
  const file = fileOf(name, io)
  let text: string
  try {
    requirePrivate(file)
    text = readFileSync(file, 'utf8')
  } catch (failure) {
    const error = failure as NodeJS.ErrnoException
    if (error.code === 'ENOENT') throw badRequest(await unknownProfile(name, io), error)
    if (error.code === undefined) throw error
    throw badRequest(`${file} can't be read: ${reasonOf(error)}.`, error)
  }
  const { url, token, login } = parsed(text, file, name)
  return { url, token, ...(login === undefined ? {} : { login }) }
}

/** Writes a file of its own for each profile, readable by its owner alone. */
export async function saveProfile(name: string, profile: Profile, io: ProfileIo): Promise<void> {
  const file = fileOf(name, io)
  const folder = dirname(file)
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`${folder} can't be made: ${reasonOf(error)}.`, error)
  })
  await writeWhole(file, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 })
}

/** How old a lock is whose process is gone, ms: what is locked takes seconds. */
const STALE_LOCK_MS = 60_000

/** Does something with a profile while no other process of this machine does. */
export async function withLock<T>(name: string, io: ProfileIo, work: () => Promise<T>): Promise<T> {
  const lock = `${fileOf(name, io)}.lock`
  for (;;) {
    try {
      await mkdir(lock)
      break
    } catch (failure) {
      const error = failure as NodeJS.ErrnoException
      if (error.code !== 'EEXIST') throw badRequest(`${lock} can't be made: ${reasonOf(error)}.`, error)
    }
    const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > STALE_LOCK_MS) await rmdir(lock).catch(() => {})
    else await wait(50)
  }
  try {
    return await work()
  } finally {
    await rmdir(lock).catch(() => {})
  }
}

export async function removeProfile(name: string, io: ProfileIo): Promise<void> {
  await rm(fileOf(name, io)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw badRequest(await unknownProfile(name, io), error)
    throw badRequest(`${fileOf(name, io)} can't be removed: ${reasonOf(error)}.`, error)
  })
}

/** The names of all profiles, in order; none where they can't be read. */
export async function profileNames(io: ProfileIo): Promise<string[]> {
  const files = await readdir(profileFolder(io)).catch(() => [])
  const names = files.filter(file => file.endsWith(ENDING)).map(file => file.slice(0, -ENDING.length))
  return names.filter(name => NAME.test(name)).sort()
}

const ENDING = '.json'
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

function fileOf(name: string, io: ProfileIo): string {
  if (!NAME.test(name)) {
    throw badRequest(
      `A profile is named by up to 64 letters, digits, dots, dashes and underscores, not '${name}'.`,
    )
  }
  return join(profileFolder(io), name + ENDING)
}

/** Where programs keep what belongs to a user (XDG Base Directory Specification; %APPDATA% on Windows). */
function profileFolder({ env }: ProfileIo): string {
  const own = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  const home = process.platform === 'win32' ? env.USERPROFILE : env.HOME
  const base = own && isAbsolute(own) ? own : home ? join(home, '.config') : undefined
  if (base === undefined) throw badRequest('Profiles are kept in $HOME/.config/svc, and HOME is not set.')
  return join(base, 'svc', 'profiles')
}

/** As ssh does with its keys. Windows keeps the rights of files otherwise. */
function requirePrivate(file: string): void {
  if (process.platform === 'win32') return
  if ((statSync(file).mode & 0o077) !== 0)
    throw badRequest(`Others can read the token in ${file}; chmod 600 it, and change the token.`)
  const folder = dirname(file)
  if ((statSync(folder).mode & 0o022) !== 0)
    throw badRequest(`Others can write profiles to ${folder}; chmod 700 it, and check what is there.`)
}

function parsed(text: string, file: string, name: string): Partial<Profile> & { url: string } {
  try {
    const { url, token, login } = JSON.parse(text) as Record<string, unknown>
    const isLogin = login === undefined || (typeof login === 'object' && login !== null)
    if (typeof url === 'string' && (token === undefined || typeof token === 'string') && isLogin)
      return { url, token, login: login as SavedLogin | undefined }
  } catch {
    // Its words would show a part of the token.
  }
  throw badRequest(
    `${file} is not a valid profile; write it again with \`svc profile set ${name} --url URL\`.`,
  )
}

async function unknownProfile(name: string, io: ProfileIo): Promise<string> {
  const names = await profileNames(io)
  const [similar] = similarNames(name, names, 1)
  const hint =
    similar !== undefined
      ? `did you mean ${similar}?`
      : names.length > 0
        ? `there are ${firstFew(names)}`
        : `make it with \`svc profile set ${name} --url URL\``
  return `There is no profile ${name}; ${hint}`
}
