import type { Mend } from './mend.ts'

const RULE = { file: 'unit/otlp/rule.test.ts' } as const
const REQUESTS = { file: 'unit/otlp/requests.test.ts' } as const
const PROCESSOR = { file: 'unit/features/recorders/otel/processor.test.ts' } as const
const JOINED = { file: 'node_sqlite' } as const

export const TRACES_MENDS: readonly Mend[] = [
  {
    item: 'A11',
    defect: 'a run whose calls came in an earlier request was stored without them',
    test: { ...REQUESTS, name: 'a call before its agent' },
    undo: [
      {
        file: 'src/features/traces/receive.ts',
        find: 'groupSpans([...recalled.kept.map(({ span }) => span), ...spans])',
        replace: 'groupSpans([...spans])',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run was stored although calls of its trace had no known parent',
    test: { ...REQUESTS, name: 'a call whose parent never comes' },
    undo: [
      {
        file: 'src/features/traces/receive.ts',
        find: 'if (open.some(other => mayBeOf(other, group, above)))',
        replace: 'if (open.some(other => mayBeOf(other, group, above) && top.hasFailed))',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'what a run was refused for was forgotten, so that a part of it that was sent again was stored',
    test: { ...REQUESTS, name: 'a call with counts that can not be' },
    undo: [
      {
        file: 'src/features/traces/receive.ts',
        find: "({ what: 'refused', reason, isLoose: false, isLate: false })",
        replace: "({ what: 'refused', reason, isLoose: true, isLate: false })",
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run was stored without a call that could not be read',
    test: { ...REQUESTS, name: 'a call whose ids can not be read' },
    undo: [
      {
        file: 'src/features/traces/spans.ts',
        find: 'const span = { parentId: NOWHERE, attributes }',
        replace: 'const span = { parentId: NOWHERE, attributes: {} as typeof attributes }',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run was stored although spans of its time had been forgotten',
    test: { ...REQUESTS, name: 'has an end: a run that began before spans were forgotten is refused' },
    undo: [
      {
        file: 'src/features/traces/receive.ts',
        find: 'if (forgottenBefore > 0 && began < forgottenBefore)',
        replace: 'if (forgottenBefore > began + 1e12)',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'calls that came after their run were lost in silence',
    test: { ...REQUESTS, name: 'a call that comes after its run' },
    undo: [
      {
        file: 'src/features/traces/receive.ts',
        find: 'if (stored.some(({ spanId }) => spanId === missing!.spanId)) {',
        replace: 'if (stored.length > 1e9) {',
      },
      {
        file: 'src/features/traces/receive.ts',
        find: "if (isLate) return { what: 'held', reason: LATE, isLate }",
        replace: '',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run was stored without a call that another server took meanwhile',
    test: { ...JOINED, name: 'come between what another request reads' },
    undo: [
      {
        file: 'src/features/traces/kept_spans.ts',
        find: 'holds: unchanged(db, known),',
        replace: "holds: raw('true'),",
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run was stored without a call that came and was forgotten meanwhile',
    test: { ...JOINED, name: 'come and are forgotten between what another request reads' },
    undo: [
      {
        file: 'src/features/traces/kept_spans.ts',
        find: '(SELECT spans_before FROM retention WHERE id = 1) = ${forgottenBefore} AND NOT',
        replace: 'NOT',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'on PostgreSQL a call waited for ever whose run was being committed',
    test: {
      file: 'postgres_traces',
      name: 'a call that is remembered while its run is being',
    },
    undo: [
      {
        file: 'src/features/traces/kept_spans.ts',
        find: "if (dialect !== 'postgres') return []",
        replace: 'if (traces.length >= 0) return []',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'spans that were forgotten untold were counted nowhere',
    test: { file: 'traces/forget', name: 'of more spans than are remembered' },
    undo: [
      {
        file: 'src/features/traces/forget_spans.ts',
        find: "addToCounter('run_spans_forgotten', unreportedIn(OVERFLOW))",
        replace: "addToCounter('run_spans_forgotten', 0)",
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run that waited made an event of a tenant who had been erased',
    test: { ...JOINED, name: 'of a tenant that is erased go with its events' },
    undo: [
      {
        file: 'src/features/retention/erase.ts',
        find: 'DELETE FROM kept_spans WHERE tenant_id = ${options.tenant}',
        replace: 'DELETE FROM kept_spans WHERE seq < 0 AND tenant_id = ${options.tenant}',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a call without token counts in a run with others was free',
    test: { ...RULE, name: 'a call without token counts beside' },
    undo: [
      {
        file: 'src/spans/gather.ts',
        find: 'if (uncounted === 0) return undefined',
        replace: 'if (uncounted >= 0) return undefined',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'the span processor took a call without token counts for a free one',
    test: { ...PROCESSOR, name: 'a call without token counts beside' },
    undo: [
      {
        file: 'src/features/recorders/otel.ts',
        find: 'gathered.problem ?? (root.hasFailed ? undefined : uncountedText(gathered))',
        replace: 'gathered.problem',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'one answer that two instrumentations traced was counted twice',
    test: { ...RULE, name: 'calls beside each other with one' },
    undo: [
      {
        file: 'src/spans/use.ts',
        find: 'if (responseId !== undefined) {',
        replace: "if (responseId === '') {",
      },
    ],
  },
  {
    item: 'A11',
    defect: 'nothing warned of two calls that look like one',
    test: { ...RULE, name: 'two calls that look like one' },
    undo: [
      {
        file: 'src/spans/use.ts',
        find: 'if (calls.length < 2) return 0',
        replace: 'if (calls.length >= 0) return 0',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a run that failed before it called a model was missing from the error rate',
    test: { ...RULE, name: 'an agent that failed before it called' },
    undo: [
      {
        file: 'src/features/traces/runs.ts',
        find: 'const uncounted = root.hasFailed ? undefined : uncountedText(gathered)',
        replace: 'const uncounted = uncountedText(gathered)',
      },
    ],
  },
  {
    item: 'A11',
    defect: "LiteLLM's names of models were unknown although the provider was given beside them",
    test: { ...RULE, name: 'a model by a name with its provider' },
    undo: [
      {
        file: 'src/spans/provider.ts',
        find: 'return isProvider ? [model.slice(slash + 1)] : []',
        replace: 'return isProvider ? [] : []',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'a client without an agent span could not be ingested by variables alone',
    test: { ...RULE, name: 'its calls make a run of the request' },
    undo: [
      {
        file: 'src/features/traces/tree.ts',
        find: 'return gathered.calls > 0 && !hasRun && isRunByResource(span)',
        replace: 'return gathered.calls < 0 && !hasRun && isRunByResource(span)',
      },
    ],
  },
  {
    item: 'A11',
    defect: 'refused spans were in no metric, so that no alert saw them',
    test: { file: 'server/metrics.test.ts', name: 'of traces are counted as stored' },
    undo: [
      {
        file: 'handlers/runs/traces.ts',
        find: "countEvents(tally, 'refused', refusedCount(telling))",
        replace: "countEvents(tally, 'refused', 0 * refusedCount(telling))",
      },
    ],
  },
]
