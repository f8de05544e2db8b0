import { createHash } from 'node:crypto'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { canonicalFile, comparePaths, isLeftOut } from '../../rules/checksum.ts'
import { reasonOf } from '../../runtime/node/files.ts'

/** A release bundle on disk: its files by path relative to `root`, in the order of the checksum. */
export interface Bundle {
  readonly root: string
  readonly paths: readonly string[]
  /** Path of release.yaml below `root`. */
  readonly releasePath: string
  readonly isFolder: boolean
}

const RELEASE_FILE = 'release.yaml'

/** Finds the files of a bundle: one release.yaml, or a folder that holds one. Throws 400 where it isn't one. */
export async function findBundle(path: string): Promise<Bundle> {
  const found = await stat(path).catch(unreadable(path))
  if (!found.isDirectory() && !found.isFile()) throw badRequest(`${path} is neither a file nor a folder.`)
  if (found.isFile()) {
    const name = basename(path)
    return { root: dirname(path), paths: [name], releasePath: name, isFolder: false }
  }
  const paths = (await filesBelow(path, '')).sort(comparePaths)
  if (!paths.includes(RELEASE_FILE)) {
    const isLink = await lstat(join(path, RELEASE_FILE)).then(
      entry => entry.isSymbolicLink(),
      () => false,
    )
    const hint = isLink ? ' but a symlink, which is left out of a bundle' : ''
    throw badRequest(`There is no ${RELEASE_FILE} in ${path}${hint}.`)
  }
  return { root: path, paths, releasePath: RELEASE_FILE, isFolder: true }
}

/** SHA-256 of the canonical bundle, lowercase hex (specification, Bundle and checksum). */
export async function bundleChecksum({ root, paths }: Bundle): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    const file = join(root, path)
    const bytes = await readFile(file).catch(unreadable(file))
    for (const part of canonicalFile({ path, bytes })) hash.update(part)
  }
  return hash.digest('hex')
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { encoding: 'buffer' }).catch(
    unreadable(join(root, folder)),
  )
  const found: string[] = []
  for (const raw of names) {
    const name = raw.toString('utf8')
    if (!Buffer.from(name, 'utf8').equals(raw)) {
      throw badRequest(`${join(root, folder, name)}: the file name is not valid UTF-8; rename it.`)
    }
    if (isLeftOut(name)) continue
    const path = folder === '' ? name : `${folder}/${name}`
    const entry = await lstat(join(root, path))
    if (entry.isDirectory()) found.push(...(await filesBelow(root, path)))
    else if (entry.isFile()) found.push(path)
  }
  return found
}

function unreadable(path: string) {
  return function refuse(error: NodeJS.ErrnoException): never {
    throw badRequest(`${path} can't be read: ${reasonOf(error)}.`, error)
  }
}
