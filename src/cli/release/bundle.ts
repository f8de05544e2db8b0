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
export async function bundleChecksum(bundle: Bundle): Promise<string> {
  return (await readCanonical(bundle)).checksum
}

/** A file as the checksum reads it. */
export interface CanonicalFile {
  readonly sha256: string
  readonly bytes: number
  /** Only of a text, and where it was asked for. */
  readonly text?: string
}

/** The checksum of a bundle, and its files by path with a hash of each. */
export async function readCanonical(
  { root, paths }: Bundle,
  { withTexts = false } = {},
): Promise<{ checksum: string; files: ReadonlyMap<string, CanonicalFile> }> {
  const [hash, files] = [createHash('sha256'), new Map<string, CanonicalFile>()]
  for (const path of paths) {
    const file = join(root, path)
    const parts = canonicalFile({ path, bytes: await readFile(file).catch(unreadable(file)) })
    for (const part of parts) hash.update(part)
    const content = parts[2]!
    const text = withTexts ? textOf(content) : undefined
    files.set(path, {
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      ...(text === undefined ? {} : { text }),
    })
  }
  return { checksum: hash.digest('hex'), files }
}

/** Undefined for what is no text that a ledger keeps: not UTF-8, or with a NUL. */
function textOf(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
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
