import { atMost, atEnd, requireTime } from '../deadline.ts'
import {
  type CallOptions,
  type Deadline,
  type Result,
  type Sql,
  type Statement,
  type Usage,
  SqlError,
  forPostgres,
  isGone,
  sql,
} from '../port.ts'
import { CLOCK } from '../dialect.ts'
import { type Patience, persistently } from '../retry.ts'
import { writeHealth } from '../write_health.ts'
import { hasLostPlan, mayComeBack, toSqlError } from './errors.ts'
import { type Connect, type Plans, Session } from './session.ts'
import { type Host, type PostgresSettings, readSettings } from './settings.ts'

export interface PostgresOptions {
  readonly settings: PostgresSettings
  /** Makes the connections; without it the driver does, encrypted as far as it can. */
  readonly connect?: Connect
  /** Called before a try is repeated, with why. */
  readonly onRetry?: (reason: string) => void
}

/** With a transaction that another one got in the way of, and with a lost server. */
const PATIENCE = { conflict: { tries: 8, pauseMs: 10 }, lost: { tries: 4, pauseMs: 100 } } as const

function patienceFor(failure: SqlError): Patience | undefined {
  if (failure.kind === 'serialization') return PATIENCE.conflict
  return mayComeBack(failure) ? PATIENCE.lost : undefined
}

/** How long a check may take, ms: who asks for it waits for seconds. */
const CHECK_MS = 5000

/** Refused where a write would be. It waits for nobody, and nobody else locks this row. */
const LOCK_NOTHING = sql`SELECT version FROM schema_migrations WHERE version = 1 FOR UPDATE SKIP LOCKED`

/**
 * A PostgreSQL database. It keeps no state in its sessions but plans, where no pooler is in between, and relies on READ
 * COMMITTED only. Every operation ends within the query time-out of the settings, waits and repetitions included.
 */
export function postgresLedger({ settings, connect, onRetry }: PostgresOptions): Sql {
  // Of all sessions, those that are open included.
  const plans = { kept: settings.prepare }
  const sessions = openSessions(until => openSession(settings, plans, until, connect), settings.max)
  const numbered = placeholders()
  const withSession = <T>(
    what: 'read' | 'write',
    statements: readonly Statement[],
    deadline: Deadline,
    use: (session: Session) => Promise<T>,
  ): Promise<T> =>
    persistently(() => sessions.lease(what, statements, deadline, use), {
      toSqlError: error => {
        const failure = toSqlError(error)
        if (hasLostPlan(failure)) plans.kept = 'none'
        return failure
      },
      patienceFor,
      deadline,
      onRetry,
    })
  const toServer = (statement: Statement, { keepsPlans = false }: CallOptions = {}): Statement => {
    const { text, params } = forPostgres(statement)
    return { ...statement, text: numbered(text), params, ...(keepsPlans ? { isFrequent: true } : {}) }
  }

  const { queryTimeoutMs } = settings
  const checkMs = Math.min(CHECK_MS, queryTimeoutMs)
  const health = writeHealth(() => {
    const deadline = atMost(checkMs)
    // Writers may all wait for one lock; this is through at once.
    const nothing = [LOCK_NOTHING]
    return withSession('read', nothing, deadline, session => session.write(nothing, deadline))
  })

  function carryOut(
    what: 'read' | 'write',
    given: readonly Statement[],
    options: CallOptions = {},
  ): Promise<Result[]> {
    const statements = given.map(statement => toServer(statement, options))
    const deadline = atMost(options.timeoutMs ?? queryTimeoutMs, options.deadline)
    return withSession(what, statements, deadline, session => session[what](statements, deadline))
  }

  return {
    dialect: 'postgres',
    clock: CLOCK,
    options: { timeoutMs: queryTimeoutMs, patientMs: Number.POSITIVE_INFINITY },
    query: async (statement, options) => (await carryOut('read', [statement], options))[0]!,
    snapshot: async (statements, options) =>
      statements.length === 0 ? [] : carryOut('read', statements, options),
    batch: (statements, options) => health.noted(carryOut('write', statements, options)),
    check: async (statement, access) => {
      await carryOut('read', [statement], { timeoutMs: checkMs })
      if (access === 'write') await health.check()
    },
    extras: {
      transaction: (lock, use) => {
        const deadline = atMost(queryTimeoutMs)
        const written = sessions.lease('write', [lock], deadline, session =>
          session.transaction(
            lock,
            send => use((more, options) => send(more.map(statement => toServer(statement, options)))),
            deadline,
          ),
        )
        return health.noted(written)
      },
      usage: async () => ({ sessions: sessions.usage() }),
    },
    close: () => sessions.end(),
  }
}

/** A session with the first host that lets one in and is of the wanted kind. */
async function openSession(
  settings: PostgresSettings,
  plans: Plans,
  until: number,
  connect: Connect | undefined,
): Promise<Session> {
  const { hosts, sessionAttrs } = settings
  let failure: SqlError | undefined
  for (const host of hosts) {
    try {
      const session = await Session.open(host, settings, plans, until, connect)
      if (isOfKind(session.server, sessionAttrs)) return session
      await session.end()
      failure ??= new SqlError('unavailable', `no host of the database URL is ${sessionAttrs}`, 'kind')
    } catch (error) {
      failure = toSqlError(error)
      if (performance.now() >= until) break
    }
  }
  if (failure === undefined || hosts.length === 1) throw failure
  const names = hosts.map(({ host, port }: Host) => `${host}:${port}`).join(', ')
  throw new SqlError(
    failure.kind,
    `${failure.reason ?? failure.message} (tried ${names})`,
    failure.cause,
    failure.reason,
  )
}

