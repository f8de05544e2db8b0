import { type Row, type Sql, raw, rowsOfKeys, sql } from '../../sql/port.ts'
import { asStored } from '../trail/as_stored.ts'

/** What deliveries and kept answers tell of, by the first letters of its id, and what they repeat of it. */
export const CAUSES = {
  act_: {
    table: 'actions',
    id: 'action_id',
    said: [
      'audit_seq',
      'hash',
      'action',
      'release_id',
      'agent_id',
      'environment',
      'baseline_release_id',
      'actor',
      'reason',
    ],
  },
  prq_: {
    table: 'promotion_requests',
    id: 'request_id',
    said: ['release_id', 'agent_id', 'environment', 'baseline_release_id', 'actor', 'reason'],
  },
  wch_: {
    table: 'watches',
    id: 'watch_id',
    said: ['release_id', 'agent_id', 'environment', 'baseline_release_id'],
  },
  rol_: {
    table: 'rollouts',
    id: 'rollout_id',
    said: ['candidate_release_id', 'agent_id', 'environment', 'baseline_release_id'],
  },
  rrq_: {
    table: 'rollout_requests',
    id: 'request_id',
    said: ['candidate_release_id', 'agent_id', 'environment', 'baseline_release_id', 'actor', 'reason'],
  },
} as const

export type CauseKind = keyof typeof CAUSES
export const CAUSE_KINDS = Object.keys(CAUSES) as CauseKind[]

/** What is told of, by kind and id. */
interface Cause {
  readonly kind: CauseKind
  readonly id: string
}

/** The rows of what is told of, by their ids. */
export async function causesOf(
  db: Sql,
  told: readonly (Cause | undefined)[],
): Promise<ReadonlyMap<string, Row>> {
  const causes = new Map<string, Row>()
  for (const kind of CAUSE_KINDS) {
    const { table, id } = CAUSES[kind]
    const ids = told.flatMap(each => (each?.kind === kind ? [each.id] : []))
    const rows = await rowsOfKeys(
      db,
      ids,
      listed => sql`SELECT * FROM ${raw(table)} WHERE ${raw(id)} IN (${listed})`,
    )
    for (const row of rows) causes.set(String(row[id]), row)
  }
  return causes
}

/** The first column of which something else is said than the row has; what isn't said is not wrong. */
export function wrongColumn(kind: CauseKind, said: Row, row: Row): string | undefined {
  return CAUSES[kind].said.find(column => {
    const value = said[column]
    return value !== undefined && asStored(value) !== row[column]
  })
}
