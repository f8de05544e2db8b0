/** Survivors among the ledger's decisions and its chain, below the reason. */
export const LEDGER: Readonly<Record<string, readonly string[]>> = {
  'the paths of a release are different ones': [
    'src/ledger/trail/bound_rows.ts rowsHash: asText(a[order]) < asText(b[order]) → asText(a[order]) <= asText(b[order])',
  ],
  'SQLite gives the rows of a page in the order of their ids, so that the last is the greatest; another database need not':
    [
      'src/ledger/trail/bound_rows.ts boundPages: key > last → true',
      'src/ledger/trail/bound_rows.ts boundPages: key > last → key >= last',
    ],
  'what is no SqlError has no kind that is tried again, and is thrown a few lines below': [
    'src/ledger/trail/chain.ts commitOnce: !(error instanceof SqlError) → false',
  ],
  'an id is of one table alone: what else is asked for is not found': [
    'src/ledger/trail/read_log.ts withFacts: page.entries.filter(({ kind }) => FACT_OF[kind] === name) → page.entries',
    'src/ledger/trail/read_log.ts withFacts: FACT_OF[kind] === name → true',
  ],
  'says again what the kind says already, for the planner to find the index that leaves out decisions': [
    "src/ledger/trail/read_log.ts listLog: kind === undefined || kind === 'decision' → true",
    'src/ledger/trail/read_log.ts listLog: kind === undefined → true (2)',
    "src/ledger/trail/read_log.ts listLog: kind === 'decision' → true",
    "src/ledger/trail/read_log.ts listLog: [sql`kind <> 'decision'`] → []",
  ],
  'what is done with a call is that it came back, and no caller looks at what': [
    'src/ledger/trail/write_logged.ts entryAlone: true → false',
  ],
  'a field that is undefined is not in the text of JSON that is stored, hashed and answered': [
    'src/ledger/assess/assess.ts evidenceOf: scope === undefined → false',
    'src/ledger/assess/assess.ts evidenceOf: gates === undefined → false',
    'src/ledger/decide/record.ts recordOf: proposal.actor.claimed === undefined → false',
    'src/ledger/decide/record.ts decisionEntry: forced === true → true',
  ],
  'the last word of a sentence for people': ["src/features/explain/explain.ts newerRules: 'version.' → ''"],
  'nothing is added to an object by undefined either': [
    'src/ledger/decide/record.ts recordDecision: ({}) → undefined',
  ],
  'the guard of a batch holds for all of its statements or for none': [
    'src/ledger/decide/requests.ts expireRequests: counts.every(count => count === 1) → counts.some(count => count === 1)',
  ],
  'a trial answers no checksum of the policy': ["src/features/explain/test_policy.ts tried: '' → 'mutated'"],
  'there is an action on a page behind which there are more': [
    'src/ledger/decide/trail.ts listActions: actions.at(-1)?.audit_seq → actions.at(-1).audit_seq',
  ],
  'JSON.parse makes null of null': ['src/ledger/decide/trail.ts toDetail: record_json === null → false'],
}
