import { seededRandom } from '../../../src/base/numbers.ts'
import { type Place, acknowledge, call, input, open, withApproval } from './support.ts'

/** Decides at random, concurrently with others on the same ledger, and prints every answer. */
const { place, releases, seed, rounds } = input<{
  place: Place
  releases: string[]
  seed: number
  rounds: number
}>()
const random = seededRandom(seed)
const services = await open(place)
const approving = withApproval(services)

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!
}

for (let round = 0; round < rounds; round++) {
  const decision = {
    release_id: pick(releases),
    environment: pick(['local', 'prod']),
    window: '1h',
    reason: `seed ${seed} round ${round}`,
  }
  const kind = pick(['promote', 'promote', 'rollback', 'policy', 'request', 'settle', 'settle'])
  if (kind === 'promote' || kind === 'rollback') {
    acknowledge({ kind, ...(await call(services, `POST /v1/${kind}`, decision)) })
  } else if (kind === 'policy') {
    const min_candidate_runs = pick([0, 1])
    acknowledge({ kind, ...(await call(services, 'PUT /v1/policy', { min_candidate_runs })) })
  } else if (kind === 'request') {
    acknowledge({ kind, ...(await call(approving, 'POST /v1/promote/request', decision)) })
  } else {
    await settleOne()
  }
}
await services.sql.close()

/** Confirms or cancels a pending request; others are after the same ones. */
async function settleOne(): Promise<void> {
  const { body } = await call(services, 'GET /v1/promotion-requests')
  const pending = (body.requests as { request_id: string; status: string }[]).filter(
    ({ status }) => status === 'pending',
  )
  if (pending.length === 0) return
  const { request_id } = pick(pending)
  if (random() < 0.6) {
    const answer = await call(approving, 'POST /v1/promote/confirm', { request_id, approval_reason: 'ok' })
    acknowledge({ kind: 'confirm', request_id, ...answer })
  } else {
    const answer = await call(approving, 'POST /v1/promote/cancel', { request_id, reason: 'no' })
    acknowledge({ kind: 'cancel', request_id, ...answer })
  }
}
