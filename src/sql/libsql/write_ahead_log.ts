import { statSync } from 'node:fs'
import type { Usage } from '../port.ts'
import { LARGE_LOG_BYTES, raw } from '../port.ts'
import type { FileConnection } from './file_connection.ts'

/** How large the log of a database is, and for how long a reader has kept it from being emptied. */
export class WriteAheadLog {
  readonly #path: string
  /** The frames that could be taken over when it was first seen to be stuck. */
  #stuck: { readonly frames: unknown; readonly since: number } | undefined

  constructor(path: string) {
    this.#path = `${path}-wal`
  }

  /** `now` is a clock that only goes forward, ms. Takes over what it can into the database where the log is large. */
  usage(connection: FileConnection, now: number): NonNullable<Usage['log']> {
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
    if (bytes < LARGE_LOG_BYTES) this.#stuck = undefined
    else {
      const { log, checkpointed } = connection.execute(raw('PRAGMA wal_checkpoint(PASSIVE)')).rows[0]!
      if (log === checkpointed) this.#stuck = undefined
      else if (this.#stuck?.frames !== checkpointed) this.#stuck = { frames: checkpointed, since: now }
    }
    return { bytes, stuckMs: this.#stuck === undefined ? 0 : now - this.#stuck.since }
  }
}
