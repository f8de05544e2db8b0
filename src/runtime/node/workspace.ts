import { promises, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { CatalogState, Log } from '../../ledger/world/ledger.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { CONFIG_FILE, parseCatalog, parseWorkspace } from '../documents.ts'
import { reasonOf } from './files.ts'

/** Reads service.yaml of a folder. Throws 400 where there is none or it isn't valid. */
export async function loadWorkspace(folder: string, log: Log): Promise<WorkspaceConfig> {
  return parseWorkspace(decodeUtf8(readConfig(folder)), log)
}

/** Reads in place: a command that has just started would wait 5 ms for the first thread of the pool. */
function readConfig(folder: string): Uint8Array {
  try {
    return readFileSync(join(folder, CONFIG_FILE))
  } catch (failure) {
    const error = failure as NodeJS.ErrnoException
    if (error.code !== 'ENOENT') throw badRequest(`${CONFIG_FILE} can't be read: ${reasonOf(error)}.`, error)
    throw badRequest(
      `Workspace config not found: ${CONFIG_FILE} in ${folder}; make one with \`svc init\``,
      error,
    )
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw badRequest(`${CONFIG_FILE} is not a UTF-8 text.`, error)
  }
}

/**
 * A reader of the pricing catalog that looks at the file each time and parses it when it has changed, so that an
 * operator's edit counts from the next diff on.
 */
export function catalogReader(folder: string, path: string | null | undefined): () => Promise<CatalogState> {
  if (path == null || path === '') return async () => ({ state: 'off' })
  const file = resolve(folder, path)
  let seen = ''
  let state: CatalogState = { state: 'off' }
  return async function readCatalog() {
    const found = await promises.stat(file).catch(() => undefined)
    if (found === undefined) return { state: 'off' }
    const version = `${found.mtimeMs}:${found.size}:${found.ino}`
    if (version !== seen) {
      state = await promises.readFile(file, 'utf8').then(
        text => parseCatalog(text, path),
        (error: NodeJS.ErrnoException) => ({
          state: 'malformed' as const,
          problem: `${path} can't be read: ${reasonOf(error)}`,
        }),
      )
      seen = version
    }
    return state
  }
}
