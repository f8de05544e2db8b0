import { describe, expect, test } from 'vitest'
import { newMemo } from '../../../src/ledger/memo.ts'
import { agentsOfReleases } from '../../../src/ledger/owners.ts'
import type { Result, Sql } from '../../../src/sql/port.ts'

const asked: unknown[][] = []

/** Has every release whose id ends in an even digit. */
const sql = {
  query: async ({ params }: { readonly params: readonly unknown[] }): Promise<Result> => {
    asked.push([...params])
    const even = params.filter(id => /[02468]$/.test(String(id)))
    return {
      rows: even.map(id => ({ release_id: String(id), agent_id: `agent of ${String(id)}` })),
      changes: 0,
    }
  },
} as Partial<Sql> as Sql

describe('agentsOfReleases', () => {
  test('asks once for each release that there is, and again for those that there are not', async () => {
    const ledger = { sql, memo: newMemo() }
    asked.length = 0
    expect([...(await agentsOfReleases(ledger, ['rel_2', 'rel_3', 'rel_2']))]).toEqual([
      ['rel_2', 'agent of rel_2'],
    ])
    expect([...(await agentsOfReleases(ledger, ['rel_3', 'rel_2', 'rel_4'])).keys()].sort()).toEqual([
      'rel_2',
      'rel_4',
    ])
    expect(asked).toEqual([
      ['rel_2', 'rel_3'],
      ['rel_3', 'rel_4'],
    ])
  })

  test('knows what it knew, also in the call that begins the memo anew', async () => {
    const memo = newMemo()
    for (let n = 0; n < 10_002; n++) memo.owners.set(`rel_known_${n}`, 'shop')
    const agents = await agentsOfReleases({ sql, memo }, ['rel_known_1', 'rel_8'])
    expect([...agents]).toEqual([
      ['rel_known_1', 'shop'],
      ['rel_8', 'agent of rel_8'],
    ])
    expect(memo.owners.size).toBe(1)
  })
})
