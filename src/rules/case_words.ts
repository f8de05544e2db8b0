import type { NamedCase } from '../models/answers/suites.ts'
import type { CaseState } from '../models/names.ts'

/** What became of a case, in words. */
export const CASE_WORDS = {
  newly_failing: 'newly failing',
  flaky: 'flaky',
  still_failing: 'still failing',
  newly_passing: 'newly passing',
  passing: 'passing',
  failing: 'failing',
  only_candidate: 'new',
  only_baseline: 'missing',
  lower: 'lower',
  higher: 'higher',
} as const satisfies Readonly<Record<CaseState, string>>

/** Most cases, and traces of a case, that a text names. */
const MOST = { cases: 20, traces: 3 } as const

/** Cases that don't pass, one to a line; `name` writes what somebody else has named. */
export function caseLines(cases: readonly NamedCase[], name: (text: string) => string): string[] {
  const lines = cases.slice(0, MOST.cases).map(({ suite, case: key, name: id, state, trace_ids = [] }) => {
    const traces = trace_ids.slice(0, MOST.traces).map(trace => name(trace))
    const shown =
      traces.length === 0 ? '' : ` (${traces.length === 1 ? 'trace' : 'traces'} ${traces.join(', ')})`
    return `${CASE_WORDS[state]} in ${name(suite)}: ${name(id ?? key)}${shown}`
  })
  const more = cases.length - lines.length
  return more > 0 ? [...lines, `and ${more} more`] : lines
}
