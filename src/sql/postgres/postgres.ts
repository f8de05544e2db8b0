import { atMost } from '../deadline.ts'
import { CLOCKS, type Deadline, type Result, type Sql, SqlError, type Statement, sql } from '../port.ts'
import { type Patience, persistently } from '../retry.ts'
import { watchWrites } from '../write_watch.ts'
import { hasLostPlan, mayComeBack, toSqlError } from './errors.ts'
import { type Connect, type Plans, Session } from './session.ts'
import { openSessions } from './sessions.ts'
import type { Host, PostgresSettings } from './settings.ts'

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
 * A PostgreSQL database. It keeps no state in its sessions but plans, where no pooler stands in between, and relies on READ
 * COMMITTED only. Every operation ends within the query time-out of the settings, waits and repetitions included.
 */
export function postgresLedger({ settings, connect, onRetry }: PostgresOptions): Sql {
  // Of all sessions, those that are open included.
  const plans = { kept: settings.prepare }
  const sessions = openSessions(until => openSession(settings, plans, until, connect), settings.max)
  const numbered = placeholders()
  const withSession = <T>(
    what: 'read' | 'write',
    deadline: Deadline,
    use: (session: Session) => Promise<T>,
  ): Promise<T> =>
    persistently(() => sessions.lease(what, deadline, use), {
      toSqlError: error => {
        const failure = toSqlError(error)
        if (hasLostPlan(failure)) plans.kept = 'none'
        return failure
      },
      patienceFor,
      deadline,
      onRetry,
    })
  const toServer = (statement: Statement): Statement => ({ ...statement, text: numbered(statement.text) })

  const checkMs = Math.min(CHECK_MS, settings.queryTimeoutMs)
  const watch = watchWrites(() => {
    const deadline = atMost(checkMs)
    // Writers may all wait for one lock; this is through at once.
    return withSession('read', deadline, session => session.write([LOCK_NOTHING], deadline))
  })

  function facade(timeoutMs: number): Omit<Sql, 'patient'> {
    const read = (statements: readonly Statement[], deadline: Deadline): Promise<Result[]> =>
      withSession('read', deadline, session => session.read(statements.map(toServer), deadline))
    const write = (statements: readonly Statement[], deadline: Deadline): Promise<Result[]> =>
      withSession('write', deadline, session => session.write(statements.map(toServer), deadline))
    return {
      dialect: 'postgres',
      clock: CLOCKS.postgres,
      timeoutMs,
      query: async (statement, deadline) => (await read([statement], atMost(timeoutMs, deadline)))[0]!,
      snapshot: async (statements, deadline) =>
        statements.length === 0 ? [] : read(statements, atMost(timeoutMs, deadline)),
      batch: (statements, { deadline } = {}) => watch.watched(write(statements, atMost(timeoutMs, deadline))),
      check: async (statement, access) => {
        await read([statement], atMost(checkMs))
        if (access === 'write') await watch.check()
      },
      usage: async () => ({ sessions: sessions.usage() }),
      close: () => sessions.end(),
    }
  }

  return { ...facade(settings.queryTimeoutMs), patient: facade(Number.POSITIVE_INFINITY) }
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
  throw new SqlError(failure.kind, `${failure.message} (tried ${names})`, failure.cause, failure.reason)
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
