import postgres from 'postgres'
import { requireTime } from '../deadline.ts'
import { type Deadline, type Result, type Row, type Send, SqlError, type Statement, raw } from '../port.ts'
import { isBroken, toOpenError, toSqlError } from './errors.ts'
import { KNOWN_COLUMNS, valuesProblem } from '../server.ts'
import type { Host, PostgresSettings } from './settings.ts'

/** A connection on its way, as the runtime makes it; the driver opens its own where there is none. */
export interface Wire {
  readonly socket: unknown
  /** Ends it at once, whatever is still to be sent. */
  destroy(): void
}

/** Connects to a host, encrypted as the settings say, before `until`, by `performance.now()`. */
export type Connect = (host: Host, settings: PostgresSettings, until: number) => Promise<Wire>

/** Which statements stay prepared in the sessions of a process; it may come to be none. */
export interface Plans {
  readonly kept: PostgresSettings['prepare']
}

/**
 * One connection, for one operation at a time. The driver may keep bytes of a lost connection for the next one and
 * waits for ever for an answer that doesn't come (3.4.9), so a session whose operation failed for want of a
 * connection, or didn't end in time, is of no more use.
 */
export class Session {
  /** When it was opened, by `performance.now()`. */
  readonly openedAt = performance.now()
  /** Whether the server follows another one, and whether it takes no writes. */
  readonly server: { readonly isStandby: boolean; readonly isReadOnly: boolean }
  readonly #client: postgres.ReservedSql<{ integers: number }>
  readonly #pool: postgres.Sql<{ integers: number }>
  readonly #closed: Promise<never>
  readonly #destroy: () => void
  readonly #plans: Plans
  readonly #ways: Ways
  /** Texts that this session has prepared. */
  readonly #prepared = new Set<string>()
  #isUsable = true

  private constructor({ client, pool, server, closed, destroy, ways }: Opened, plans: Plans) {
    this.server = server
    this.#plans = plans
    this.#ways = ways
    this.#client = client
    this.#pool = pool
    this.#destroy = destroy
    this.#closed = closed
    closed.catch(() => (this.#isUsable = false))
  }

  /** Throws {@link SqlError} where the host doesn't let one in before `until`, by `performance.now()`. */
  static async open(
    host: Host,
    settings: PostgresSettings,
    plans: Plans,
    until: number,
    connect: Connect | undefined,
  ): Promise<Session> {
    return new Session(await openClient(host, settings, until, connect), plans)
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** How much it would have to plan first, characters of frequent statements. */
  unplanned(statements: readonly Statement[]): number {
    if (!this.#keepsFrequent) return 0
    const isMissing = ({ text, isFrequent }: Statement): boolean =>
      isFrequent === true && !this.#prepared.has(text)
    return statements.reduce((sum, statement) => sum + (isMissing(statement) ? statement.text.length : 0), 0)
  }

  /** Reads that see one state of the database. */
  read(statements: readonly Statement[], { leftMs }: Deadline): Promise<Result[]> {
    const until = performance.now() + leftMs()
    return this.#bounded(until, async () => {
      if (statements.length === 1) return this.#all(statements)
      // A transaction that only reads may end whatever becomes of it, so nothing is waited for before.
      const begin = this.#begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', statements, until)
      const results = await this.#all([begin, ...statements, raw('COMMIT')])
      return results.slice(1, -1)
    })
  }

  /** One transaction. */
  write(statements: readonly Statement[], deadline: Deadline): Promise<Result[]> {
    return this.#transaction('ISOLATION LEVEL READ COMMITTED', statements, deadline, send => send(statements))
  }

  /** One transaction of whatever `use` sends in turn, which sees one state of the database: that when `lock` was got. */
  async transaction(lock: Statement, use: (send: Send) => Promise<void>, deadline: Deadline): Promise<void> {
    await this.#transaction('ISOLATION LEVEL REPEATABLE READ', [], deadline, async send => {
      await send([raw(`SET LOCAL idle_in_transaction_session_timeout = ${MOST_IDLE_MS}`), lock])
      await use(send)
    })
  }

  /** Ends it at once, whatever it is doing. */
  destroy(): void {
    this.#isUsable = false
    void this.#pool.end({ timeout: 0 })
    this.#destroy()
  }

  /** Tells the server that it ends. */
  async end(): Promise<void> {
    this.#isUsable = false
    await this.#pool.end({ timeout: 0 })
  }

