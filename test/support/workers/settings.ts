import type { Tokens } from '../../../src/http/access/access.ts'
import type { Peer } from '../../../src/http/access/access.ts'
import type { CatalogState } from '../../../src/ledger/world/ledger.ts'
import type { WorkspaceConfig } from '../../../src/models/documents/workspace.ts'

/** What a test decides for one request to the Worker of the tests; everything else is as in worker.ts. */
export interface Settings {
  /** The name of a D1 binding, or the URL of a PostgreSQL or libSQL database. */
  readonly ledger: string
  readonly now: number
  /** What the database's clock says. */
  readonly databaseNow: number
  /** Number of the service whose receiver takes deliveries. */
  readonly service: number
  /** Number of the first id that is given. */
  readonly firstId: number
  readonly workspace: WorkspaceConfig
  readonly tokens: Tokens
  readonly catalog: CatalogState
  readonly peer: Peer
  readonly maxBodyBytes: number
}

/** The settings of a request, as JSON, and what was logged for it, in its answer. Both percent-encoded. */
export const SETTINGS_HEADER = 'x-test-settings'
export const LOGGED_HEADER = 'x-test-logged'
/** The number of the first id that the request did not give. */
export const NEXT_ID_HEADER = 'x-test-next-id'
/** Names the D1 binding that statements of the test itself are for. */
export const D1_HEADER = 'x-test-d1'
