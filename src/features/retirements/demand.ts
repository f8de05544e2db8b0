import type { Release } from '../../models/documents/release.ts'
import { type Row, sql } from '../../sql/port.ts'
import { firstRow, together } from '../../sql/query.ts'
import type { Demand } from '../../ledger/assess/demand.ts'
import { clockError } from '../../ledger/trail/clock.ts'
import { type KnownEnds, endingIn, endsAt, endsQuery } from './known.ts'
import { KEYS, type RetirementFacts, judgeRetirement } from './rules.ts'

interface Read {
  readonly candidate: Row | undefined
  readonly ends: KnownEnds
}

/** Whether the policy in force asks for it at all: price tables are long, and gates are polled. */
const IS_ASKED = sql`EXISTS (SELECT 1 FROM (SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1) AS held
  WHERE held.policy_json LIKE '%"min_days_to_retirement":%')`

export const demand: Demand<Read, RetirementFacts> = {
  name: 'retirements',
  keys: KEYS,
  reads: ({ candidateId }, db) =>
    together({
      candidate: firstRow(
        sql`SELECT artifact_json FROM releases WHERE release_id = ${candidateId} AND ${IS_ASKED}`,
      ),
      ends: endsQuery(db, IS_ASKED),
    }),
  facts: async ({ candidate, ends }, { policy, clock: { now, apart, doubt } }) => {
    if (policy.min_days_to_retirement == null || candidate === undefined) return undefined
    if (apart !== undefined) throw clockError(apart)
    const models = endingIn(JSON.parse(String(candidate.artifact_json)) as Release, endsAt(ends, now))
    return {
      models: models.map(({ provider, model, retires_on, days_left, source, role }) => ({
        provider,
        model,
        retires_on,
        days_left,
        source,
        role,
      })),
      ...(doubt === undefined ? {} : { doubt }),
    }
  },
  judge: judgeRetirement,
}
