import { sha256 } from '../../base/bytes.ts'
import { activePolicy } from '../../ledger/registry/policies.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import type { ResolvedPolicy } from '../../models/answers/resolved_policy.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { freezesOf, isFrozen, promotedFrom } from './rules.ts'

/** What holds for an agent in an environment. Throws 400 for an environment that isn't declared, where some are. */
export async function resolvedPolicy(
  ledger: Ledger,
  place: { readonly agent_id?: string | undefined; readonly environment?: string | undefined },
): Promise<ResolvedPolicy> {
  const { workspace } = ledger
  const environment = place.environment ?? workspace.default_environment
  refuseUndeclared(ledger, environment)
  const document = await activePolicy(ledger.sql)
  const freeze = freezesOf(workspace, environment)
  const { now, doubt } = freeze.length === 0 ? { now: 0 } : await readClock(ledger)
  const { policy, rules } = resolveOverrides(document, { agent_id: place.agent_id, environment })
  return {
    agent_id: place.agent_id ?? null,
    environment,
    policy_checksum: await sha256(JSON.stringify(document)),
    rules,
    policy,
    promotes_from: promotedFrom(workspace, environment) ?? null,
    freeze: freeze.map(one => ({ ...one, holds_now: doubt !== undefined || isFrozen(one, now) })),
  }
}