function isOfKind(
  { isStandby, isReadOnly }: Session['server'],
  wanted: PostgresSettings['sessionAttrs'],
): boolean {
  switch (wanted) {
    case 'primary':
      return !isStandby
    case 'standby':
      return isStandby
    case 'read-write':
      return !isStandby && !isReadOnly
    case 'read-only':
      return isStandby || isReadOnly
    case 'any':
      return true
  }
}

/** Rewrites `?` to `$1`, `$2` …; texts repeat, so each is rewritten once. */
function placeholders(): (text: string) => string {
  const known = new Map<string, string>()
  return function numbered(text) {
    const before = known.get(text)
    if (before !== undefined) return before
    let count = 0
    const rewritten = text.replaceAll('?', () => `$${++count}`)
    if (known.size > 1000) known.clear()
    known.set(text, rewritten)
    return rewritten
  }
}

interface Sessions {
  /**
   * Runs `use` with a session of its own, once one is free: that which keeps most plans of the statements, where there are
   * several. Throws busy where none is in time.
   */
  lease<T>(
    what: 'read' | 'write',
    statements: readonly Statement[],
    deadline: Deadline,
    use: (session: Session) => Promise<T>,
  ): Promise<T>
  usage(): NonNullable<Usage['sessions']>
  /** Waits for what was begun; may be called twice. */
  end(): Promise<void>
}

/** Sessions are closed that nobody has used for so long, or that are so old: poolers and firewalls forget them. */
const IDLE_MS = 60_000
const LIFETIME_MS = 45 * 60_000

/**
 * Up to `max` sessions, opened when they are needed. Writers, which may all wait for one lock, get no more than three
 * quarters of them, so that reads go on.
 */
function openSessions(open: (until: number) => Promise<Session>, max: number): Sessions {
  const idle: Idle[] = []
  const waiting: Waiting[] = []
  const most = { read: max, write: Math.max(1, Math.floor(max * 0.75)) }
  const leased = { read: 0, write: 0 }
  let ended: Promise<unknown> | undefined
  let allBack = (): void => {}

  const isFree = (what: Waiting['what']): boolean =>
    leased.read + leased.write < max && (what === 'read' || leased.write < most.write)

  async function admit(what: Waiting['what'], deadline: Deadline): Promise<void> {
    if (ended !== undefined) throw new SqlError('unavailable', 'the ledger is closed')
    requireTime(deadline)
    if (waiting.length === 0 && isFree(what)) leased[what] += 1
    else await inLine(what, deadline)
  }

  function inLine(what: Waiting['what'], deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown): void => {
        waiting.splice(waiting.indexOf(place), 1)
        reject(isGone(error) ? error : allBusy())
      }
      const place = { what, admit: () => (cancel(), resolve()) }
      waiting.push(place)
      const cancel = atEnd(deadline, giveUp)
      callNext()
    })
  }

  /** Readers pass writers that may not go yet. */
  function callNext(): void {
    const index = waiting.findIndex(({ what }) => isFree(what))
    if (index < 0) return
    const [next] = waiting.splice(index, 1)
    leased[next!.what] += 1
    next!.admit()
    callNext()
  }

  /** Of sessions with as much to plan the one that was used last. */
  function takeIdle(statements: readonly Statement[]): Session | undefined {
    let best: Idle | undefined
    let least = Number.POSITIVE_INFINITY
    for (const found of idle.toReversed()) {
      const unplanned = found.session.isUsable ? found.session.unplanned(statements) : undefined
      if (unplanned === undefined) leave(found)
      else if (unplanned < least) [best, least] = [found, unplanned]
      if (least === 0) break
    }
    if (best !== undefined) leave(best)
    return best?.session
  }

  function leave(found: Idle): void {
    clearTimeout(found.timer)
    idle.splice(idle.indexOf(found), 1)
  }

  function keep(session: Session): void {
    if (!session.isUsable) return
    if (performance.now() - session.openedAt > LIFETIME_MS) return void session.end()
    const timer = setTimeout(() => {
      leave(kept)
      void session.end()
    }, IDLE_MS)
    const kept = { session, timer }
    idle.push(kept)
  }

  return {
    async lease(what, statements, deadline, use) {
      await admit(what, deadline)
      let session: Session | undefined
      try {
        session = takeIdle(statements) ?? (await open(performance.now() + deadline.leftMs()))
        return await use(session)
      } finally {
        if (session !== undefined) keep(session)
        leased[what] -= 1
        callNext()
        if (leased.read + leased.write === 0) allBack()
      }
    },
    usage() {
      const inLineFor = (access: Waiting['what']): number =>
        waiting.filter(({ what }) => what === access).length
      return {
        most: max,
        idle: idle.length,
        leased: { ...leased },
        waiting: { read: inLineFor('read'), write: inLineFor('write') },
      }
    },
    async end() {
      ended ??= new Promise<void>(resolve => {
        allBack = resolve
        if (leased.read + leased.write === 0) resolve()
      }).then(() =>
        Promise.all(
          idle.splice(0).map(({ session, timer }) => {
            clearTimeout(timer)
            return session.end()
          }),
        ),
      )
      await ended
    },
  }
}

function allBusy(): SqlError {
  const text = 'all connections to the database are busy'
  return new SqlError('busy', text, undefined, text)
}

interface Idle {
  readonly session: Session
  readonly timer: NodeJS.Timeout
}

interface Waiting {
  readonly what: 'read' | 'write'
  readonly admit: () => void
}

/** A PostgreSQL database over the sockets of Workers, which the driver opens itself. */
export function openPostgres({ url }: { readonly url: string }): Sql {
  // Connections that end with their request are nothing to measure.
  const db = postgresLedger({ settings: readSettings(url) })
  const { usage: _, ...extras } = db.extras!
  return { ...db, extras }
}
