import type { Mend } from './mend.ts'

const SQLITE = { file: 'runners/node_sqlite' } as const

/** Stray events, blocked rollbacks of watches, and limits and prices that nobody meant. */
export const SAFETY_MENDS: readonly Mend[] = [
  {
    item: 'A7',
    defect: 'a watch tried its rollback once, and never again when it was blocked',
    test: { ...SQLITE, name: 'is tried again after 5, 15 and 60 minutes' },
    undo: [
      {
        file: 'src/features/watch/tick.ts',
        find: 'retry: block === null ? null : afterBlock(watch.retry, block, watch.now),',
        replace: 'retry: null,',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'a blocked rollback was not tried when what blocked it was gone',
    test: {
      file: 'features/watch/rules_retry',
      name: 'is tried at once where another reason blocks it',
    },
    undo: [
      {
        file: 'src/features/watch/rules_retry.ts',
        find: 'return isTime || !blocks.includes(block)',
        replace: 'return isTime',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'one stray event barred every rollback, by a watch and by hand',
    test: { ...SQLITE, name: 'bar it, but it gets through as soon as the policy leaves them out' },
    undo: [
      {
        file: 'src/ledger/assess/assess.ts',
        find: "return excludes === true ? 'exclude' : 'offer'",
        replace: "return excludes === true ? 'offer' : 'refuse'",
      },
    ],
  },
  {
    item: 'A7',
    defect: 'an event of a model without a price was stored without a word, also by a strict workspace',
    test: { ...SQLITE, name: 'an event of a model without a price > is stored' },
    undo: [
      {
        file: 'src/ledger/events/check.ts',
        find: '      ...(await unpriced(events, { agents, ledger, sender })),\n',
        replace: '',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'OTLP stored a failed run of a model without a price without a word',
    test: { ...SQLITE, name: 'are answered with a warning beside no rejected span' },
    undo: [
      {
        file: 'src/features/traces/kept_spans.ts',
        find: 'const { mistakes, notes } = await findMistakes(host, drafted, sender)',
        replace: 'const { mistakes, notes } = { ...(await findMistakes(host, [], sender)) }',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'the event queue of the SDK told the first warning, and none that came later',
    test: { file: 'sdk/event_queue', name: 'tells each kind of warning once' },
    undo: [
      {
        file: 'src/sdk/event_queue.ts',
        find: 'const fresh = warnings.filter(warning => !this.#slips.has(slipOf(warning)))',
        replace: 'const fresh = this.#slips.size > 0 ? [] : warnings',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'nothing named a release that stray events keep from being decided on',
    test: { ...SQLITE, name: 'is named with why and since when' },
    undo: [
      {
        file: 'src/ledger/registry/undecidable.ts',
        find: 'return strays.length === 0 ? []',
        replace: 'return strays.length >= 0 ? []',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'runs that were sent to a mistyped environment were stored without a word',
    test: { ...SQLITE, name: 'is stored, and the one named that was probably meant' },
    undo: [
      {
        file: 'src/ledger/events/check.ts',
        find: 'notes: [...aheadTexts(events, ledger.now()), ...(await environmentTexts(events, ledger, sender))],',
        replace: 'notes: aheadTexts(events, ledger.now()),',
      },
    ],
  },
  {
    item: 'A7',
    defect: 'gate and promote did not say that the runs they found none of are in another environment',
    test: {
      file: 'release/gate',
      name: 'gate, promote and promote-request say where runs are',
    },
    undo: [
      {
        file: 'src/features/deploys/cli_gate.ts',
        find: '  await noteRunsElsewhere(answer, opened, io)\n',
        replace: '',
      },
    ],
  },
  {
    item: 'D',
    defect: 'a limit of +200 % was put in force without a word',
    test: { ...SQLITE, name: 'that lets much through is set, with a warning' },
    undo: [
      {
        file: 'handlers/rules/set_policy.ts',
        find: 'warningHeaders([...looseLimits(policy), ...unknown])',
        replace: 'warningHeaders(unknown)',
      },
    ],
  },
  {
    item: 'J',
    defect: 'a price table in USD per million tokens, or an empty one, was imported without a word',
    test: { ...SQLITE, name: 'says in a header what is odd about the table' },
    undo: [
      {
        file: 'handlers/rules/import_prices.ts',
        find: 'warningHeaders(warnings)',
        replace: 'warningHeaders([])',
      },
    ],
  },
  {
    item: 'J',
    defect: 'a release whose price table lacks its model was registered without a word',
    test: { ...SQLITE, name: 'warns where its price table lacks its model' },
    undo: [
      {
        file: 'src/rules/cost.ts',
        find: 'if (own.length > 0) return oddPrices({ ...table, entries: own })',
        replace: 'if (own.length >= 0) return []',
      },
    ],
  },
]
