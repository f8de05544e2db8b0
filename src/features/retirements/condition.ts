import type { Release } from '../../models/documents/release.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { asJson, columns, firstRow, together } from '../../sql/query.ts'
import type { Condition } from '../../ledger/assess/parts.ts'
import { clockError } from '../../ledger/trail/clock.ts'
import { endingIn, endsAt, endsQuery } from './known.ts'
import { RETIREMENT_RULE, type RetirementFacts } from './rules.ts'

type Read = ReturnType<ReturnType<typeof endsOf>['read']>

/** Whether the policy in force asks for it at all: price tables are long, and gates are polled. */
const IS_ASKED = sql`EXISTS (SELECT 1 FROM (SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1) AS held
  WHERE held.policy_json LIKE '%"min_days_to_retirement":%')`

function endsOf(db: Pick<Sql, 'dialect'>, release: Statement) {
  return together({
    candidate: firstRow(
      sql`SELECT artifact_json FROM releases WHERE release_id = ${release} AND ${IS_ASKED}`,
      columns({ artifact_json: asJson<Release> }),
    ),
    ends: endsQuery(db, IS_ASKED),
  })
}

/** How many days the models of a release have left. Asked of promotions alone. */
export const CONDITION: Condition<Read> = {
  ...RETIREMENT_RULE,
  reads: ({ sql: db }, { action, release }) => (action === 'promote' ? endsOf(db, release) : undefined),
  found: (_, { held: { policy }, isFirst }, { now, apart, doubt }, read) => {
    if (policy.min_days_to_retirement == null || isFirst || read?.candidate === undefined) return undefined
    if (apart !== undefined) throw clockError(apart)
    const { artifact_json: artifact } = read.candidate
    const facts: RetirementFacts = {
      models: endingIn(artifact, endsAt(read.ends, now)).map(
        ({ provider, model, retires_on, days_left, source, role }) => ({
          provider,
          model,
          retires_on,
          days_left,
          source,
          role,
        }),
      ),
      ...(doubt === undefined ? {} : { doubt }),
    }
    return { min_days_to_retirement: facts }
  },
}
