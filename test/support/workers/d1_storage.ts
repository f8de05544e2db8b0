import { createHash, createHmac } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shared } from '../shared.ts'

/** The class of Durable Objects that are Miniflare's D1 databases. */
const CLASS = 'miniflare-D1DatabaseObject'

/** Where Miniflare keeps D1 databases (`d1Persist`). */
export interface D1Storage {
  readonly folder: string
  /** Puts an empty ledger into a database that nobody has opened yet. */
  readonly migrate: (name: string) => Promise<void>
  readonly remove: () => void
}

export function d1Storage(): D1Storage {
  const folder = mkdtempSync(join(tmpdir(), 'svc-d1-'))
  const files = join(folder, CLASS)
  mkdirSync(files)
  return {
    folder,
    migrate: async name => copyFileSync((await shared('emptyLedger')).file, join(files, fileOf(name))),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** As workerd names the file of a Durable Object that is found by a name. */
function fileOf(name: string): string {
  const key = createHash('sha256').update(CLASS).digest()
  const half = (content: string | Buffer): Buffer =>
    createHmac('sha256', key).update(content).digest().subarray(0, 16)
  const first = half(name)
  return `${Buffer.concat([first, half(first)]).toString('hex')}.sqlite`
}
