import type { Ledger } from '../ledger/ledger.ts'
import type { Sql } from '../sql/port.ts'
import type { AccessControl, Peer } from './access.ts'
import type { Caller } from './gate/caller.ts'
import type { Reply } from './message.ts'

/** What a handler gets beside the request: the ledger, and who is calling. */
export interface Context extends Ledger {
  /** A copy of the ledger that follows it, for endpoints whose answers may be late. */
  readonly follower?: Sql
  /** SemVer of the installed package. */
  readonly version: string
  /** Numbers of the migrations that this program has. */
  readonly schemaVersions: readonly number[]
  readonly access: AccessControl
  readonly peer: Peer
  /** A file of the pages by its path, if there is one. */
  readonly assets: (path: string) => Promise<Reply | undefined>
  /** The OpenAPI description of the API, as JSON text. */
  readonly describe: () => Promise<string>
  /** Lets other requests in, where one process answers several. */
  readonly nextTurn: () => Promise<void>
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number
  /** Does what no answer waits for, before the ledger is closed; what it throws is logged. */
  readonly afterwards: (work: () => Promise<void>) => void
}

/** The same once it is known who is calling. */
export interface Called extends Context {
  readonly caller: Caller
}
