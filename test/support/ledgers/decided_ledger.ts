import { promote, rollback } from '../../../src/ledger/decide/promote.ts'
import { setPolicy } from '../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { ANN, BOB, type PlainLedger, plainLedger, priced, ran, registered } from './plain_ledger.ts'

export const HERE = { environment: 'local', window: '1h', reason: 'because' }
export const LAX = { ...DEFAULT_POLICY, require_high_diff_confidence: false }
/** When a ledger of tests begins. */
export const EIGHT = '2026-03-01T08:00:00.000Z'
/** Why it blocks `two`. */
export const SLOW = 'candidate latency_ms_avg 120.00 exceeds max 110'

/** Two releases with five runs each, of which the first one is promoted under the default policy. */
export async function promoted(workspace = {}): Promise<{ ledger: PlainLedger; one: string; two: string }> {
  const ledger = await plainLedger({ allow_forced_rollback: true, ...workspace })
  await priced(ledger)
  const [one, two] = [await registered(ledger, '1'), await registered(ledger, '2')]
  await ran(ledger, one, 5)
  await ran(ledger, two, 5, { latency: 120 })
  await promote(ledger, { ...HERE, release_id: one, actor: ANN })
  return { ledger, one, two }
}

export const put = (ledger: PlainLedger, policy: object) =>
  setPolicy(ledger, { ...LAX, ...policy }, { actor: ANN, reason: null })

/**
 * Four decisions, a minute apart: `one` is promoted by ann, `two` is blocked, passes for bob, and is forced back by ann.
 */
export async function decided(workspace = {}): Promise<{ ledger: PlainLedger; one: string; two: string }> {
  const { ledger, one, two } = await promoted(workspace)
  const next = () => (ledger.clock.now += 60_000)
  next()
  await put(ledger, { max_latency_ms: 110 })
  await promote(ledger, { ...HERE, release_id: two, actor: BOB })
  next()
  await put(ledger, {})
  await promote(ledger, { ...HERE, release_id: two, actor: BOB })
  next()
  await rollback(ledger, { ...HERE, release_id: one, actor: ANN, force: true, reason: 'fire' })
  return { ledger, one, two }
}

export const idsOf = (ledger: PlainLedger) =>
  ledger.rows('actions').then(rows => rows.map(row => String(row.action_id)))
