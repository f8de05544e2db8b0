import { expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/time.ts'
import { askGate } from '../../../../src/features/deploys/gate.ts'
import { diffReleases } from '../../../../src/ledger/assess/diff.ts'
import { promote, rollback } from '../../../../src/ledger/decide/promote.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { newMemo, newRemembered } from '../../../../src/ledger/world/memo.ts'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import { HERE, LAX } from '../../../support/ledgers/decided_ledger.ts'
import {
  ANN,
  type PlainLedger,
  plainLedger,
  priced,
  ran,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'
import { scaled } from '../../../support/scale.ts'

const POLICIES: readonly Partial<Policy>[] = [
  {},
  { max_cost_increase_pct: 0.2 },
  { max_latency_p95_ms: 500, compare_by: 'window' },
  { max_error_rate: 0.1, sequential: true },
  { cluster_by: 'session', max_latency_increase_pct: 0.1 },
  { max_undeclared_tool_calls: 0, min_days_to_retirement: 30 },
  { overrides: [{ agent_id: 'bot', max_latency_ms: 90, capabilities: { widened: 'block' } }] },
]

test('a server that remembers says what one says that has read nothing, whatever others did meanwhile', async () => {
  const random = seededRandom(61)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const ledger = await plainLedger()
  await priced(ledger)
  const ids = [await registered(ledger, '1'), await registered(ledger, '2')]
  for (const id of ids) await ran(ledger, id, 50)
  await promote(ledger, { ...HERE, release_id: ids[0]!, actor: ANN })
  /** Another server on the same ledger. */
  const another = (): PlainLedger => ({ ...ledger, memo: newMemo() })
  const deeds: readonly (() => Promise<unknown>)[] = [
    async () => (ledger.clock.now += pick([1000, MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, DAY_MS])),
    async () => (ledger.clock.now += pick([5000, MINUTE_MS])),
    () => ran(another(), pick(ids), pick([1, 30, 600]), { latency: pick([80, 100, 4000]) }),
    () => ran(another(), pick(ids), 40, { success: random() < 0.8 }),
    () => setPolicy(another(), { ...LAX, ...pick(POLICIES) }, { actor: ANN, reason: null }),
    () => promote(another(), { ...HERE, release_id: pick(ids), actor: ANN }),
    () => promote(ledger, { ...HERE, release_id: pick(ids), actor: ANN }),
    async () => ids.length < 5 && ids.push(await registered(another(), `${ids.length + 1}`)),
  ]
  const place = { agent_id: 'bot', environment: 'local' }
  const answersOf = (on: PlainLedger, window: string, [one, other]: readonly [string, string]) => {
    const trial = { ...HERE, window, release_id: other, actor: ANN, dry_run: true }
    return Promise.all(
      [
        () => askGate(on, { ...place, window }),
        () => askGate(on, { ...place, window, release_id: other, baseline_release_id: one, isDiff: true }),
        () => promote(on, trial),
        () => rollback(on, trial),
        () => diffReleases(on, { baseline_release_id: one, candidate_release_id: other, window, ...place }),
      ].map(ask => ask().catch(error => ({ refused: error.message }))),
    )
  }
  for (let step = 0; step < scaled(25, 1000); step++) {
    await pick(deeds)()
    const [window, pair] = [pick(['30m', '6h', '24h', '7d']), [pick(ids), pick(ids)] as const]
    const comparisons = new Map(ledger.memo.comparisons)
    const fresh = { ...ledger, memo: newMemo({ ...newRemembered(), comparisons }) }
    const said = await answersOf(ledger, window, pair)
    expect(said, `step ${step}`).toEqual(await answersOf(fresh, window, pair))
  }
})

test('a comparison that is as it was is read in one snapshot with its place, and again where it is another', async () => {
  const ledger = await plainLedger()
  await priced(ledger)
  const [one, two] = [await registered(ledger, '1'), await registered(ledger, '2')]
  ledger.clock.now += 30_000
  for (const id of [one, two]) await ran(ledger, id, 50)
  await setPolicy(ledger, { ...LAX, max_latency_ms: 500 }, { actor: ANN, reason: null })
  await promote(ledger, { ...HERE, release_id: one, actor: ANN })
  let snapshots = 0
  const snapshot: PlainLedger['sql']['snapshot'] = statements => {
    snapshots += 1
    return ledger.sql.snapshot(statements)
  }
  const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
  const [trial, pair] = [
    { ...HERE, release_id: two, actor: ANN, dry_run: true },
    { baseline_release_id: one, candidate_release_id: two, window: '1h', environment: 'local' },
  ]
  const reads = [
    () => askGate(counted, { agent_id: 'bot', environment: 'local', window: '1h' }),
    () => promote(counted, trial),
    () => diffReleases(counted, pair),
  ]
  const countsOf = async () => {
    const counts: number[] = []
    for (const read of reads) {
      snapshots = 0
      await read()
      counts.push(snapshots)
    }
    return counts
  }
  expect(await countsOf()).toEqual([3, 1, 1])
  ledger.clock.now += 5000
  expect(await countsOf()).toEqual([1, 1, 1])
  for (const id of [one, two]) await ran(ledger, id, 3000)
  expect(await countsOf()).toEqual([2, 1, 1])
  await setPolicy({ ...ledger, memo: newMemo() }, LAX, { actor: ANN, reason: null })
  expect(await countsOf()).toEqual([3, 1, 1])
  expect(await countsOf()).toEqual([1, 1, 1])
})

test('what is read of the rows of young releases is read in the snapshot of their sums, once it is known', async () => {
  const ledger = await plainLedger()
  await priced(ledger)
  const [one, two] = [await registered(ledger, '1'), await registered(ledger, '2')]
  for (let minute = 0; minute < 60; minute++) {
    ledger.clock.now += MINUTE_MS
    for (const id of [one, two]) await ran(ledger, id, 20, { latency: 3000 })
  }
  await promote(ledger, { ...HERE, release_id: one, actor: ANN })
  const reads: number[] = []
  const snapshot: PlainLedger['sql']['snapshot'] = statements => {
    reads.push(statements.filter(({ text }) => /AS (?:began|over_ms)/.test(text)).length)
    return ledger.sql.snapshot(statements)
  }
  const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
  const ask = () => promote(counted, { ...HERE, window: '7d', release_id: two, actor: ANN, dry_run: true })
  const first = await ask()
  expect(reads.filter(count => count > 0)).toEqual([2, 2])
  reads.length = 0
  ledger.clock.now += 1000
  const again = await ask()
  expect(reads.filter(count => count > 0)).toEqual([4])
  expect({ ...again.result.policy, evaluated_at: '' }).toEqual({ ...first.result.policy, evaluated_at: '' })
})
