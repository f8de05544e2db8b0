import type { Split } from '../../models/deploys/split.ts'
import { type Row, sql } from '../../sql/port.ts'
import { firstRow, mapped, together } from '../../sql/query.ts'
import type { HoldbackArms, Splitting } from '../feature.ts'
import { COLUMNS, shareInForce, splits } from './rows.ts'
import { LEASE_S } from './rules_steps.ts'
import { sumsQuery } from './sums.ts'

/** How a rollout splits what is promoted. */
export const split: Splitting = {
  columns: sql`o.rollout_id, o.state, o.unit, o.steps_json, o.step, o.hold_json, o.hold_until, o.now,
    o.baseline_release_id, o.candidate_release_id, ob.version AS baseline_version, ob.checksum AS baseline_checksum,
    oc.version AS candidate_version, oc.checksum AS candidate_checksum,
    CASE WHEN o.unit = 'user' THEN (SELECT assignment_key FROM rollout_mark WHERE id = 1) END AS assignment_key`,
  join: clock => sql`LEFT JOIN (SELECT ${COLUMNS}, ${clock} AS now FROM rollouts WHERE ${splits(clock)}) AS o
      ON o.agent_id = p.agent_id AND o.environment = p.environment
    LEFT JOIN releases ob ON ob.release_id = o.baseline_release_id
    LEFT JOIN releases oc ON oc.release_id = o.candidate_release_id`,
  splitOf,
}

function splitOf(row: Row): Split | undefined {
  if (row.rollout_id == null) return undefined
  const share = shareInForce(row, Number(row.now))
  if (share === null) return undefined
  const arm = (side: 'baseline' | 'candidate') => ({
    release_id: String(row[`${side}_release_id`]),
    version: String(row[`${side}_version`]),
    checksum: String(row[`${side}_checksum`]),
  })
  return {
    rollout_id: String(row.rollout_id),
    by: String(row.unit) as Split['by'],
    share,
    baseline: arm('baseline'),
    candidate: arm('candidate'),
    lease_s: LEASE_S,
    ...(row.unit === 'user' ? { assignment_key: String(row.assignment_key) } : {}),
  }
}

/** What a completed rollout holds back, while it does. */
export const holdbackArms: HoldbackArms = ({ agent_id, environment, release_id }, clock) => {
  const rolloutOnHold = (what: 'seq' | 'step') => sql`SELECT ${{ text: what, params: [] }} FROM rollouts
    WHERE agent_id = ${agent_id} AND environment = ${environment} AND candidate_release_id = ${release_id}
      AND state = 'completed' AND hold_until > ${clock} ORDER BY seq DESC LIMIT 1`
  const found = together({
    step: firstRow(rolloutOnHold('step'), row => Number(row.step)),
    sums: sumsQuery(sql`(${rolloutOnHold('seq')})`),
  })
  return mapped(found, ({ step, sums }) => {
    if (step === undefined) return undefined
    return { baseline: sums.aggregates(step, 'baseline'), candidate: sums.aggregates(step, 'candidate') }
  })
}
