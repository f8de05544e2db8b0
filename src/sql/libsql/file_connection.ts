import Driver from 'libsql'
import { type Result, type Statement, type Value, raw } from '../port.ts'
import { toRow } from './rows.ts'

/**
 * One connection to a SQLite file. It keeps statements prepared that come again and again: SQLite takes
 * longer to compile most of them than to run them. Throws what the driver throws.
 */
export class FileConnection {
  readonly #driver: Driver.Database
  readonly #prepared = new Map<string, Prepared>()

  /** Waits for locks for `timeout` ms, in the thread that asks. */
  constructor(path: string, timeout: number) {
    this.#driver = new Driver(path, { timeout })
  }

  get isOpen(): boolean {
    return this.#driver.open
  }

  execute({ text, params }: Statement): Result {
    const { statement, isReader, columns } = this.#prepare(text)
    for (const param of params) {
      // It would become NULL.
      if (typeof param === 'number' && !Number.isFinite(param))
        throw new RangeError(`SQL can't hold ${param}`)
    }
    if (!isReader) return { rows: [], changes: statement.run(params).changes }
    const found = statement.all(params) as unknown[][]
    if (found.length === 0) return { rows: [], changes: 0 }
    // It is when it runs that SQLite takes note of a change of the schema.
    const names = columns ?? namesOf(statement)
    return { rows: found.map(values => toRow(names, values.map(toValue))), changes: found.length }
  }

  /** All statements or none. */
  transaction(mode: 'DEFERRED' | 'IMMEDIATE', statements: readonly Statement[]): Result[] {
    this.execute(raw(`BEGIN ${mode}`))
    try {
      const results = statements.map(statement => this.execute(statement))
      this.execute(raw('COMMIT'))
      return results
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  close(): void {
    this.#prepared.clear()
    if (this.#driver.open) this.#driver.close()
  }

  /** Of some errors SQLite rolls back itself. A connection that can't be rolled back is of no use to anybody. */
  #rollBack(): void {
    try {
      if (this.#driver.inTransaction) this.execute(raw('ROLLBACK'))
    } catch {
      this.close()
    }
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text)
    if (known !== undefined) {
      this.#prepared.delete(text)
      this.#prepared.set(text, known)
      return known
    }
    const prepared = prepare(this.#driver, text)
    // Some PRAGMAs do what they do when they are prepared.
    if (text.length > LONGEST_KEPT || text.startsWith('PRAGMA')) return prepared
    this.#prepared.set(text, prepared)
    if (this.#prepared.size > MOST_KEPT) this.#prepared.delete(this.#prepared.keys().next().value!)
    return prepared
  }
}

interface Prepared {
  readonly statement: Driver.Statement
  /** Whether it has rows to give. */
  readonly isReader: boolean
  /** Absent where a change of the schema may change them. */
  readonly columns: readonly string[] | undefined
}

/** Those used last; a statement takes some 5 to 100 kB. The longest of a comparison has 21,000 characters, and takes 1.6 ms to compile. */
const MOST_KEPT = 200
const LONGEST_KEPT = 100_000

function prepare(driver: Driver.Database, text: string): Prepared {
  const statement = driver.prepare(text)
  if (!statement.reader) return { statement, isReader: false, columns: [] }
  // Numbers beyond those that JavaScript tells apart would otherwise be rounded.
  statement.safeIntegers(true).raw(true)
  return {
    statement,
    isReader: true,
    columns: /(?:select\s+|\.)\*/i.test(text) ? undefined : namesOf(statement),
  }
}

function namesOf(statement: Driver.Statement): string[] {
  return statement.columns().map(({ name }) => name)
}

function toValue(value: unknown): Value {
  if (typeof value !== 'bigint') return value as Value
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`the number ${value} in the database is beyond what can be read exactly`)
}
