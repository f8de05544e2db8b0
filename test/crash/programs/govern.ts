import { PRICES, releaseOf } from '../../support/services/builders.ts'
import { type Place, acknowledge, call, input, open } from './support.ts'

/** Changes all that is governed, in turn, until it is killed, and prints what was answered. */
const { place } = input<{ place: Place }>()
const services = await open(place)
for (let round = 0; ; round++) {
  await call(services, 'POST /v1/pricing', { table: { ...PRICES, pricing_version: `v${round}` } })
  acknowledge({ table: 'pricing_tables', column: 'pricing_version', id: `v${round}` })
  const artifact = releaseOf({ version: String(round) })
  const registered = await call(services, 'POST /v1/releases', { artifact, checksum: 'a'.repeat(64) })
  const { release_id } = registered.body
  acknowledge({ table: 'releases', column: 'release_id', id: release_id })
  const decision = { release_id, environment: `e${round}`, window: '1h', reason: `round ${round}` }
  const promoted = await call(services, 'POST /v1/promote', decision)
  acknowledge({ table: 'actions', column: 'action_id', id: promoted.body.action_id })
  await call(services, 'PUT /v1/policy', { policy_id: `p${round}` })
  acknowledge({ table: 'policy_history', column: 'policy_id', id: `p${round}` })
  const hook = { url: 'https://hooks.example.com/x', events: ['promote.blocked'] }
  const added = await call(services, 'POST /v1/webhooks', hook)
  acknowledge({ table: 'webhooks', column: 'webhook_id', id: added.body.webhook_id })
}
