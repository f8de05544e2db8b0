import type { Grounds } from '../../rules/changes.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asText,
  columns,
  field,
  firstRow,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { ACTIVE_POLICY } from '../registry/policies.ts'

/** What a decision on a release in a place rests on now. */
export function groundsQuery({
  release_id,
  agent_id,
  environment,
}: Readonly<Record<'release_id' | 'agent_id' | 'environment', string>>): Query<Grounds> {
  const live = sql`SELECT release_id FROM promoted_pointers
    WHERE agent_id = ${agent_id} AND environment = ${environment}`
  const tables = sql`SELECT r.pricing_provider, r.pricing_version, (
      SELECT p.new_checksum FROM pricing_imports p
      WHERE p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version ORDER BY p.seq DESC LIMIT 1
    ) AS checksum
    FROM releases r WHERE r.release_id = ${release_id} OR r.release_id IN (${live}) ORDER BY 1, 2`
  const read = together({
    live: firstRow(live, field('release_id', asText)),
    policy: ACTIVE_POLICY,
    tables: allRows(
      tables,
      columns({ pricing_provider: asText, pricing_version: asText, checksum: orNull(asText) }),
    ),
  })
  return mapped(read, found => ({
    baseline_release_id: found.live ?? null,
    policy: resolveOverrides(found.policy, { agent_id, environment }).policy,
    prices: Object.fromEntries(
      found.tables.map(({ pricing_provider, pricing_version, checksum }) => [
        `${pricing_provider}/${pricing_version}`,
        checksum,
      ]),
    ),
  }))
}