  #begin(mode: string, statements: readonly Statement[], until: number): Statement {
    // Transaction by transaction: a pooler may give each another connection.
    const timeout =
      until === Number.POSITIVE_INFINITY ? '' : `; SET LOCAL lock_timeout = ${lockTimeoutMs(until)}`
    // Planning again for each set of values costs more than these statements do.
    const plans = this.#plansGenerically(statements) ? '; SET LOCAL plan_cache_mode = force_generic_plan' : ''
    return raw(`BEGIN ${mode}${timeout}${plans}`)
  }

  /**
   * A lock is waited for until shortly before the deadline; a caller who is gone by the time it is there has nothing
   * committed. Once COMMIT is on its way, a lost connection leaves open whether it was done: that error says so.
   */
  async #transaction<T>(
    mode: string,
    statements: readonly Statement[],
    deadline: Deadline,
    use: (send: Send) => Promise<T>,
  ): Promise<T> {
    const until = performance.now() + deadline.leftMs()
    let before = [this.#begin(mode, statements, until)]
    const send: Send = async more => {
      const [opening, all] = [before.length, [...before, ...more]]
      before = []
      return (await this.#all(all)).slice(opening)
    }
    let committing = false
    const begun = async (): Promise<T> => {
      const result = await use(send)
      requireTime(deadline)
      committing = true
      return result
    }
    try {
      return await this.#bounded(until, async () => {
        const result = await begun().catch(async (error: unknown) => {
          if (this.#isUsable && !isBroken(error)) await this.#send(raw('ROLLBACK'))
          throw error
        })
        const commit = await this.#send(raw('COMMIT'))
        // A transaction that had failed is ended without an error: the tag alone says that nothing is stored.
        if (commit.command !== 'COMMIT') {
          throw new SqlError('serialization', `the database answered COMMIT with ${commit.command}`)
        }
        return result
      })
    } catch (error) {
      if (!committing || this.#isUsable) throw error
      throw new SqlError('uncertain', 'the connection was lost while the ledger was written', error)
    }
  }

  /** All of them, sent without waiting in between. Throws what the first one failed with. */
  async #all(statements: readonly Statement[]): Promise<Result[]> {
    const settled = await Promise.allSettled(statements.map(statement => this.#send(statement)))
    return settled.map(result => {
      if (result.status === 'rejected') throw result.reason
      return toResult(result.value)
    })
  }

  #send({ text, params, isFrequent }: Statement): Promise<postgres.RowList<Row[]>> {
    // On a connection that is no more the driver would write to nowhere, and end the process.
    if (!this.#isUsable) return this.#closed
    const isKept = isFrequent === true && (this.#plans.kept === 'all' || this.#keeps(text))
    // Several statements in one text can't be prepared; none of those is frequent.
    if (params.length === 0 && !isKept) return this.#client.unsafe<Row[]>(text)
    const prepare = this.#plans.kept === 'all' || isKept
    // As arguments, the driver would have the server describe them before it sends them, which is twice the way.
    const options = { simple: false, prepare }
    return Object.assign(this.#client.unsafe<Row[]>(text, [], options), { parameters: [...params] })
  }

  #plansGenerically(statements: readonly Statement[]): boolean {
    return this.#ways.knowsPlans && this.#keepsFrequent && statements.every(each => each.isFrequent === true)
  }

  get #keepsFrequent(): boolean {
    return this.#ways.isDirect && this.#plans.kept === 'frequent'
  }

  /** Whether the plan of a frequent text is kept: a server has room for so many. */
  #keeps(text: string): boolean {
    if (!this.#keepsFrequent) return false
    if (this.#prepared.size < MOST_PREPARED) this.#prepared.add(text)
    return this.#prepared.has(text)
  }

  /** Ends the session where an operation doesn't end in time or finds that the connection is of no more use. */
  async #bounded<T>(until: number, operate: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      if (until === Number.POSITIVE_INFINITY) return
      timer = setTimeout(
        () => reject(new SqlError('unavailable', LATE, 'late', LATE)),
        Math.max(0, until - performance.now()),
      )
    })
    try {
      return await Promise.race([operate(), this.#closed, late])
    } catch (error) {
      if (isBroken(error)) this.destroy()
      throw toSqlError(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const LATE = 'the database does not answer in time'

/** How long a process that pauses between two statements may keep others from what it has locked, ms. */
const MOST_IDLE_MS = 1000

/** Ends before the client gives up, so that the server says what it waits for. */
function lockTimeoutMs(until: number): number {
  return Math.max(1, Math.ceil((until - performance.now()) * 0.9))
}

type DriverOptions = Readonly<Record<string, unknown>>

interface Opened {
  readonly client: postgres.ReservedSql<{ integers: number }>
  readonly pool: postgres.Sql<{ integers: number }>
  readonly server: Session['server']
  /** Rejects when the connection has ended. */
  readonly closed: Promise<never>
  readonly destroy: () => void
  readonly ways: Ways
}

/** How a session may keep plans. */
interface Ways {
  /** Whether no pooler is in between. */
  readonly isDirect: boolean
  /** Whether the server has a setting for how it plans what is prepared. */
  readonly knowsPlans: boolean
}

/** Most texts that a session keeps prepared; decisions are some 40. */
const MOST_PREPARED = 200

async function openClient(
  host: Host,
  settings: PostgresSettings,
  until: number,
  connect: Connect | undefined,
): Promise<Opened> {
  const by = Math.min(until, performance.now() + settings.connectTimeoutMs)
  let wire: Wire | undefined
  let wasOpened = false
  let onClose = (): void => {}
  const closed = new Promise<never>((_resolve, reject) => {
    onClose = () => reject(new SqlError('unavailable', 'the database closed the connection', 'closed'))
  })
  closed.catch(() => {})
  const options: DriverOptions = {
    ...driverOptions(host, settings),
    host: host.host,
    port: host.port,
    // The driver's own clock for what is behind the socket: encryption it did itself, and the password.
    connect_timeout: Math.max(1, (by - performance.now()) / 1000),
    onclose: () => onClose(),
    ...(connect === undefined
      ? { ssl: settings.sslmode === 'disable' ? false : settings.sslmode }
      : {
          ssl: false,
          socket: async () => {
            // It connects again by itself when the connection has ended; nobody waits for that one.
            if (wasOpened) throw new Error('a session connects once')
            wasOpened = true
            wire = await connect(host, settings, by)
            return wire.socket
          },
        }),
  }
  // The types of the driver don't know that null is no limit.
  const pool = postgres(options as postgres.Options<{ integers: typeof INTEGERS }>)
  const destroy = (): void => wire?.destroy()
  try {
    const found = await inTime(pool.unsafe<Row[]>(SERVER), by + 1000)
    const { standby, frozen, pid, plans: known } = found[0]!
    const problem = valuesProblem(found[0]!)
    if (problem !== undefined) throw new SqlError('unavailable', problem, undefined, problem)
    // A pooler that gives each transaction another connection answers with a number of its own.
    const ways = { isDirect: pid === found.state.pid, knowsPlans: known === 1 }
    // The driver never gives away a connection that it has just made (3.4.9), so it is used once before.
    const client = await inTime(pool.reserve(), by + 1000)
    const server = { isStandby: standby === 1, isReadOnly: frozen === 1 }
    return { client, pool, server, closed, destroy, ways }
  } catch (error) {
    void pool.end({ timeout: 0 })
    destroy()
    throw toOpenError(error)
  }
}

const SERVER = `SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS standby,
  CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS frozen,
  CASE WHEN current_setting('plan_cache_mode', true) IS NULL THEN 0 ELSE 1 END AS plans, pg_backend_pid() AS pid,
  ${KNOWN_COLUMNS}`

/** What the driver waits for has no end of its own where the connection never comes. */
async function inTime<T>(work: Promise<T>, until: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new SqlError('unavailable', LATE, 'late', LATE)),
      until - performance.now(),
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const INTEGERS = {
  to: 20,
  from: [20, 1700],
  serialize: (value: unknown) => String(value),
  parse: (text: string) => Number(text),
}

function driverOptions(host: Host, settings: PostgresSettings): DriverOptions {
  const { user, password = host.password, database, startup, applicationName } = settings
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    prepare: true,
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    keep_alive: 15,
    target_session_attrs: null,
    // int8 and numeric arrive as text, and all of ours are within what a number holds exactly.
    types: { integers: INTEGERS },
    fetch_types: false,
    onnotice: () => {},
    connection: { ...startup, application_name: applicationName },
  }
}

function toResult(rows: postgres.RowList<Row[]>): Result {
  const hasRows = rows.columns !== undefined && rows.columns?.length > 0
  return { rows: hasRows ? rows.map(row => ({ ...row })) : [], changes: rows.count ?? 0 }
}
