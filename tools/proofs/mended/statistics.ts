import type { Mend } from './mend.ts'

/** Defects of the statistics, of the gate's memory, and of what is said of missing evidence. */
export const STATISTICS_MENDS: readonly Mend[] = [
  {
    item: 'A8',
    defect:
      'Intervals of percentiles ended in the middle of bins: a limit was broken by runs that end at it.',
    test: {
      file: 'unit/rules/statistics/sketch.test.ts',
      name: 'of runs that end at a limit never breaks it, and keeps it',
    },
    undo: [
      {
        file: 'src/rules/statistics/sketch.ts',
        find: 'Math.min(high, largest ?? high)',
        replace: 'high',
      },
    ],
  },
  {
    item: 'A8',
    defect: 'The largest latency of runs that an older server added without one was taken for that of all.',
    test: {
      file: 'node_sqlite',
      name: 'of runs that end at the limit keep it, and break the one below',
    },
    undo: [
      {
        file: 'src/ledger/events/latency_counts.ts',
        find: 'if (row.largest_of !== totalOf(own)) largest = null\n    else if',
        replace: 'if',
      },
    ],
  },
  {
    item: 'A9',
    defect: 'A difference was claimed between sides that ran at other times, or in a burst.',
    test: {
      file: 'unit/rules/statistics/compare.test.ts',
      name: 'one after the other',
    },
    undo: [
      {
        file: 'src/rules/statistics/metric.ts',
        find: 'return statistics.comparability_doubt ?? null',
        replace: 'return null',
      },
    ],
  },
  {
    item: 'A9',
    defect: 'A rollback, that of a watch too, was held up because the sides ran at other times.',
    test: { file: 'node_sqlite', name: 'holds up no rollback of a watch' },
    undo: [
      {
        file: 'src/ledger/assess/assess.ts',
        find: "over_window: action === 'rollback',",
        replace: '',
      },
    ],
  },
  {
    item: 'A10',
    defect: 'A small skewed baseline failed an unchanged release, and called it worse.',
    test: {
      file: 'unit/rules/statistics/compare.test.ts',
      name: 'of many runs beside few skewed ones no rise is claimed',
    },
    undo: [
      {
        file: 'src/rules/statistics/compare.ts',
        find: "settings.better === 'lower' && isSkewedSmall(b, ofB, ofC)",
        replace: 'false',
      },
    ],
  },
  {
    item: 'A10',
    defect: 'A rise from a baseline of 0 was told as "no data exceeds".',
    test: {
      file: 'unit/rules/limits.test.ts',
      name: 'a rise from a baseline of 0 is told as one',
    },
    undo: [
      {
        file: 'src/rules/limits.ts',
        find: 'result.estimate === null && rulesVersion >= 4',
        replace: 'false',
      },
    ],
  },
  {
    item: 'A10',
    defect: 'A diff under a limit on a percentile or on calls of tools read each side twice.',
    test: {
      file: 'unit/ledger/assess/diff.test.ts',
      name: 'with a limit on a percentile',
    },
    undo: [
      {
        file: 'src/ledger/assess/diff.ts',
        find: 'if (JSON.stringify(found.held.policy) !== JSON.stringify(policy)) {',
        replace: 'if (found.held !== undefined) {',
      },
    ],
  },
  {
    item: 'A10',
    defect: 'A metric that is worse for sure still listed candidate runs that are missing.',
    test: {
      file: 'unit/rules/statistics/compare.test.ts',
      name: 'a proven rise lacks no runs',
    },
    undo: [
      {
        file: 'src/rules/statistics/metric.ts',
        find: "verdict.verdict === 'worse'",
        replace: 'false',
      },
    ],
  },
  {
    item: 'A10',
    defect: 'Between runs that are all alike, a millisecond more was worse.',
    test: {
      file: 'unit/rules/statistics/compare.test.ts',
      name: 'constant, and a millisecond more',
    },
    undo: [
      {
        file: 'src/rules/statistics/metric.ts',
        find: 'isWithinMargin && baseline_stddev === 0 && candidate_stddev === 0',
        replace: 'false',
      },
    ],
  },
  {
    item: 'A4',
    defect:
      'The agent of a release was believed for as long as a server ran, also where a restore had lost the release.',
    test: {
      file: 'restored',
      name: 'warns within three seconds of events of a release that is no more',
    },
    undo: [
      {
        file: 'src/ledger/registry/release_facts.ts',
        find: 'age < 0 || age >= BELIEVED_MS',
        replace: 'known.since === 0',
      },
    ],
  },
  {
    item: 'D',
    defect: 'Nothing said how many more runs of each side it takes, nor how long that is.',
    test: {
      file: 'node_sqlite',
      name: 'says how many more runs of each side it takes, as a diff and a promotion do',
    },
    undo: [
      {
        file: 'src/ledger/assess/pair.ts',
        find: "verdictOf(verdict) !== 'inconclusive'",
        replace: 'true',
      },
    ],
  },
  {
    item: 'D',
    defect: 'A rate counted the time in which there was no traffic.',
    test: {
      file: 'unit/rules/missing_evidence.test.ts',
      name: 'counts the time in which there was traffic',
    },
    undo: [
      {
        file: 'src/rules/missing_evidence.ts',
        find: 'Math.max(lasted, Math.min(HOUR_MS, until - since))',
        replace: '(until - since)',
      },
    ],
  },
]
