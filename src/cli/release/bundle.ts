import { type Hash, createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { fileLike } from '../files.ts'
import { compareTexts } from '../../base/text.ts'
import { CanonicalText, MOST_STORED_BYTES, isLeftOut, isTextPath } from '../../rules/checksum.ts'
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
  await requireReleaseFile(path)
  const paths = (await filesBelow(path, '')).sort(compareTexts)
  return { root: path, paths, releasePath: RELEASE_FILE, isFolder: true }
}

/** Read before the folder is walked through: one that was named by mistake may hold the whole disk. */
async function requireReleaseFile(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable(folder))
  const entry = entries.find(({ name }) => name === RELEASE_FILE)
  if (entry?.isFile() === true) return
  const hint = entry?.isSymbolicLink() === true ? ' but a symlink, which is left out of a bundle' : ''
  throw badRequest(`There is no ${RELEASE_FILE} in ${folder}${hint}.`)
}

/** SHA-256 of the canonical bundle, lowercase hex (specification, Bundle and checksum). */
export async function bundleChecksum(bundle: Bundle): Promise<string> {
  return (await readCanonical(bundle)).checksum
}

/** A file as the checksum reads it. */
export interface CanonicalFile {
  readonly sha256: string
  readonly bytes: number
  /** Only of a text, and where the caller wants it. */
  readonly text?: string
}

/**
 * The checksum of a bundle, and its files by path with a hash of each. With texts, throws 400 where they are more than is
 * kept.
 */
export async function readCanonical(
  { root, paths }: Bundle,
  { withTexts = false } = {},
): Promise<{ checksum: string; files: ReadonlyMap<string, CanonicalFile> }> {
  const files = new Map<string, CanonicalFile>()
  const texts: string[] = []
  let hash = createHash('sha256')
  for (const path of paths) {
    const { bundle, file, isText } = await readContent(root, path, hash.update(`${path}\0`))
    hash = bundle.update('\0')
    files.set(path, file)
    if (isText) texts.push(path)
  }
  if (withTexts) await addTexts(root, files, texts)
  return { checksum: hash.digest('hex'), files }
}

/**
 * Reads a file in parts, however long it is, and goes on with the hash of the bundle. That it is no text may show at its
 * end only, so both forms are hashed.
 */
async function readContent(
  root: string,
  path: string,
  bundle: Hash,
): Promise<{ bundle: Hash; file: CanonicalFile; isText: boolean }> {
  const [file, isNormalised] = [join(root, path), isTextPath(path)]
  const asText = { bundle: bundle.copy(), own: createHash('sha256'), bytes: 0 }
  const asIs = { bundle, own: createHash('sha256'), bytes: 0 }
  const text = new CanonicalText()
  let hasNul = false
  const add = (form: typeof asIs, part: Uint8Array): void => {
    form.bundle.update(part)
    form.own.update(part)
    form.bytes += part.length
  }
  try {
    for await (const part of createReadStream(file) as AsyncIterable<Uint8Array>) {
      const normal = text.next(part)
      add(asIs, part)
      if (isNormalised) add(asText, normal)
      hasNul ||= part.includes(0)
    }
  } catch (error) {
    unreadable(file)(error as NodeJS.ErrnoException)
  }
  const isUtf8 = text.end()
  const form = isNormalised && isUtf8 ? asText : asIs
  return {
    bundle: form.bundle,
    file: { sha256: form.own.digest('hex'), bytes: form.bytes },
    isText: isUtf8 && !hasNul,
  }
}

/** Adds the texts of a bundle, as they are hashed. */
async function addTexts(
  root: string,
  files: Map<string, CanonicalFile>,
  paths: readonly string[],
): Promise<void> {
  const bytes = paths.reduce((sum, path) => sum + files.get(path)!.bytes, 0)
  if (bytes > MOST_STORED_BYTES) {
    throw badRequest(
      `The texts of the bundle have ${bytes} bytes; at most ${MOST_STORED_BYTES} are kept. Leave out --store-files.`,
    )
  }
  for (const path of paths) {
    const content = await readFile(join(root, path)).catch(unreadable(join(root, path)))
    const normal = isTextPath(path) ? new CanonicalText().next(content) : content
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(normal)
    files.set(path, { ...files.get(path)!, text })
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
    // Not as arguments of one call, of which there may be only so many.
    if (entry.isDirectory()) for (const below of await filesBelow(root, path)) found.push(below)
    else if (entry.isFile()) found.push(path)
  }
  return found
}

function unreadable(path: string) {
  return function refuse(error: NodeJS.ErrnoException): never {
    throw badRequest(`${path} can't be read: ${reasonOf(error)}.${fileLike(path, error)}`, error)
  }
}
