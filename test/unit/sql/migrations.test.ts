import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrationChecksum } from '../../../src/sql/port.ts'

// The doctor takes a ledger whose migrations have other checksums for one of a modified build. The next migration is a row more.
test.each([
  ['sqlite', 32, '98da6b569562eadc21a2c54d0d67701dda556cb0483d93dcff8533da348e230e'],
  ['postgres', 32, '3fd282c4dc4568eb5ff0d11f9dc25c15d3be8a4e19edf209e5f4d2251c7043a1'],
] as const)('migrations that ledgers have had stay as they are: %s', async (dialect, last, expected) => {
  const checksums = await Promise.all(loadMigrations({ dialect }).slice(0, last).map(migrationChecksum))
  expect(createHash('sha256').update(checksums.join('\n')).digest('hex')).toBe(expected)
})
