import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BOUND, BOUND_NAMES } from '../../../src/ledger/chain/bound_rows.ts'
import { FACTS, FACT_OF } from '../../../src/ledger/chain/facts.ts'
import { sealEntry } from '../../../src/ledger/chain/log.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const page = readFileSync(join(ROOT_PATH, 'docs/audit-format.md'), 'utf8')

test('docs/audit-format.md names the fields of an entry', async () => {
  const { record } = await sealEntry(
    { seq: 0, hash: '' },
    {
      kind: 'taken_up',
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

test('docs/audit-format.md has the values that each hash of a row is made of', () => {
  for (const [kind, name] of Object.entries(FACT_OF)) {
    if (kind !== 'decision') expect(page).toContain(`| \`${kind}\` | ${FACTS[name].columns.join(', ')} |`)
  }
  for (const name of BOUND_NAMES) {
    expect(page).toContain(`| \`${name}\` | ${BOUND[name].id} | ${BOUND[name].columns.join(', ')} |`)
  }
})
