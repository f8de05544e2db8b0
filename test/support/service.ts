import { type RouteName, routes } from '../../handlers/index.ts'
import { type Tokens, accessControl } from '../../src/http/access.ts'
import type { Context, Peer } from '../../src/http/context.ts'
import { createRouter } from '../../src/http/router.ts'
import type { CatalogState } from '../../src/ledger/ledger.ts'
import type { WorkspaceConfig } from '../../src/models/workspace.ts'
import { quickWorkspace } from '../../src/rules/quick_accept.ts'
import type { Sql } from '../../src/sql/port.ts'
import { temporaryLedger } from './ledger.ts'

/** Noon of a day: the clock of a test starts here unless it says otherwise. */
export const NOON = Date.UTC(2026, 0, 31, 12)

export interface TestService {
  readonly context: Context
  readonly sql: Sql
  /** The test's clock, epoch ms; a test moves it. */
  readonly clock: { now: number }
  readonly logged: { level: string; message: string; fields: unknown }[]
  /** Sends a request through the router and returns what came back, JSON parsed. */
  call(route: RouteName | `${string} /${string}`, options?: CallOptions): Promise<Answer>
}

export interface CallOptions {
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown
  readonly query?: Record<string, string | number>
  readonly headers?: Record<string, string>
  readonly peer?: Peer
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly body: any
}

export interface ServiceOptions {
  readonly workspace?: Record<string, unknown>
  readonly tokens?: Tokens
  readonly catalog?: CatalogState
  readonly sql?: Sql
}

/** What a contract suite is handed: a new service on an empty ledger, whatever database and runtime it runs on. */
export type MakeService = (options?: ServiceOptions) => Promise<TestService>

/** The whole service in this process on a ledger of its own, with a clock that stands still. */
export async function testService(options: ServiceOptions = {}): Promise<TestService> {
  const sql = options.sql ?? (await temporaryLedger())
  const clock = { now: NOON }
  const logged: TestService['logged'] = []
  const workspace = quickWorkspace(options.workspace ?? {}) as WorkspaceConfig
  let ids = 0
  const context: Context = {
    sql,
    workspace,
    now: () => clock.now,
    newId: prefix => prefix + (ids++).toString(16).padStart(12, '0'),
    log: (level, message, fields) => void logged.push({ level, message, fields }),
    catalog: async () => options.catalog ?? { state: 'off' },
    version: '0.0.0-test',
    schemaVersions: [1, 2, 3, 4, 5, 6, 7],
    access: accessControl(options.tokens ?? {}),
    peer: { kind: 'socket', address: '127.0.0.1' },
    maxBodyBytes: 16 * 1024 * 1024,
  }
  const router = createRouter(routes)
  return {
    context,
    sql,
    clock,
    logged,
    call: async (route, { body, query, headers = {}, peer } = {}) => {
      const [method, path] = route.split(' ') as [string, string]
      const url = new URL(path, 'http://localhost:8765')
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
      const request = new Request(url, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: toBody(body) }),
      })
      const response = await router(request, peer === undefined ? context : { ...context, peer })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parseOrText(text) }
    },
  }
}

function toBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
