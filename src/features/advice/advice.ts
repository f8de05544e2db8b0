import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { PolicyAdvice } from './models.ts'
import { adviseLimits } from './rules.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { plannedBy } from '../../rules/diff_statistics.ts'
import { sql } from '../../sql/port.ts'
import { ask, asText, field, firstRow } from '../../sql/query.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { comparedSides } from '../../ledger/assess/diff.ts'
import { runRates } from '../../ledger/assess/pair.ts'

export interface AdviceInput {
  readonly agent_id: string
  readonly environment?: string | undefined
  readonly window: string
}

/** What limits the traffic of an agent's promoted release could prove. Throws 400 where nothing is promoted. */
export async function policyAdvice(ledger: Ledger, input: AdviceInput): Promise<PolicyAdvice> {
  const environment = input.environment ?? ledger.workspace.default_environment
  refuseUndeclared(ledger, environment)
  const pointer = sql`SELECT release_id FROM promoted_pointers
    WHERE agent_id = ${input.agent_id} AND environment = ${environment}`
  const release_id = await ask(ledger.sql, firstRow(pointer, field('release_id', asText)))
  if (release_id === undefined) {
    throw badRequest(
      `Nothing is promoted for the agent ${input.agent_id} in ${environment}: advice is drawn from the traffic of ` +
        'what is promoted.',
    )
  }
  const comparison = {
    baseline_release_id: release_id,
    candidate_release_id: release_id,
    window: input.window,
    environment,
  }
  const compared = await comparedSides(ledger, comparison)
  const { window_used, query, sides, held } = compared
  const rates = await runRates(ledger.sql, query, sides)
  const thresholds = resolveThresholds(held.policy, ledger.workspace.diff)
  return {
    agent_id: input.agent_id,
    environment,
    release_id,
    since: isoTime(compared.asked.since),
    until: isoTime(compared.asked.until),
    ...(window_used === undefined ? {} : { window_used }),
    ...adviseLimits(sides.baseline, plannedBy(held.policy, thresholds), rates.baseline),
  }
}
