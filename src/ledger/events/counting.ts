import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Statement } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import type { PartRow } from './parts.ts'

/** What a feature counts of events as they come in, in the batch that stores them. */
export type Counting = (
  ledger: Ledger,
  events: readonly StoredEvent[],
  parts: readonly PartRow[],
) => Promise<Counted>

export interface Counted {
  /** What has to hold still: without it nothing is written, `forget` is called, and all is made anew. */
  readonly holds: Statement
  readonly forget: () => void
  /** On SQLite, behind the events of the batch, which are newer than `rollup_mark`. */
  readonly statements: readonly Statement[]
  /** On PostgreSQL, as more of a WITH clause in which `added` are the new events; each begins with a comma. */
  readonly clauses: readonly Statement[]
}
