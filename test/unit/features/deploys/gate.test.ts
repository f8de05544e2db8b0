import { describe, expect, test } from 'vitest'
import { bounded } from '../../../../src/sql/deadline.ts'
import { type GateQuestion, askGate } from '../../../../src/features/deploys/gate.ts'
import { promote, rollback } from '../../../../src/ledger/decide/promote.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { FIRST_PROMOTION_REASON } from '../../../../src/rules/result.ts'
import { ANN, type PlainLedger, plainLedger, ran, registered } from '../../../support/ledgers/plain_ledger.ts'
import { HERE, LAX, SLOW, decided } from '../../../support/ledgers/decided_ledger.ts'

describe('the gate', () => {
  const ask = (ledger: PlainLedger, question: Partial<GateQuestion> = {}) =>
    askGate(ledger, { agent_id: 'bot', environment: 'local', window: '1h', ...question })

  test('answers with what it compared, by three reads, and by one where it is asked again', async () => {
    const { ledger, one, two } = await decided()
    let reads = 0
    const snapshot: typeof ledger.sql.snapshot = statements => {
      reads += 1
      return ledger.sql.snapshot(statements)
    }
    const counted = { ...ledger, sql: { ...ledger.sql, snapshot } }
    const gate = await ask(counted)
    expect(reads).toBe(3)
    expect(gate).toMatchObject({
      verdict: 'pass',
      passed: true,
      reasons: [],
      warnings: [],
      agent_id: 'bot',
      environment: 'local',
      release_id: two,
      version: '2',
      window: '1h',
      since: '2026-03-01T07:03:00.000Z',
      until: '2026-03-01T08:03:00.000Z',
      evaluated_at: '2026-03-01T08:03:00.000Z',
      baseline_release_id: one,
      baseline_version: '1',
      confidence: 'LOW',
      samples: { baseline_runs: 5, candidate_runs: 5 },
    })
    expect(await ask(counted)).toEqual(gate)
    expect(reads).toBe(4)
    await setPolicy(ledger, { ...LAX, max_latency_p95_ms: 1000 }, { actor: ANN, reason: null })
    expect((await ask(counted)).limits).not.toEqual(gate.limits)
    // One by the policy that was expected, one by the new one, and one for what is missing.
    expect(reads).toBe(7)
    const live = await ask(ledger, { release_id: one })
    expect(live.warnings).toContain(
      'The release and the one to compare it with are the same: it is live in local already.',
    )
    const itself = await ask(ledger, { release_id: two, baseline_release_id: two })
    expect(itself.warnings).toContain(
      'The release and the one to compare it with are the same: nothing can differ.',
    )
  })

  test('of a place without a baseline has nothing to compare', async () => {
    const ledger = await plainLedger()
    const release_id = await registered(ledger, '1')
    expect(await ask(ledger)).toMatchObject({
      verdict: 'pass',
      result: 'first',
      passed: true,
      reasons: [FIRST_PROMOTION_REASON],
      warnings: [
        'bot has never had a live release in local: nothing is compared, and no policy is evaluated.',
      ],
      release_id,
      baseline_release_id: null,
      baseline_version: null,
      confidence: null,
      confidence_reason: null,
      samples: null,
      metrics: null,
      statistics: null,
    })
    expect(await ask(ledger, { release_id, environment: 'prod' })).toMatchObject({
      verdict: 'inconclusive',
      result: 'not_yet',
      passed: false,
      reasons: ['nothing is promoted for bot in prod, so there is nothing to compare with'],
    })
  })

  test('is closed by what service.yaml says of promotions', async () => {
    const freeze = [{ environment: 'local', from: '2026-03-01', to: '2026-03-02', reason: 'fair' }]
    const closed = /^local is frozen from 2026-03-01 to 2026-03-02.*: fair \(freeze\)$/
    const { ledger, two } = await decided()
    const frozen = { ...ledger, workspace: { ...ledger.workspace, freeze } }
    expect(await ask(frozen)).toMatchObject({
      verdict: 'block',
      passed: false,
      reasons: [expect.stringMatching(closed)],
    })
    await setPolicy(
      ledger,
      { ...LAX, overrides: [{ environment: 'local', max_latency_ms: 110 }] },
      { actor: ANN, reason: null },
    )
    expect((await ask(frozen)).reasons).toEqual([
      expect.stringContaining(SLOW),
      expect.stringMatching(closed),
    ])
    await setPolicy(ledger, LAX, { actor: ANN, reason: null })
    const blocked = await promote(frozen, { ...HERE, release_id: two, actor: ANN })
    expect(blocked.result.policy).toMatchObject({ passed: false, reasons: [expect.stringMatching(closed)] })
    const [row] = (await ledger.rows('actions')).toReversed()
    expect(JSON.parse(String(row!.record_json)).evidence.gates).toEqual({
      freeze,
      // By the database's clock.
      clock: { at: '2026-03-01T08:03:00.250Z' },
    })
    const back = await rollback(frozen, { ...HERE, release_id: two, actor: ANN })
    expect(back.result.policy.passed).toBe(true)
    const fresh = await plainLedger({
      freeze,
      promotes_from: { local: { environment: 'staging', live_for: '1h' } },
    })
    const release_id = await registered(fresh, '1')
    const order = 'local promotes what was live in staging for 1h'
    expect(await ask(fresh)).toMatchObject({
      verdict: 'block',
      reasons: [
        expect.stringContaining(`${order}: ${release_id} was never live there`),
        expect.stringMatching(closed),
      ],
    })
    const strict = { ...fresh, workspace: { ...fresh.workspace, strict: true } }
    expect((await ask(strict)).reasons).toEqual([
      'nothing is promoted for bot in local, so there is nothing to compare with',
      expect.stringContaining(order),
      expect.stringMatching(closed),
    ])
    await promote(fresh, { ...HERE, environment: 'staging', release_id, actor: ANN })
    fresh.clock.now += 59 * 60_000
    const { result } = await promote(fresh, { ...HERE, release_id, actor: ANN })
    expect(result.policy).toMatchObject({
      passed: false,
      reasons: [
        expect.stringContaining('was live there for 59 min at a time'),
        expect.stringMatching(closed),
      ],
    })
    const open = { ...fresh, workspace: { ...fresh.workspace, freeze: [] } }
    fresh.clock.now += 60_000
    expect(await ask(open)).toMatchObject({ verdict: 'pass', reasons: [FIRST_PROMOTION_REASON] })
  })

  test('keeps an order without a freeze as it is', async () => {
    const order = { environment: 'staging' }
    const ledger = await plainLedger({ promotes_from: { local: order } })
    const release_id = await registered(ledger, '1')
    await promote(ledger, { ...HERE, release_id, actor: ANN })
    const [row] = await ledger.rows('actions')
    expect(JSON.parse(String(row!.record_json)).evidence.gates).toEqual({
      promotes_from: { ...order, longest_ms: null },
    })
  })

  test('answers who asks the same as somebody who leaves', async () => {
    const { ledger } = await decided()
    const caller = new AbortController()
    const leaving = bounded(ledger, { signal: caller.signal })
    const requests = [ask(leaving), ask(leaving), ask(bounded(ledger)), ask(leaving)]
    caller.abort()
    const answers = await Promise.allSettled(requests)
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected'])
    expect(answers[0]).toMatchObject({ reason: { kind: 'gone' } })
  })

  test('tells questions apart that are asked at the same time, and counts how often it looked at each', async () => {
    const { ledger } = await decided()
    const other = { agent_id: 'botl', environment: 'ocal' }
    const answers = await Promise.allSettled([ask(ledger), ask(ledger, other), ask(ledger)])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await ask(ledger, { window: '2h' })
    expect([...ledger.memo.comparisons.values()]).toEqual([2, 1])
  })

  test('names the side whose runs have no price', async () => {
    const { ledger, one, two } = await decided()
    await ran(ledger, two, 1, { model: 'm2' })
    await expect(ask(ledger)).rejects.toThrow(`events of candidate ${two} used`)
    await ran(ledger, one, 1, { model: 'm2' })
    await expect(ask(ledger)).rejects.toThrow(`events of promoted_baseline ${one} used`)
  })

  const REFUSED: readonly [Partial<GateQuestion>, string][] = [
    [{ release_id: 'rel_none' }, 'Unknown candidate release: rel_none'],
    [{ baseline_release_id: 'rel_none' }, 'Unknown baseline release: rel_none'],
    [{ window: '7w' }, 'Invalid window "7w"'],
    [{ environment: 'prod' }, 'No release of bot is registered for prod; name one by release_id.'],
  ]

  test('refuses what is unknown', async () => {
    const { ledger } = await decided()
    for (const [question, text] of REFUSED) await expect(ask(ledger, question)).rejects.toThrow(text)
  })
})
