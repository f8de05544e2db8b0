import { describe, expect, test } from 'vitest'
import { EVERYTHING } from '../../../../src/ledger/world/scope.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { mistypedEnvironments } from '../../../../src/ledger/registry/places.ts'
import { unpricedModels } from '../../../../src/ledger/registry/priced_models.ts'
import type { Result, Sql, Statement } from '../../../../src/sql/port.ts'
import type { WorkspaceConfig } from '../../../../src/models/documents/workspace.ts'

/** A ledger that answers every read from a table, and counts the reads. */
function ledgerOf(answer: (statement: Statement) => Result['rows']) {
  const seen = { reads: 0, now: 1_000_000 }
  const read = (statement: Statement): Result => ({ rows: answer(statement), changes: 0 })
  const sql = {
    dialect: 'sqlite',
    query: async statement => {
      seen.reads += 1
      return read(statement)
    },
    snapshot: async statements => {
      seen.reads += 1
      return statements.map(read)
    },
  } as Partial<Sql> as Sql
  const workspace = { default_environment: 'local' } as WorkspaceConfig
  return { seen, ledger: { sql, memo: newMemo(), now: () => seen.now, workspace } }
}

describe('models without a price', () => {
  const release = {
    release_id: 'rel_1',
    agent_id: 'bot',
    version: '1',
    environment: 'prod',
    checksum: '',
    model: 'm1',
    pricing_provider: 'acme',
    pricing_version: 'v1',
  }
  const table = { provider: 'acme', pricing_version: 'v1', pricing_json: '{"entries":[{"model":"m1"}]}' }
  const make = () => ledgerOf(({ text }) => (text.startsWith('SELECT provider') ? [table] : [release]))

  test('are asked for each time; a price that was found is not, for a minute', async () => {
    const { seen, ledger } = make()
    const ask = async (...models: string[]) => [
      ...((await unpricedModels(ledger, new Map([['rel_1', new Set(models)]]))).get('rel_1')?.models ?? []),
    ]
    expect(await ask('m1')).toEqual([])
    expect(await ask('m1')).toEqual([])
    expect(seen.reads).toBe(1)
    expect(await ask('m1', 'm9')).toEqual(['m9'])
    expect(await ask('m9')).toEqual(['m9'])
    expect(seen.reads).toBe(3)
    seen.now += 60_000
    await ask('m1')
    expect(seen.reads).toBe(4)
    // A clock that was set back keeps nothing for longer.
    seen.now -= 3_600_000
    await ask('m1')
    expect(seen.reads).toBe(5)
  })

  test('of no release at all are asked for by nobody', async () => {
    const { seen, ledger } = make()
    expect(await unpricedModels(ledger, new Map())).toEqual(new Map())
    expect(seen.reads).toBe(0)
  })
})

describe('environments that may be mistyped', () => {
  const make = () => ledgerOf(() => [{ name: 'prod' }, { name: 'eu-west' }])

  test('are asked for each time; others once, or once a minute while nothing is known of them', async () => {
    const { seen, ledger } = make()
    const ask = async (...names: string[]) => [
      ...(await mistypedEnvironments(ledger, new Set(names), EVERYTHING)),
    ]
    expect(await ask('local')).toEqual([])
    expect(seen.reads).toBe(0)
    expect(await ask('prod', 'prdo', 'elsewhere')).toEqual([['prdo', 'prod']])
    expect(await ask('prod', 'elsewhere')).toEqual([])
    expect(seen.reads).toBe(1)
    expect(await ask('prdo')).toEqual([['prdo', 'prod']])
    seen.now += 60_000
    expect(await ask('prod')).toEqual([])
    expect(seen.reads).toBe(2)
    await ask('elsewhere')
    expect(seen.reads).toBe(3)
  })

  test('of many names at once are looked for among the first of them', async () => {
    const { ledger } = make()
    const names = Array.from({ length: 5000 }, (_, index) => `pro${index % 10}${index}`)
    expect((await mistypedEnvironments(ledger, new Set(names), EVERYTHING)).size).toBeLessThanOrEqual(20)
  })

  test('are none where environments are declared: others are refused there', async () => {
    const { seen, ledger } = make()
    const workspace = { ...ledger.workspace, environments: ['prod'] }
    expect((await mistypedEnvironments({ ...ledger, workspace }, new Set(['prdo']), EVERYTHING)).size).toBe(0)
    expect(seen.reads).toBe(0)
  })
})
