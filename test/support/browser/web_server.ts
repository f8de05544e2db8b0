import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { openServices } from '../../../src/runtime/node/open.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { serverLog } from '../../../src/runtime/log.ts'
import { type RunningServer, startServer } from '../../../src/runtime/node/server.ts'
import { runOutbox } from '../../../src/runtime/outbox.ts'
import type { Ledger } from '../../../src/ledger/world/ledger.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { type Sql, SqlError, sql as sqlText } from '../../../src/sql/port.ts'

export interface WebServer {
  readonly url: string
  readonly sql: Sql
  /** The ledger as its requests see it, for what a server does by itself. */
  readonly ledger: () => Promise<Ledger>
  /** Milliseconds that the service's clock is behind the real one; a story sets it to tell of the past. */
  readonly clock: { behindMs: number }
  /** Whether the database can't be reached, as far as requests see it. */
  readonly outage: { isOn: boolean }
  /** Posts or puts as JSON and returns the body, whatever the status. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly send: (route: string, body: unknown) => Promise<any>
  /** Lets the server die, as its clients see it: the port is closed until it is started again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends it for good and removes its ledger. */
  close(): Promise<void>
  /** The same, and tells what the ledger was, so that others begin with it. */
  closeAndKeep(): Promise<LedgerFiles>
}

/** The files of a ledger's folder by their paths in it. */
export type LedgerFiles = ReadonlyMap<string, Uint8Array>

export interface WebServerOptions {
  readonly workspace?: Record<string, unknown>
  readonly token?: string
  readonly readToken?: string
  /** How far the story begins behind the real time, ms: the clock of the database is the story's too then. */
  readonly behindMs?: number
  /** The port to listen on; a free one unless given. */
  readonly port?: number
  /** What its folder holds from the start, in place of a new ledger. */
  readonly files?: LedgerFiles
}

/** The service as `svc serve` runs it, pages and all, on a ledger and a port of its own. */
export async function webServer(options: WebServerOptions = {}): Promise<WebServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-web-'))
  for (const [path, content] of options.files ?? []) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const log = serverLog('off', () => undefined, Date.now)
  const environment = readEnvironment({
    SERVICE_LOCAL_API_TOKEN: options.token,
    SERVICE_READ_TOKEN: options.readToken,
  })
  const services = await openServices({
    folder,
    environment,
    version: '0.0.0-test',
    log: log.log,
    workspace: workspaceConfig(options.workspace ?? {}),
  })
  const clock = { behindMs: options.behindMs ?? 0 }
  const outbox = runOutbox(services)
  const outage = { isOn: false }
  const isOwn = options.behindMs !== undefined
  const db = isOwn ? withClock(services.sql, () => Date.now() - clock.behindMs) : services.sql
  const load = async () => ({
    ...services,
    sql: failing(db, outage),
    now: () => Date.now() - clock.behindMs,
    ...(isOwn ? { elapsed: () => performance.now() - clock.behindMs } : {}),
    outboxFilled: outbox.wake,
  })
  const listen = (port: number): Promise<RunningServer> =>
    startServer(load, { host: '127.0.0.1', port, log, drainTimeoutMs: 0 })
  let server = await listen(options.port ?? 0)
  async function end(): Promise<void> {
    await server.close()
    await outbox.stop()
    await services.sql.close()
  }
  const { url } = server
  return {
    url,
    sql: services.sql,
    ledger: load,
    clock,
    outage,
    send: async (route, body) => {
      const [method, path] = route.split(' ') as [string, string]
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        },
        body: JSON.stringify(body),
      })
      return response.json()
    },
    stop: () => server.close(),
    start: async () => {
      server = await listen(Number(new URL(url).port))
    },
    close: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
    closeAndKeep: async () => {
      await end()
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
      const files = new Map(paths.map(path => [relative(folder, path), readFileSync(path)]))
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      return files
    },
  }
}

function withClock(db: Sql, now: () => number): Sql {
  return {
    ...db,
    get clock() {
      return sqlText`CAST(${now()} AS BIGINT)`
    },
  }
}

function failing(sql: Sql, outage: { readonly isOn: boolean }): Sql {
  return new Proxy(sql, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) =>
        outage.isOn
          ? Promise.reject(new SqlError('unavailable', 'the database is gone'))
          : Reflect.apply(value, target, given)
    },
  })
}
