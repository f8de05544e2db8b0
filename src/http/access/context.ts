import type { Ledger, Progress } from '../../ledger/world/ledger.ts'
import type { Family } from '../../ledger/world/tally.ts'
import type { Migration, Sql } from '../../sql/port.ts'
import type { Access, Caller } from './caller.ts'
import type { Peer } from './loopback.ts'
import type { Reply, RequestLike } from '../wire/message.ts'

/** What a handler gets in addition to the request: the ledger, and who is calling. */
export interface Context extends Ledger {
  /** A copy of the ledger that follows it, for endpoints whose answers may be late. */
  readonly follower?: Sql
  /** SemVer of the installed package. */
  readonly version: string
  /** The migrations that this program has for its database. */
  readonly migrations: readonly Migration[]
  readonly access: AccessControl
  readonly peer: Peer
  /** A file of the web UI by its path, if there is one. */
  readonly assets: (path: string) => Promise<Reply | undefined>
  /** The OpenAPI description of the API, as JSON text. */
  readonly describe: () => Promise<string>
  /** Answers that stay open; absent where the runtime holds none. */
  readonly streams?: Streams
  /** What the server of a process holds, as metrics; absent where no one process answers. */
  readonly measures?: () => readonly Family[]
  /** Lets other requests in, where one process answers several and this one has had it for a while. */
  readonly nextTurn: () => Promise<void> | void
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number
  /** Hears how far a long read is, where somebody waits for it at a terminal. */
  readonly onProgress?: Progress
  /** A secret of the environment by its name, where service.yaml refers to one. */
  readonly secret: (name: string) => string | undefined
  /** Does what no answer waits for, before the ledger is closed; what it throws is logged. */
  readonly afterwards: (work: () => Promise<void>) => void
}

/** The same once it is known who is calling. */
export interface Called extends Context {
  readonly caller: Caller
  /** Why the credential that came does not count, where an open endpoint tells its caller. */
  readonly refusal?: string
  /** Whether the caller may read all, also where the endpoint is open; looked up only where it matters. */
  readonly isReader: boolean
}

/** What an endpoint asks of its callers. */
export interface Required {
  readonly access: Access
  readonly raised?: Access | undefined
  /** Open by the specification, but a read where the workspace takes named credentials only. */
  readonly closable?: boolean
  /** Not limited: monitoring asks all the time. */
  readonly unlimited?: boolean
}

/** What access is decided by, in addition to the request. */
export type AccessContext = Pick<
  Context,
  'sql' | 'memo' | 'now' | 'elapsed' | 'workspace' | 'log' | 'peer' | 'afterwards'
>

export type Mode = 'loopback' | 'bearer'

export interface AccessControl {
  /**
   * Whether a token is configured: by the environment, by the workspace, or as a live one in the ledger. It never waits
   * long or throws: where the ledger does not say, it is as it was last known.
   */
  mode(facts: AccessContext): Promise<Mode>
  /** Says who calls. Throws 401 or 403 where the caller may not, 429 where it asks too often. */
  admit(required: Required, request: RequestLike, facts: AccessContext): Promise<Caller>
  /** Who calls an open endpoint; undefined without a credential. Throws where one does not hold. */
  whoIs(request: RequestLike, facts: AccessContext): Promise<Caller | undefined>
  /** Who calls an open endpoint, where it may read what others are not shown. It never throws. */
  readerOf(request: RequestLike, facts: AccessContext): Promise<Caller | undefined>
}

/** Who callers are by an identity provider. Each throws 401 or 403 for what does not hold, and 503 where nobody can tell. */
export interface Identify {
  /** The caller of a Bearer token; undefined where it is of no issuer that is trusted. */
  readonly byToken: (token: string, facts: AccessContext) => Promise<Caller | undefined>
  /** The caller of a request that a browser sends with the cookie of a session; undefined where it has none. */
  readonly bySession: (request: RequestLike, facts: AccessContext) => Promise<Caller | undefined>
}

/** Answers that a process holds open, and how many each caller may have. */
export interface Streams {
  /**
   * Takes a place; undefined where the caller, or the process, has as many as it may. It is left by itself when the
   * client is `gone`, and after some minutes: nobody may read the answer to its end.
   */
  enter(caller: string, gone: AbortSignal | undefined): StreamPlace | undefined
}

/** A place of one open answer. It has to be left. */
export interface StreamPlace {
  /** Aborted when the server ends, or the client is gone. */
  readonly signal: AbortSignal
  /** Waits so long, or until then. */
  pause(ms: number): Promise<void>
  leave(): void
}
