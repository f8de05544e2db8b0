import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Statement } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'

/** What a feature keeps of run events that come in, written by the batch that stores them. */
export type IngestPart = (ledger: Ledger, events: readonly StoredEvent[]) => Promise<IngestRows | undefined>

/** What is kept of a chunk of events; of those among them that are new. */
export interface IngestRows {
  /** SQLite: behind the events, of which the new ones are those behind `rollup_mark`. */
  readonly statements: readonly Statement[]
  /** PostgreSQL: more of a WITH clause in which `added` are the new events (seq, run_id, scope, ts). It begins with a comma. */
  readonly clauses: Statement
}
