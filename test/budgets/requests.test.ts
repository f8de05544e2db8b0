import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { COMPILED } from '../support/processes/processes.ts'
import { type Counts, expectBudget } from './budget.ts'

type ByLedger = Record<string, Record<string, number>>

interface Counted {
  readonly counts: Record<string, ByLedger>
  readonly answers: Record<string, Record<string, string>>
}

/** Counts by path, of the test that asks first. Processes of their own: what other tests did has no part in them. */
let counted: Promise<readonly [Counted, Counted]> | undefined

async function countAll(): Promise<readonly [Counted, Counted]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-budgets-'))
  try {
    return await Promise.all([count(join(folder, 'ledger.db')), count(await emptyDatabase())])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function count(place: string): Promise<Counted> {
  const program = fileURLToPath(new URL('count.ts', import.meta.url))
  // V8 of another version counts otherwise.
  const node = join(ROOT_PATH, 'node_modules/.bin/node')
  const { stdout } = await promisify(execFile)(node, ['--no-lazy-feedback-allocation', program, place], {
    env: { ...process.env, ...COMPILED },
  })
  return JSON.parse(stdout)
}

/** By what is counted rather than by the ledger: a line of a file then shows how it grows. */
function byCount(ledgers: ByLedger): Counts {
  const counts: Record<string, Record<string, number>> = {}
  for (const [ledger, numbers] of Object.entries(ledgers)) {
    for (const [what, number] of Object.entries(numbers)) (counts[what] ??= {})[ledger] = number
  }
  return counts
}

test.for([
  'health',
  'releases',
  'pointers',
  'board',
  'place',
  'gate',
  'gate_newest',
  'diff_first',
  'diff_warm',
  'diff_late',
  'diff_next_hour',
  'diff_task',
  'groups',
  'runs',
  'export',
  'promote',
  'events',
  'events_first',
  'upkeep',
])('%s takes what its budget says of the database, of threads and of JavaScript', async path => {
  const [sqlite, postgres] = await (counted ??= countAll())
  const parts = Object.entries({ sqlite: sqlite.counts[path], postgres: postgres.counts[path] }).flatMap(
    ([part, ledgers]) => (ledgers === undefined ? [] : [[part, byCount(ledgers)] as const]),
  )
  expect(parts).not.toEqual([])
  await expectBudget(path, Object.fromEntries(parts))
})

test('answers are the bytes that they were, on SQLite and on PostgreSQL', async () => {
  const [sqlite, postgres] = await (counted ??= countAll())
  expect(postgres.answers).toEqual(sqlite.answers)
  const lines = Object.entries(sqlite.answers).map(
    ([request, hashes]) => `  ${JSON.stringify(request)}: ${JSON.stringify(hashes)}`,
  )
  const file = fileURLToPath(new URL('answers.json', import.meta.url))
  const message = 'Answers changed. If that is meant, `npm run generate` writes the new hashes.'
  await expect(`{\n${lines.join(',\n')}\n}\n`, message).toMatchFileSnapshot(file)
})
