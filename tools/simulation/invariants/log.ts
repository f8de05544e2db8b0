import type { LogRecord } from '../../../src/ledger/trail/chain.ts'
import type { Decision } from './trail.ts'
import { type Rows, same, sha256 } from './invariant.ts'

const INVARIANT = 'the audit log is contiguous and chained'

/** Follows the audit log as it grows. */
export class Log {
  readonly #rows: Rows
  #seq = 0
  #hash = ''

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** Each decision that was added has its entry. Returns all that were added. */
  follow(decisions: readonly Decision[]): readonly LogRecord[] {
    const entries = this.#read(this.#seq)
    const [head] = this.#rows('SELECT log_seq, log_hash FROM audit_head WHERE id = 1')
    same(INVARIANT, 'the head of the log', [head!.log_seq, head!.log_hash], [this.#seq, this.#hash])
    const logged = entries
      .filter(({ kind }) => kind === 'decision')
      .map(({ subject, fact }) => [subject, fact])
    const decided = decisions.map(({ row }) => [row.action_id, row.hash])
    same(INVARIANT, 'what it holds of decisions', logged, decided)
    return entries
  }

  reckon(): void {
    const [seq, hash] = [this.#seq, this.#hash]
    this.#seq = 0
    this.#hash = ''
    this.#read(0)
    same(INVARIANT, 'its end', [this.#seq, this.#hash], [seq, hash])
  }

  #read(after: number): LogRecord[] {
    const rows = this.#rows(
      'SELECT log_seq, record_json, hash FROM audit_log WHERE log_seq > ? ORDER BY log_seq',
      after,
    )
    return rows.map(({ log_seq, record_json, hash }) => {
      const record = JSON.parse(String(record_json)) as LogRecord
      same(INVARIANT, 'the next log_seq', [log_seq, record.log_seq], [this.#seq + 1, this.#seq + 1])
      same(INVARIANT, `what log_seq ${log_seq} follows`, record.prev_hash, this.#hash)
      same(INVARIANT, `the hash of log_seq ${log_seq}`, hash, sha256(String(record_json)))
      this.#seq = Number(log_seq)
      this.#hash = String(hash)
      return record
    })
  }
}
