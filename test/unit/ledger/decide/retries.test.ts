import { describe, expect, test } from 'vitest'
import type { Assessment, Proposal } from '../../../../src/ledger/assess/assess.ts'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { decideWithRetries } from '../../../../src/ledger/decide/record.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { trailReport } from '../../../../src/ledger/doctor/doctor.ts'
import { importScores } from '../../../../src/features/scores/imports.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { SqlError } from '../../../../src/sql/port.ts'
import { HERE, LAX, decided } from '../../../support/ledgers/decided_ledger.ts'
import { ANN, BOB, type PlainLedger, ran, registered } from '../../../support/ledgers/plain_ledger.ts'

/** What is committed at each try; every one but the last is overtaken, by what `others` do meanwhile. */
async function tried(
  ledger: PlainLedger,
  given: string | Omit<Proposal, 'action' | 'actor'>,
  ...others: readonly (() => Promise<unknown>)[]
): Promise<readonly Assessment[]> {
  const seen: Assessment[] = []
  const place = typeof given === 'string' ? { ...HERE, release_id: given } : given
  const proposal: Proposal = { ...place, action: 'promote', actor: BOB }
  return decideWithRetries(ledger, proposal, async assessment => {
    seen.push(assessment)
    const other = others[seen.length - 1]
    if (other === undefined) return seen
    ledger.clock.now += 1000
    await other()
    return undefined
  })
}

/** Another server on the same ledger. */
const otherProcess = (ledger: PlainLedger): PlainLedger => ({ ...ledger, memo: newMemo() })

