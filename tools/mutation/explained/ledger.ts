/** Survivors among the ledger's decisions and its chain, below the reason. */
export const LEDGER: Readonly<Record<string, readonly string[]>> = {
  'of a table without an order each id has one row, and one row is sorted as it is': [
    "src/ledger/chain/bound_rows.ts rowsHash: '' → 'mutated'",
  ],
  'the paths of a release are different ones': [
    'src/ledger/chain/bound_rows.ts rowsHash: String(a[order]) < String(b[order]) → String(a[order]) <= String(b[order])',
  ],
  'SQLite gives the rows of a page in the order of their ids, so that the last is the greatest; another database need not':
    [
      'src/ledger/chain/bound_rows.ts boundPages: key > last → true',
      'src/ledger/chain/bound_rows.ts boundPages: key > last → key >= last',
    ],
  'what is no SqlError has no kind that is tried again, and is thrown a few lines below': [
    'src/ledger/chain/commit.ts commitOnce: !(error instanceof SqlError) → false',
  ],
  'an id is of one table alone: what else is asked for is not found': [
    'src/ledger/chain/read_log.ts withFacts: page.entries.filter(({ kind }) => FACT_OF[kind] === name) → page.entries',
    'src/ledger/chain/read_log.ts withFacts: FACT_OF[kind] === name → true',
  ],
  'says again what the kind says already, for the planner to find the index that leaves out decisions': [
    "src/ledger/chain/read_log.ts listLog: kind === undefined || kind === 'decision' → true",
    'src/ledger/chain/read_log.ts listLog: kind === undefined → true (2)',
    "src/ledger/chain/read_log.ts listLog: kind === 'decision' → true",
    "src/ledger/chain/read_log.ts listLog: [sql`kind <> 'decision'`] → []",
  ],
}
