import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { BoundTable } from '../../../src/ledger/trail/bound_rows.ts'
import { sha256 } from '../../../src/base/bytes.ts'
import { FACT_OF } from '../../../src/models/names.ts'
import { sealEntry } from '../../../src/ledger/trail/chain.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const page = readFileSync(join(ROOT_PATH, 'docs/project/audit-format.md'), 'utf8')

test('docs/project/audit-format.md names the fields of an entry', async () => {
  const { record } = await sealEntry(
    { seq: 0, hash: '' },
    {
      kind: 'events.pruned',
      subject: 'x',
      actor: { name: 'a', source: 'cli' },
      reason: null,
      created_at: 0,
      fact: null,
      details: {},
    },
  )
  for (const field of Object.keys(record)) expect(page).toMatch(new RegExp(`^\\|[^|]*\`${field}\``, 'm'))
})

/** Tables as a process that starts reads them, so that the proof by mutants can change them while tests run. */
async function tables() {
  vi.resetModules()
  const [bound, facts] = await Promise.all([
    import('../../../src/ledger/trail/bound_rows.ts'),
    import('../../../src/ledger/trail/facts.ts'),
  ])
  return { ...bound, ...facts }
}

test('the values that hashes are made of, and their order, are what they were when ledgers were written', async () => {
  const { BOUND, FACTS } = await tables()
  const bound = Object.entries<BoundTable>(BOUND).map(
    ([table, { id, columns, added = [], unnumbered = false }]) => [table, id, columns, added, unnumbered],
  )
  expect(await sha256(JSON.stringify(bound))).toBe(
    '80b0fe38b9dcb4c941ffc02689b44497ad0f5d6e6c5ba6e1079c2345f81f15e9',
  )
  expect(await sha256(JSON.stringify(FACTS))).toBe(
    '20a73ce5f96ec5b6fd5622e6e6f1d91f55eabaae16ecca643ef11de8d6af81af',
  )
})

test('docs/project/audit-format.md has the values that each hash of a fact is made of', async () => {
  const { FACTS, FACT_NAMES } = await tables()
  expect(Object.values(FACT_OF)).toEqual(FACT_NAMES)
  for (const [kind, name] of Object.entries(FACT_OF)) {
    if (kind !== 'decision') expect(page).toContain(`| \`${kind}\` | ${FACTS[name].columns.join(', ')} |`)
  }
})
