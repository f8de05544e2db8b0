import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Result, type Row, SqlError, type Statement, raw } from '../../src/sql/port.ts'

export interface DatabaseOptions {
  /** What a database of this kind serialized before. */
  readonly image?: Uint8Array | undefined
  /** The database's clock, epoch ms. */
  readonly now: () => number
  readonly onCommit: (statements: readonly Statement[]) => void
}

/** The clock of such a database, read when a statement runs. */
export const SIMULATED_CLOCK = raw('simulated_clock()')

/** A real SQLite database in memory, with a standby behind it. What it does is done at once. */
export class SimulatedDatabase {
  readonly #db = new DatabaseSync(':memory:')
  readonly #prepared = new Map<string, Prepared>()
  readonly #onCommit: DatabaseOptions['onCommit']
  readonly #now: () => number
  #standby: DatabaseSync | undefined
  /** Transactions whose statements ran on a connection that is gone, and whose COMMIT is still on its way. */
  #late: { readonly statements: readonly Statement[]; readonly commits: boolean } | undefined

  constructor({ image, now, onCommit }: DatabaseOptions) {
    if (image !== undefined) this.#db.deserialize(image)
    this.#onCommit = onCommit
    this.#now = now
    this.#db.function('simulated_clock', now)
  }

  read(statements: readonly Statement[]): Result[] {
    return statements.map(statement => this.#run(statement))
  }

  /** Rows for the invariants, as they are now. */
  rows(text: string, ...params: (string | number)[]): Row[] {
    return this.#run({ text, params }).rows
  }

  /** All statements or none. Where `upTo` is given, the server dies after so many: none. */
  write(statements: readonly Statement[], upTo = statements.length): Result[] {
    this.settleLate()
    this.#db.exec('BEGIN IMMEDIATE')
    let results: Result[]
    try {
      results = statements.slice(0, upTo).map(statement => this.#run(statement))
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
    this.#db.exec(upTo < statements.length ? 'ROLLBACK' : 'COMMIT')
    if (upTo === statements.length) this.#onCommit(statements)
    return results
  }

  /** Holds what is written until somebody else writes, or time passes; readers don't see it before. */
  writeLater(statements: readonly Statement[], commits: boolean): void {
    this.settleLate()
    this.#late = { statements, commits }
  }

  settleLate(): void {
    const late = this.#late
    this.#late = undefined
    if (late?.commits !== true) return
    try {
      this.write(late.statements)
    } catch (error) {
      // The transaction failed on its own: its answer is lost anyway.
      if (!(error instanceof SqlError)) throw error
    }
  }

  /** Reads from the standby, which first catches up unless `stale`. */
  readStandby(statements: readonly Statement[], stale: boolean): Result[] {
    if (this.#standby === undefined || !stale) {
      // Node 24 may crash (SIGSEGV) when a database that has statements is deserialized again.
      this.#standby?.close()
      this.#standby = this.#newStandby()
      this.#standby.deserialize(this.#db.serialize())
    }
    const standby = this.#standby
    return statements.map(({ text, params }) => toResult(standby.prepare(text), params, true))
  }

  serialize(): Uint8Array {
    return this.#db.serialize()
  }

  close(): void {
    this.#prepared.clear()
    this.#standby?.close()
    this.#db.close()
  }

  #newStandby(): DatabaseSync {
    const standby = new DatabaseSync(':memory:')
    standby.function('simulated_clock', this.#now)
    return standby
  }

  #run({ text, params }: Statement): Result {
    let prepared = this.#prepared.get(text)
    try {
      if (prepared === undefined) {
        const statement = this.#db.prepare(text)
        prepared = { statement, hasRows: statement.columns().length > 0 }
        this.#prepared.set(text, prepared)
      }
      return toResult(prepared.statement, params, prepared.hasRows)
    } catch (error) {
      throw toSqlError(error)
    }
  }
}

interface Prepared {
  readonly statement: StatementSync
  readonly hasRows: boolean
}

function toResult(statement: StatementSync, params: Statement['params'], hasRows: boolean): Result {
  if (!hasRows) return { rows: [], changes: Number(statement.run(...params).changes) }
  const rows = statement.all(...params) as Row[]
  return { rows, changes: rows.length }
}

/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE (sqlite.org/rescode.html). */
const UNIQUE_CODES = [1555, 2067]

function toSqlError(error: unknown): SqlError {
  const { errcode, message } = error as { errcode?: number; message: string }
  return new SqlError(UNIQUE_CODES.includes(errcode ?? 0) ? 'unique' : 'other', message, error)
}
