import { describe, expect, test } from 'vitest'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { agentsOfReleases } from '../../../../src/ledger/registry/release_facts.ts'
import type { Result, Sql } from '../../../../src/sql/port.ts'

const queries: unknown[][] = []

/** Has every release whose id ends in an even digit. */
const sql = {
  query: async ({ params }: { readonly params: readonly unknown[] }): Promise<Result> => {
    queries.push([...params])
    const even = params.filter(id => /[02468]$/.test(String(id)))
    return {
      rows: even.map(id => ({ release_id: String(id), agent_id: `agent of ${String(id)}` })),
      changes: 0,
    }
  },
} as Partial<Sql> as Sql

describe('agentsOfReleases', () => {
  test('asks once for each release that there is, and again for those that there are not', async () => {
    const ledger = { sql, memo: newMemo(), now: () => 1000 }
    queries.length = 0
    expect([...(await agentsOfReleases(ledger, ['rel_2', 'rel_3', 'rel_2']))]).toEqual([
      ['rel_2', 'agent of rel_2'],
    ])
    expect([...(await agentsOfReleases(ledger, ['rel_3', 'rel_2', 'rel_4'])).keys()].sort()).toEqual([
      'rel_2',
      'rel_4',
    ])
    expect(queries).toEqual([
      ['rel_2', 'rel_3'],
      ['rel_3', 'rel_4'],
    ])
  })

  test('knows what it knew, also in the call that begins the memo anew', async () => {
    const memo = newMemo()
    for (let n = 0; n < 10_002; n++) memo.owners.agents.set(`rel_known_${n}`, 'shop')
    const agents = await agentsOfReleases({ sql, memo, now: () => 1000 }, ['rel_known_1', 'rel_8'])
    expect([...agents]).toEqual([
      ['rel_known_1', 'shop'],
      ['rel_8', 'agent of rel_8'],
    ])
    expect(memo.owners.agents.size).toBe(1)
  })

  test('asks again after three seconds, and where the clock was set back', async () => {
    const clock = { now: 50_000 }
    const ledger = { sql, memo: newMemo(), now: () => clock.now }
    queries.length = 0
    for (const [now, reads] of [
      [50_000, 1],
      [52_999, 1],
      [53_000, 2],
      [55_999, 2],
      [40_000, 3],
    ] as const) {
      clock.now = now
      await agentsOfReleases(ledger, ['rel_2'])
      expect(queries).toHaveLength(reads)
    }
  })
})
