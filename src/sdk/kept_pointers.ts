import type { Pointer } from './types.ts'

/** Keeps the last known pointer of a place, for a start while the service is away. */
export interface Kept {
  read(): Promise<Pointer | undefined>
  write(pointer: Pointer): Promise<void>
}

/** What is used of Node's file system; other runtimes have none. */
interface Files {
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  writeFile(path: string, text: string): Promise<void>
  rename(from: string, to: string): Promise<void>
}

/** A file per place in a folder. Throws where the runtime has no files. */
export async function keptIn(
  folder: string,
  service: string,
  [agent_id, environment]: readonly [string, string],
): Promise<Kept> {
  const files = nodeFiles()
  const path = `${folder}/${await nameOf(JSON.stringify([service, agent_id, environment]))}.json`
  return {
    read: async () => {
      const text = await files.readFile(path, 'utf8').catch((error: { code?: string }) => {
        if (error.code === 'ENOENT') return 'null'
        throw error as Error
      })
      const found = JSON.parse(text) as Partial<Pointer> | null
      const isIt =
        typeof found?.release_id === 'string' &&
        found.agent_id === agent_id &&
        found.environment === environment
      return isIt ? (found as Pointer) : undefined
    },
    write: async pointer => {
      await files.mkdir(folder, { recursive: true })
      // Renamed, so that a reader or a crash never meets half a file; named apart, as other processes write it too.
      const half = `${path}.${crypto.randomUUID()}`
      await files.writeFile(half, `${JSON.stringify(pointer)}\n`)
      await files.rename(half, path)
    },
  }
}

/** Found at run time, so that bundles for browsers and Workers hold no import of it. */
function nodeFiles(): Files {
  const { process: node } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { promises: Files } | undefined }
  }
  const found = node?.getBuiltinModule?.('node:fs')
  if (found === undefined) throw new Error('This runtime keeps no files; leave `folder` out.')
  return found.promises
}

/** A name that any text can be a file by. */
async function nameOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest).slice(0, 16), byte => byte.toString(16).padStart(2, '0')).join('')
}
