import { FEATURES, identifyBy } from '../../../src/entry/features.ts'
import { routes } from '../../../handlers/index.ts'
import { type Tokens, accessControl } from '../../../src/http/access/access.ts'
import type { Context } from '../../../src/http/access/context.ts'
import { toResponse } from '../../../src/http/wire/message.ts'
import { createRouter } from '../../../src/http/router.ts'
import type { CatalogState } from '../../../src/ledger/world/ledger.ts'
import { newMemo } from '../../../src/ledger/world/memo.ts'
import { newServerTally } from '../../../src/ledger/world/tally.ts'
import type { Send } from '../../../src/ledger/world/send.ts'
import { apiDescription } from '../../../src/runtime/description.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { type Sql, sql as sqlText } from '../../../src/sql/port.ts'
import { withD1Limits } from '../databases/d1_limits.ts'
import type { Answer, Call, CallOptions } from './call.ts'
import { described } from './described.ts'
import { recordLedger } from '../corpus.ts'
import { temporaryLedger } from '../databases/ledger.ts'
import { recorded } from '../databases/recorded.ts'

const MIGRATIONS = {
  sqlite: loadMigrations({ dialect: 'sqlite' }),
  postgres: loadMigrations({ dialect: 'postgres' }),
}

/** Noon of a day: the clock of a test starts here unless it says otherwise. */
export const NOON = Date.UTC(2026, 0, 31, 12)

export interface TestService {
  readonly context: Context
  readonly sql: Sql
  /** The database's clock, epoch ms, and by how much the server's own is ahead of it; a test moves them. */
  readonly clock: { now: number; ahead: number }
  readonly logged: { level: string; message: string; fields: unknown }[]
  /** Sends a request through the router and returns what came back, JSON parsed. */
  readonly call: Call
}

export interface ServiceOptions {
  readonly workspace?: Record<string, unknown>
  readonly tokens?: Tokens
  readonly catalog?: CatalogState
  readonly sql?: Sql
  /** Answers what may be late. */
  readonly follower?: Sql
  readonly maxBodyBytes?: number
  readonly assets?: Context['assets']
  /** Takes webhook deliveries; without it they come to nothing. */
  readonly send?: Send
  /** Whether the database's clock is that of the server's machine, as SQLite's is. */
  readonly sharesClock?: true
  /** Secrets of the environment. */
  readonly secret?: Context['secret']
  /** Number of the first id that it gives. */
  readonly firstId?: number
}

/** What a contract suite is handed: a new service on an empty ledger, whatever database and runtime it runs on. */
export type MakeService = (options?: ServiceOptions) => Promise<TestService>

/** What a service of the tests is made of, before it is decided how requests reach it. */
export type TestBase = Omit<TestService, 'call'>

/** A context on a ledger of its own, with a clock that does not move and ids that count up. */
export async function testBase(options: ServiceOptions = {}): Promise<TestBase> {
  const clock = { now: NOON, ahead: 0 }
  const sql = withClock(
    recorded(withD1Limits(options.sql ?? (await temporaryLedger()))),
    () => clock.now,
    options.sharesClock,
  )
  const logged: TestService['logged'] = []
  const workspace = workspaceConfig(options.workspace ?? {})
  let [ids, passed] = [options.firstId ?? 0, 0]
  const context: Context = {
    sql,
    ...(options.follower === undefined ? {} : { follower: withClock(options.follower, () => clock.now) }),
    workspace,
    memo: newMemo(),
    features: FEATURES,
    tally: newServerTally(),
    now: () => clock.now + clock.ahead,
    // Goes on by itself, as deadlines need, and with the test's clock, but never back.
    elapsed: () => performance.now() + (passed = Math.max(passed, clock.now)),
    newId: prefix => prefix + (ids++).toString(16).padStart(12, '0'),
    log: (level, message, fields) => void logged.push({ level, message, fields }),
    catalog: async () => options.catalog ?? { state: 'off' },
    version: '0.0.0-test',
    migrations: MIGRATIONS[sql.dialect],
    access: accessControl(options.tokens ?? {}, { identify: identifyBy(workspace) }),
    peer: { kind: 'socket', address: '127.0.0.1' },
    assets: options.assets ?? (async () => undefined),
    describe: describeApi,
    nextTurn: async () => {},
    maxBodyBytes: options.maxBodyBytes ?? 16 * 1024 * 1024,
    secret: options.secret ?? (() => undefined),
    send: options.send ?? (async () => ({ problem: 'this test has no network' })),
    outboxFilled: () => {},
    afterwards: work => void work(),
  }
  return { context, sql, clock, logged }
}

/** The same database with a clock of the test's. */
function withClock(db: Sql, now: () => number, sharesClock?: true): Sql {
  return {
    ...db,
    get clock() {
      return {
        ...sqlText`CAST(${now()} AS BIGINT)`,
        ...(sharesClock === undefined ? {} : { isLocal: sharesClock }),
      }
    },
  }
}

/** It keeps nothing of a service. */
const router = createRouter(routes)
const describeApi = apiDescription('0.0.0-test')

/** The whole service in this process. */
export async function testService(options: ServiceOptions = {}): Promise<TestService> {
  const base = await testBase(options)
  const { context } = base
  const access = accessControl({ main: 'main-token' })
  const headers = { authorization: 'Bearer main-token' }
  recordLedger(route => callIn({ ...context, access }, route, { headers }))
  return {
    ...base,
    call: described((route, { peer, ...request } = {}) =>
      callIn(peer === undefined ? context : { ...context, peer }, route, request),
    ),
  }
}

async function callIn(
  context: Context,
  route: string,
  { body, query, headers = {} }: CallOptions,
): Promise<Answer> {
  const [method, path] = route.split(' ') as [string, string]
  const request = new Request(urlOf('http://localhost:8765', path, query), {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: toBody(body) }),
  })
  const response = toResponse(await router(request, context))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parseOrText(text) }
}

/** Another server on the ledger of a service, in this process, perhaps over a database that misbehaves. */
export async function sameLedger(
  { clock, sql }: TestService,
  db: Sql = sql,
  workspace: Record<string, unknown> = {},
): Promise<TestService> {
  const other = await testService({ sql: db, firstId: 500_000, workspace })
  other.clock.now = clock.now
  return other
}

/** The URL of a path and query on a server. */
export function urlOf(base: string, path: string, query: CallOptions['query'] = {}): URL {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

export function toBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

export function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
