import { expect, test } from 'vitest'
import { startRollout } from '../../../../src/features/rollouts/start.ts'
import { importScores } from '../../../../src/features/scores/imports.ts'
import { startWatch } from '../../../../src/features/watch/start.ts'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { overtaken } from '../../../support/databases/tampering/tamper.ts'
import { HERE, promoted, put } from '../../../support/ledgers/decided_ledger.ts'
import { ANN, type PlainLedger, ran, registered } from '../../../support/ledgers/plain_ledger.ts'

/** The same ledger, where another server sets a policy between what is read and the first write of the change. */
function behindPolicy(ledger: PlainLedger, policy: object): PlainLedger {
  const set = () => put({ ...ledger, memo: newMemo() }, policy)
  return { ...ledger, sql: overtaken(ledger.sql, 'UPDATE audit_head', set) }
}

const limitsOf = async (ledger: PlainLedger, table: string) =>
  (await ledger.rows(table)).map(row => JSON.parse(String(row.limits_json)))

test('a rollout begins by the policy in force, not by the one that it was planned by', async () => {
  const { ledger, one, two } = await promoted()
  ledger.clock.now += 300_000
  await ran(ledger, one, 200)
  await put(ledger, { max_error_rate_increase: 0.5 })
  const input = { ...HERE, release_id: two, actor: ANN, steps: '50%:1h', max_duration: '30d' }
  await startRollout(behindPolicy(ledger, { max_error_rate_increase: 0.01 }), input)
  expect(await limitsOf(ledger, 'rollouts')).toMatchObject([{ guard: { error_rate: 0.01 } }])
})

test('nor where the policy forbids it meanwhile', async () => {
  const { ledger, one, two } = await promoted()
  ledger.clock.now += 300_000
  await ran(ledger, one, 200)
  await put(ledger, { max_error_rate_increase: 0.5 })
  const input = { ...HERE, release_id: two, actor: ANN, steps: '50%:1h', max_duration: '30d' }
  const strict = { max_error_rate_increase: 0.01, capabilities: { forbid: ['model:m*'] } }
  expect(await startRollout(behindPolicy(ledger, strict), input)).toMatchObject({
    result: { blocked: [expect.stringContaining('capabilities.forbid')] },
  })
  expect(await ledger.rows('rollouts')).toEqual([])
})

test('a watch begins by the policy in force', async () => {
  const { ledger, two } = await promoted()
  await put(ledger, {})
  await promote(ledger, { ...HERE, release_id: two, actor: ANN })
  await put(ledger, { max_error_rate_increase: 0.5 })
  const watch = { agent_id: 'bot', environment: 'local', actor: ANN }
  await startWatch(behindPolicy(ledger, { max_error_rate_increase: 0.01, watch: { for: '6h' } }), watch)
  const [row] = await ledger.rows('watches')
  expect(Number(row!.ends_at) - Number(row!.started_at)).toBe(6 * 3_600_000)
  expect(await limitsOf(ledger, 'watches')).toMatchObject([{ error_rate: 0.01 }])
})

test('an agent promotes while another one imports scores without pause', async () => {
  const { ledger, two } = await promoted()
  await put(ledger, {})
  const release_id = await registered(ledger, '1', { agent: 'other' })
  const elsewhere = { ...ledger, memo: newMemo() }
  const state = { imports: 0, isDone: false }
  async function importing(): Promise<void> {
    while (!state.isDone) {
      const cases = [{ right: 1 / ++state.imports }]
      await importScores(elsewhere, { release_id, suite: 's', cases }, ANN)
    }
  }
  const imported = importing()
  const { result } = await promote(ledger, { ...HERE, release_id: two, actor: ANN })
  state.isDone = true
  await imported
  expect(result).toMatchObject({ promoted_pointer_changed: true })
  expect(state.imports).toBeGreaterThan(1)
})
