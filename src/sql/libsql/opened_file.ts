import { statSync } from 'node:fs'
import { SqlError } from '../port.ts'

/**
 * The database file that was opened. SQLite itself goes on with a file that has been moved or deleted, and makes a new,
 * empty one where it opens the path again: what is written then is lost to everybody.
 */
export class OpenedFile {
  readonly #path: string
  #identity: string | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** To be called when the path was opened. */
  note(): void {
    this.#identity ??= identityOf(this.#path)
  }

  /** Throws {@link SqlError} where the path leads to another file now, or to none. */
  require(): void {
    if (this.#identity === undefined || this.#identity === identityOf(this.#path)) return
    throw new SqlError(
      'unavailable',
      `the ledger ${this.#path} is no longer the file that was opened: it was moved, deleted or replaced; stop the ` +
        'service, put it back, and start again',
      undefined,
      'its file was moved, deleted or replaced',
    )
  }
}

/** Device and inode. A call of the system in place: 5 µs, where a transaction takes 100. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
