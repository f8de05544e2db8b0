import type { ResolvedPolicy } from '../../models/answers/resolved_policy.ts'
import { freezesOf, isFrozen, promotedFrom } from '../../rules/gates.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { readClock } from '../trail/clock.ts'
import { refuseUndeclared } from '../world/environments.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Ledger } from '../world/ledger.ts'
import { activePolicy } from './policies.ts'

/** What holds for an agent in an environment. Throws 400 for an environment that isn't declared, where some are. */
export async function policyInPlace(
  ledger: Ledger,
  asked: { readonly agent_id?: string | undefined; readonly environment?: string | undefined },
): Promise<ResolvedPolicy> {
  const { workspace } = ledger
  const environment = asked.environment ?? workspace.default_environment
  refuseUndeclared(ledger, environment)
  const document = await activePolicy(ledger.sql)
  const freeze = freezesOf(workspace, environment)
  const { now, doubt } = freeze.length === 0 ? { now: 0 } : await readClock(ledger)
  const { policy, rules } = resolveOverrides(document, { agent_id: asked.agent_id, environment })
  return {
    agent_id: asked.agent_id ?? null,
    environment,
    policy_checksum: await sha256(JSON.stringify(document)),
    rules,
    policy,
    promotes_from: promotedFrom(workspace, environment) ?? null,
    freeze: freeze.map(one => ({ ...one, holds_now: doubt !== undefined || isFrozen(one, now) })),
  }
}
