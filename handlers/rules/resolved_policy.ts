import { sha256 } from '../../src/base/bytes.ts'
import { freezesOf, isFrozen, promotedFrom } from '../../src/features/conditions/rules.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { activePolicy } from '../../src/ledger/registry/policies.ts'
import { readClock } from '../../src/ledger/trail/clock.ts'
import type { Ledger } from '../../src/ledger/world/ledger.ts'
import { refuseUndeclared } from '../../src/ledger/world/query.ts'
import type { ResolvedPolicy } from '../../src/models/answers/resolved_policy.ts'
import { resolveOverrides } from '../../src/rules/scope.ts'

export default endpoint({
  route: 'GET /v1/policy/resolved',
  access: 'read',
  scope: 'shared',
  summary: 'The policy for an agent in an environment',
  description:
    'The policy in force with its overrides resolved, and which of them set what; in which environment a release must have been live before; and when promotions are frozen.',
  takes: 'PolicyResolved',
  answers: { 200: 'ResolvedPolicy', 400: 'ErrorText' },
  answer: function policyResolved({ query }, context) {
    return resolvedPolicy(context, query)
  },
})

/** What holds for an agent in an environment. Throws 400 for an environment that isn't declared, where some are. */
async function resolvedPolicy(
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
