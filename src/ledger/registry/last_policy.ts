import type { Policy } from '../../models/documents/policy.ts'
import { sql } from '../../sql/port.ts'
import { type Query, asJson, field, firstRow } from '../../sql/query.ts'

/** The last policy of the history; undefined where none was ever set. */
export const LAST_POLICY: Query<Policy | undefined> = firstRow(
  sql`SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1`,
  field('policy_json', asJson<Policy>),
)
