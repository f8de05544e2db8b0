import type { AuditRecord } from '../../../src/ledger/trail/chain.ts'
import type { Evidence } from '../../../src/rules/evidence.ts'
import { CONDITION } from '../../../src/features/conditions/condition.ts'
import { replayReasons } from '../../../src/rules/judge.ts'
import type { Row } from '../../../src/sql/port.ts'
import { type Rows, deedOf, holds, same, sha256 } from './invariant.ts'

export interface Decision {
  readonly row: Row
  readonly record: AuditRecord & { readonly evidence: Evidence }
}

/** What follows the audit trail: each decision is looked at when it is committed, and the pointers are folded from them. */
export class Trail {
  readonly decisions = new Map<string, Decision>()
  readonly byDeed = new Map<number, string>()
  readonly #pointers = new Map<string, { readonly release_id: string; readonly action_id: string }>()
  readonly #rows: Rows
  #seq = 0
  #hash = ''
  #created_at = 0

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** Reads what a commit added, and returns it. */
  follow(): Decision[] {
    const [head] = this.#rows('SELECT seq, hash FROM audit_head WHERE id = 1')
    if (head!.seq === this.#seq && head!.hash === this.#hash) return []
    const rows = this.#rows('SELECT * FROM actions WHERE audit_seq > ? ORDER BY audit_seq', this.#seq)
    const added = rows.map(row => this.#append(row))
    same('the chain is valid', 'the head', [head!.seq, head!.hash], [this.#seq, this.#hash])
    return added
  }

  #append(row: Row): Decision {
    same('audit_seq is contiguous', 'the next audit_seq', row.audit_seq, this.#seq + 1)
    const decision = { row, record: readRecord(row, this.#hash) }
    const { record } = decision
    const { action_id, agent_id, environment, release_id, created_at } = record
    holds(
      'the chain is valid',
      created_at >= this.#created_at,
      () => `${action_id} is older than the one before`,
    )
    const place = `${agent_id} ${environment}`
    const promoted = this.#pointers.get(place)?.release_id ?? null
    same('the baseline is the one that was promoted', action_id, record.baseline_release_id, promoted)
    requireReplays(record)
    this.#once(record)
    if (record.policy_passed || record.forced === true) this.#pointers.set(place, { release_id, action_id })
    this.decisions.set(action_id, decision)
    this.#seq = Number(row.audit_seq)
    this.#hash = String(row.hash)
    this.#created_at = created_at
    return decision
  }

  #once({ action_id, reason }: AuditRecord): void {
    const deed = deedOf(reason)
    if (deed === undefined) return
    same('a deed decides once', `the action of deed ${deed}`, this.byDeed.get(deed), undefined)
    this.byDeed.set(deed, action_id)
  }

  /** Compares what the pointers say. */
  checkPointers(): void {
    const rows = this.#rows('SELECT agent_id, environment, release_id, action_id FROM promoted_pointers')
    const found = rows.map(row => `${row.agent_id} ${row.environment} ${row.release_id} ${row.action_id}`)
    const expected = Array.from(
      this.#pointers,
      ([place, { release_id, action_id }]) => `${place} ${release_id} ${action_id}`,
    )
    const invariant = 'the pointer is the last passed or forced action'
    same(invariant, 'the pointers', new Set(found), new Set(expected))
  }

  /** Reads the whole chain again. */
  reckon(): void {
    let previous = ''
    for (const row of this.#rows('SELECT * FROM actions ORDER BY audit_seq')) {
      readRecord(row, previous)
      previous = String(row.hash)
      same(
        'the chain is valid',
        'a row of before',
        row.hash,
        this.decisions.get(String(row.action_id))?.row.hash,
      )
    }
    same('the chain is valid', 'its end', previous, this.#hash)
  }
}

const COLUMNS = [
  'audit_seq',
  'action_id',
  'action',
  'release_id',
  'agent_id',
  'environment',
  'baseline_release_id',
  'reason',
  'actor',
  'created_at',
] as const

function readRecord(row: Row, previousHash: string): Decision['record'] {
  const json = String(row.record_json)
  same('the chain is valid', `the hash of audit_seq ${row.audit_seq}`, row.hash, sha256(json))
  const record = JSON.parse(json) as Decision['record']
  same('the chain is valid', `what audit_seq ${row.audit_seq} follows`, record.prev_hash, previousHash)
  for (const column of COLUMNS) same('the chain is valid', column, row[column], record[column])
  same('the chain is valid', 'policy_passed', row.policy_passed, record.policy_passed ? 1 : 0)
  return record
}

function requireReplays({
  action_id,
  evidence,
  release_id,
  environment,
  policy_reasons,
}: Decision['record']): void {
  const reasons = replayReasons(evidence, { release_id, environment }, [CONDITION])
  same('a replayed decision gives its verdict again', action_id, reasons, policy_reasons)
}
