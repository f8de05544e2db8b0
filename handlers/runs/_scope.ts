import type { Called } from '../../src/http/access/context.ts'
import { outOfScope } from '../../src/http/endpoint/scope.ts'
import { type Caller, isNamed } from '../../src/http/access/caller.ts'
import { agentsOfReleases } from '../../src/ledger/registry/release_facts.ts'
import { coversAgent, coversEnvironment, isLimited } from '../../src/ledger/world/scope.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'

/**
 * Throws 403 where an event is not of the caller's agents and environments, or names a release that none of its agents
 * has: an event of another agent would decide, or spoil, that agent's next comparison.
 */
export async function requireEventsInScope(events: readonly StoredEvent[], context: Called): Promise<void> {
  const { scope } = context.caller
  if (!isLimited(scope)) return
  const agents = await agentsOfReleases(
    context,
    events.map(event => event.release_id),
  )
  for (const { run_id, agent_id, environment, release_id } of events) {
    const owner = agents.get(release_id)
    const problem = !coversAgent(scope, agent_id)
      ? `agent ${JSON.stringify(agent_id)}`
      : !coversEnvironment(scope, environment)
        ? `environment ${JSON.stringify(environment)}`
        : owner === undefined || !coversAgent(scope, owner)
          ? `release ${JSON.stringify(release_id)}, which no agent of it has`
          : undefined
    if (problem === undefined) continue
    throw outOfScope(scope, `run ${JSON.stringify(run_id.slice(0, 80))} is of ${problem}; nothing was stored`)
  }
}

/** Whether a caller may be told of what others sent. The tokens of the environment always were. */
export function mayReadAll(caller: Caller): boolean {
  return !isNamed(caller) || (caller.allows.includes('read') && !isLimited(caller.scope))
}