describe('a decision that another overtakes', () => {
  test('stands and is tied to the new head where that was elsewhere', async () => {
    const { ledger, one, two } = await decided()
    const elsewhere = () =>
      promote(otherProcess(ledger), { ...HERE, environment: 'prod', release_id: one, actor: ANN })
    const [first, second] = await tried(ledger, two, elsewhere)
    expect(second).toEqual({ ...first, head: second!.head })
    expect([first!.head.seq, second!.head.seq]).toEqual([4, 5])
    expect(second!.evidence).toBe(first!.evidence)
  })

  test('is evaluated again where it was in the same place, or the policy is another', async () => {
    const { ledger, two } = await decided()
    const here = () => promote(otherProcess(ledger), { ...HERE, release_id: two, actor: ANN })
    const policy = { ...DEFAULT_POLICY, require_high_diff_confidence: false, max_latency_ms: 1 }
    const ruled = () => setPolicy(otherProcess(ledger), policy, { actor: ANN, reason: null })
    const [first, second, third] = await tried(ledger, two, here, ruled)
    expect(first!.baseline?.release_id).not.toBe(two)
    expect(second).toMatchObject({ baseline: { release_id: two }, verdict: { passed: true } })
    expect(third).toMatchObject({ baseline: { release_id: two }, verdict: { passed: false } })
    const at = [first, second, third].map(assessment => assessment!.evidence.evaluated_at)
    expect(new Set(at).size).toBe(3)
  })

  test('is evaluated again where its own scores came in, and stands where those of another agent did', async () => {
    const { ledger, two } = await decided()
    const others = await registered(ledger, '1', { agent: 'cat' })
    const scored = (release_id: string, quality: number) => () =>
      importScores(
        otherProcess(ledger),
        { release_id, suite: 'reg', cases: Array.from({ length: 50 }, () => ({ quality })) },
        ANN,
      )
    await scored(two, 1)()
    await setPolicy(ledger, { ...LAX, min_scores: { 'reg/quality': 0.5 } }, { actor: ANN, reason: null })
    const [first, second, third] = await tried(ledger, two, scored(others, 0), scored(two, 0))
    expect(second!.evidence).toBe(first!.evidence)
    expect([second, third].map(assessment => assessment!.verdict.passed)).toEqual([true, false])
  })

  test('is evaluated again where its release went live meanwhile in the environment that comes before', async () => {
    const { ledger, one, two } = await decided({ promotes_from: { prod: 'staging' } })
    const into = (environment: string, release_id: string) => () =>
      promote(otherProcess(ledger), { ...HERE, environment, release_id, actor: ANN })
    await into('staging', one)()
    await into('prod', one)()
    const proposal = { ...HERE, environment: 'prod', release_id: two }
    const [first, second] = await tried(ledger, proposal, into('staging', two))
    expect([first, second].map(assessment => assessment!.verdict.passed)).toEqual([false, true])
  })

  test('of this process waits for it, and is then read again; alone it is read once', async () => {
    const { ledger, one, two } = await decided()
    let heads = 0
    const snapshot: PlainLedger['sql']['snapshot'] = statements => {
      heads += statements.some(({ text }) => text.startsWith('SELECT seq, hash')) ? 1 : 0
      return ledger.sql.snapshot(statements)
    }
    const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
    await tried(counted, two)
    expect(heads).toBe(1)
    const { promise, resolve } = Promise.withResolvers<void>()
    const other = ledger.memo.decisions.run(async () => {
      await promise
      await promote(otherProcess(ledger), { ...HERE, environment: 'prod', release_id: one, actor: ANN })
    })
    const waiting = tried(counted, two)
    resolve()
    await other
    const [assessment] = await waiting
    expect(heads).toBe(3)
    expect(assessment!.head.seq).toBe(5)
  })

  describe('of this process', () => {
    /** Three agents, each with a live release and a candidate, and a ledger that counts how often its head is read. */
    async function agents() {
      const { ledger } = await decided()
      const releases: [string, string][] = []
      for (const agent of ['ape', 'bee', 'cat']) {
        const [live, candidate] = [
          await registered(ledger, '1', { agent }),
          await registered(ledger, '2', { agent }),
        ]
        for (const release of [live, candidate]) await ran(ledger, release, 5, { agent_id: agent })
        await promote(ledger, { ...HERE, release_id: live, actor: ANN })
        releases.push([live, candidate])
      }
      const heads = { read: 0 }
      const snapshot: PlainLedger['sql']['snapshot'] = statements => {
        heads.read += statements.some(({ text }) => text.startsWith('SELECT seq, hash')) ? 1 : 0
        return ledger.sql.snapshot(statements)
      }
      const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
      const to = (release_id: string, environment = HERE.environment) =>
        promote(counted, { ...HERE, environment, release_id, actor: BOB })
      return { ledger, counted, heads, to, candidates: releases.map(([, candidate]) => candidate) }
    }
    const lastOf = async (ledger: PlainLedger, count: number) => (await ledger.rows('actions')).slice(-count)

    test('about other agents leave it as it was read, tied to the head that they leave', async () => {
      const { ledger, heads, to, candidates } = await agents()
      await Promise.all(candidates.map(release => to(release)))
      expect(heads.read).toBe(3)
      const actions = await lastOf(ledger, 3)
      expect(actions.map(({ release_id }) => release_id)).toEqual(candidates)
      expect(actions.map(({ prev_hash }) => prev_hash).slice(1)).toEqual(
        actions.map(({ hash }) => hash).slice(0, 2),
      )
      expect((await trailReport(ledger.sql)).filter(({ ok }) => !ok)).toEqual([])
    })

    test('about its own agent, or a policy that was set meanwhile, have it read again', async () => {
      const { ledger, heads, to, candidates } = await agents()
      const [ape, bee] = candidates as [string, string]
      await Promise.all([to(ape), to(ape, 'prod'), to(bee)])
      expect(heads.read).toBe(4)
      heads.read = 0
      const blocking = { ...LAX, max_latency_ms: 1 }
      await Promise.all([to(ape), setPolicy(ledger, blocking, { actor: ANN, reason: null }), to(bee)])
      expect((await lastOf(ledger, 2)).map(({ policy_passed }) => policy_passed)).toEqual([0, 0])
    })

    test('that are not written have those behind them read again', async () => {
      const { ledger, counted, heads, to, candidates } = await agents()
      let failures = 1
      counted.sql.batch = (statements, options) =>
        failures-- > 0
          ? Promise.reject(new SqlError('busy', 'locked'))
          : ledger.sql.batch(statements, options)
      const settled = await Promise.allSettled(candidates.map(release => to(release)))
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
      expect(heads.read).toBeGreaterThan(3)
      expect((await lastOf(ledger, 2)).map(({ release_id }) => String(release_id)).sort()).toEqual(
        candidates.slice(1),
      )
      expect((await trailReport(ledger.sql)).filter(({ ok }) => !ok)).toEqual([])
    })
  })

  test('that waits with others of its place is measured at one moment, and once for all that ask the same', async () => {
    const { ledger, one, two } = await decided()
    let sums = 0
    const snapshot: PlainLedger['sql']['snapshot'] = statements => {
      sums += statements.some(({ text }) => text.startsWith('WITH sides AS')) ? 1 : 0
      return ledger.sql.snapshot(statements)
    }
    const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
    const to = (release_id: string, window = '1h') =>
      promote(counted, { ...HERE, window, release_id, actor: BOB })
    // It learns whose releases these are.
    await to(two)
    await to(one)
    sums = 0
    await to(two)
    const alone = sums
    sums = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const holding = ledger.memo.decisions.run(() => promise)
    const waiting = [to(one), to(two), to(one), to(two), to(one), to(two, '2h')]
    ledger.clock.now += 5000
    resolve()
    await holding
    await Promise.all(waiting)
    // The first one is read before its turn, and the others pass it: to two, which is live, to one, to two, and by another window.
    expect(sums).toBe(5 * alone)
    const last = (await ledger.rows('actions')).slice(-6)
    const at = last.map(({ record_json }) => JSON.parse(String(record_json)).evidence.evaluated_at)
    expect(at.filter(each => each === new Date(ledger.clock.now).toISOString())).toHaveLength(5)
    ledger.clock.now += 5000
    sums = 0
    await to(one)
    expect(sums).toBe(alone)
  })

  test('again and again is given up after 200 tries', async () => {
    const { ledger, two } = await decided()
    let tries = 0
    const proposal: Proposal = { ...HERE, action: 'promote', release_id: two, actor: BOB }
    const overtaken = decideWithRetries<true>(ledger, proposal, async () => {
      tries += 1
      return undefined
    })
    await expect(overtaken).rejects.toMatchObject({
      status: 503,
      message: 'Too many other decisions are being written; try again.',
      headers: { 'Retry-After': '1' },
    })
    expect(tries).toBe(200)
  })
})
