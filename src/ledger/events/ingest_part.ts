import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Statement } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import type { Interned } from './interning.ts'
import type { PartRow } from './parts.ts'

/** What a feature keeps of run events that come in, written by the batch that stores them. `parts` and `ids` are those of the events. */
export type IngestPart = (
  ledger: Ledger,
  events: readonly StoredEvent[],
  parts: readonly PartRow[],
  ids: Pick<Interned, 'scopeAt' | 'variantAt'>,
) => Promise<IngestRows | undefined>

/** What is kept of a chunk of events; of those among them that are new. */
export interface IngestRows {
  /** What has to be true still when the batch is written. Where it isn't, nothing is written, and all is made again. */
  readonly holds?: Statement
  /** Called where that, or something else of the batch, was no longer true. */
  readonly forget?: () => void
  /** SQLite: behind the events, of which the new ones are those behind `rollup_mark`. */
  readonly statements?: () => readonly Statement[]
  /** Whether the statements count all events behind `rollup_mark`, also those of batches before. */
  readonly catchesUp?: true
  /**
   * PostgreSQL: more of a WITH clause in which `added` are the new events (seq, run_id, scope, ts, variant, is_end). Each begins with a
   * comma.
   */
  readonly clauses?: () => readonly Statement[]
}
