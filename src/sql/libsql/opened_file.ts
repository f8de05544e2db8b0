import { statSync } from 'node:fs'
import { SqlError, raw } from '../port.ts'
import type { FileConnection } from './file_connection.ts'

/**
 * The database file that was opened, and its write-ahead log (`-wal`). SQLite itself goes on with files that have been
 * moved or deleted, and makes new, empty ones where it opens the path again: what is written then is lost to everybody.
 */
export class OpenedFile {
  readonly #path: string
  readonly #logPath: string
  #identity: string | undefined
  /** The log as it was after the last write; undefined while no connection that writes is open. */
  #log: FileIdentity | undefined
  /** What was in the log does not come back, so this stays. */
  #isLogLost = false

  constructor(path: string) {
    this.#path = path
    this.#logPath = `${path}-wal`
  }

  /** To be called when the path was opened. */
  note(): void {
    this.#identity ??= found(this.#path)?.identity
  }

  /** Throws {@link SqlError} where one of the paths leads to another file now, or to none. */
  require(): void {
    if (!this.#isInPlace()) {
      throw new SqlError(
        'unavailable',
        `the ledger ${this.#path} is no longer the file that was opened: it was moved, deleted or replaced; stop the ` +
          'service, put it back, and start again',
        undefined,
        'its file was moved, deleted or replaced',
      )
    }
    this.#compareLog()
    if (this.#isLogLost) throw this.#lostLog()
  }

  /**
   * The same for the connection that writes, before and after each write. Also throws where the log is smaller than what
   * SQLite has in it: somebody emptied it.
   */
  requireLog(connection: FileConnection): void {
    this.require()
    const log = found(this.#logPath)
    if (this.#log !== undefined && log !== undefined && log.bytes < this.#log.bytes) {
      // A checkpoint of another process may have made it smaller.
      this.#isLogLost = !holdsAllFrames(connection, this.#logPath)
      if (this.#isLogLost) throw this.#lostLog()
    }
    this.#log = log
  }

  /** What a read failed by for which a file had no more bytes: that the log is smaller than it was, if so. */
  explain(shortRead: SqlError): SqlError {
    const log = found(this.#logPath)
    if (this.#log !== undefined && log !== undefined && log.bytes < this.#log.bytes) this.#isLogLost = true
    return this.#isLogLost ? this.#lostLog() : shortRead
  }

  /** To be called before the connection that writes is closed: SQLite may delete the log with the last one. */
  leaveLog(): void {
    this.#compareLog()
    this.#log = undefined
  }

  #isInPlace(): boolean {
    return this.#identity === undefined || this.#identity === found(this.#path)?.identity
  }

  /** Whoever moved the file moved its log as well, and may put both back. */
  #compareLog(): void {
    if (this.#log === undefined || !this.#isInPlace()) return
    if (this.#log.identity !== found(this.#logPath)?.identity) this.#isLogLost = true
  }

  #lostLog(): SqlError {
    return new SqlError(
      'unavailable',
      `the ledger ${this.#path} lost ${this.#logPath}, which held the newest writes: it was removed, replaced or emptied ` +
        'while the service ran, so the newest decisions may be gone; stop the service, run `svc doctor --deep`, and ' +
        'restore a backup if it finds something or decisions are missing',
      undefined,
      'its -wal file was removed, replaced or emptied',
    )
  }
}

interface FileIdentity {
  /** Device and inode. */
  readonly identity: string
  readonly bytes: bigint
}

/** A call of the system in place: 5 µs, where a transaction takes 100. */
function found(path: string): FileIdentity | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : { identity: `${stats.dev}:${stats.ino}`, bytes: stats.size }
}

/** Bytes of a log before its first frame, and of a frame without its page (sqlite.org/fileformat2.html#walformat). */
const [LOG_HEADER, FRAME_HEADER] = [32, 24]

/** Whether a log is as long as the frames that SQLite knows of. They are counted twice, since others write meanwhile. */
function holdsAllFrames(connection: FileConnection, logPath: string): boolean {
  const numberOf = (pragma: string, column: string): number =>
    Number(connection.execute(raw(`PRAGMA ${pragma}`)).rows[0]![column])
  const countFrames = (): number => numberOf('wal_checkpoint(PASSIVE)', 'log')
  try {
    const [before, bytes, after] = [countFrames(), found(logPath)?.bytes ?? 0n, countFrames()]
    const frames = Math.min(before, after)
    return frames <= 0 || bytes >= LOG_HEADER + frames * (FRAME_HEADER + numberOf('page_size', 'page_size'))
  } catch {
    // It could not read frames that it knows of.
    return false
  }
}
