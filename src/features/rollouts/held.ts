import { sql } from '../../sql/port.ts'
import { firstRow, mapped, together } from '../../sql/query.ts'
import type { HeldArms } from '../feature.ts'
import { sumsQuery } from './sums.ts'

/** What a completed rollout holds back, while it does. */
export const heldArms: HeldArms = ({ agent_id, environment, release_id }, clock) => {
  const held = (what: 'seq' | 'step') => sql`SELECT ${{ text: what, params: [] }} FROM rollouts
    WHERE agent_id = ${agent_id} AND environment = ${environment} AND candidate_release_id = ${release_id}
      AND state = 'completed' AND hold_until > ${clock} ORDER BY seq DESC LIMIT 1`
  const found = together({
    step: firstRow(held('step'), row => Number(row.step)),
    sums: sumsQuery(sql`(${held('seq')})`),
  })
  return mapped(found, ({ step, sums }) => {
    if (step === undefined) return undefined
    return { baseline: sums.cells(step, 'baseline'), candidate: sums.cells(step, 'candidate') }
  })
}
