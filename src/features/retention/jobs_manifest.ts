import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { openPart } from '../../runtime/node/files.ts'

/** A file of an archive: the run events of a release and day, one to a line. */
export interface ArchivedFile {
  /** Within the folder. */
  readonly path: string
  readonly release_id: string
  /** The day (UTC) of the events' timestamps. */
  readonly day: string
  readonly events: number
  /** Of the file as it is, compressed. */
  readonly sha256: string
}

const NAME = 'manifest.json'

/** The files of an archive; none where there is no manifest yet. Throws 400 for a file that is not a manifest. */
export async function readManifest(folder: string): Promise<readonly ArchivedFile[]> {
  const text = await readFile(join(folder, NAME), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return []
  try {
    const { kind, files } = JSON.parse(text) as { kind?: unknown; files?: readonly ArchivedFile[] }
    if (kind === 'RunEventArchive' && Array.isArray(files)) return files.map(requireSound)
  } catch (error) {
    throw badRequest(`${join(folder, NAME)} is not the manifest of an archive.`, error)
  }
  throw badRequest(`${join(folder, NAME)} is not the manifest of an archive.`)
}

/** The same of an archive that somebody named. Throws 400 where it holds nothing: a slip in its name. */
export async function readNamedManifest(folder: string): Promise<readonly ArchivedFile[]> {
  const files = await readManifest(folder)
  if (files.length === 0) throw badRequest(`${folder} has no manifest.json that names archived files.`)
  return files
}

/** Nothing outside of the folder, and a day, which is read only when the events are back. */
function requireSound(file: ArchivedFile): ArchivedFile {
  const isInside = /^\d{4}-\d\d-\d\d\/[\w.-]+\.jsonl\.gz$/.test(file.path)
  if (isInside && /^\d{4}-\d\d-\d\d$/.test(file.day) && !Number.isNaN(Date.parse(file.day))) return file
  throw new Error(`${file.path} is no file of an archive`)
}

/** Replaces the manifest, whole and on the disk or not at all. */
export async function writeManifest(folder: string, files: readonly ArchivedFile[]): Promise<void> {
  const part = join(folder, `${NAME}.part`)
  const file = await openPart(part)
  try {
    await file.writeFile(
      `${JSON.stringify({ kind: 'RunEventArchive', api_version: 'v1', files }, null, 1)}\n`,
    )
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, join(folder, NAME))
  await syncFolder(folder)
}

/** Puts the names of a folder on the disk. Windows has no such thing, and does it by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
