import { describe, expect, test } from 'vitest'
import { diffReleases } from '../../../../src/ledger/assess/diff.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import {
  ANN,
  type PlainLedger,
  plainLedger,
  priced,
  ran,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'

const BY_ANN = { actor: ANN, reason: null }

/** A ledger with two releases, that counts how often the sums of both are read. */
async function twoSides(policy: Partial<Policy>) {
  const ledger = await plainLedger()
  await priced(ledger)
  const [baseline, candidate] = [await registered(ledger, '1'), await registered(ledger, '2')]
  for (const id of [baseline, candidate]) await ran(ledger, id, 100)
  await setPolicy(ledger, { ...DEFAULT_POLICY, ...policy }, BY_ANN)
  const reads = { sides: 0 }
  const counting: PlainLedger = {
    ...ledger,
    sql: {
      ...ledger.sql,
      snapshot: statements => {
        reads.sides += statements.filter(
          ({ text }) => text.includes('WITH scope') && text.includes('last_minute AS'),
        ).length
        return ledger.sql.snapshot(statements)
      },
    },
  }
  const diff = (more: object = {}) =>
    diffReleases(counting, {
      baseline_release_id: baseline,
      candidate_release_id: candidate,
      window: '1h',
      ...more,
    })
  return { ledger, reads, diff }
}

describe('each side is read once by a diff', () => {
  test.each<[string, Partial<Policy>, object, number]>([
    ['without limits', {}, {}, 0],
    ['with a limit on a percentile', { max_latency_p95_ms: 500 }, {}, 1],
    ['with a limit on calls of tools', { max_tool_calls_increase_pct: 0.5 }, {}, 1],
    ['with both', { max_latency_p95_ms: 500, max_tool_calls_increase_pct: 0.5 }, {}, 2],
    ['with one that is asked for as well', { max_latency_p95_ms: 500 }, { tails: true, tools: true }, 1],
    [
      'with a limit that an override sets',
      { overrides: [{ agent_id: 'bot', max_latency_p99_ms: 500 }] },
      {},
      1,
    ],
  ])('%s', async (_, policy, options, limits) => {
    const { reads, diff } = await twoSides(policy)
    expect((await diff(options)).statistics.limits).toHaveLength(limits)
    expect(reads.sides).toBe(1)
  })

  test('but for a policy that is set meanwhile and takes more', async () => {
    const { ledger, reads, diff } = await twoSides({})
    const plain = { ...ledger.sql }
    let batches = 0
    Object.assign(ledger.sql, {
      snapshot: async (statements: Parameters<typeof plain.snapshot>[0]) => {
        if (batches++ === 1) {
          const policy = { ...DEFAULT_POLICY, max_latency_p95_ms: 500 }
          await setPolicy({ ...ledger, sql: plain }, policy, BY_ANN)
        }
        return plain.snapshot(statements)
      },
    })
    const { statistics } = await diff()
    expect(reads.sides).toBe(2)
    expect(statistics.limits).toMatchObject([{ policy_key: 'max_latency_p95_ms', outcome: 'pass' }])
  })
})
