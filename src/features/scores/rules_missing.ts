import { round12 } from '../../base/numbers.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type CaseTable, PASS_RATE, partnersOf } from './rules_cases.ts'
import type { SuiteImport, SuitePair } from './rules_suites.ts'

type Missing = NonNullable<NonNullable<DiffStatistics['scores']>[number]['missing']>

/**
 * Of the cases of both imports those that the candidate has no score for: they ended in an error, or are not in its import.
 * A case that ran on either side and has this score on neither is not meant to have it. Undefined where none is missing.
 */
export function missingOf(score: string, { baseline, candidate }: SuitePair): Missing | undefined {
  if (candidate === undefined) return undefined
  const [b, c] = [baseline?.table, candidate.table]
  const isByCase = c !== undefined && (baseline === undefined || b !== undefined)
  const found = isByCase
    ? byCase(score, b, c, new Set(candidate.facts?.removed))
    : byNumber(score, baseline, candidate)
  return found.cases === 0 ? undefined : { ...found, share: round12(found.share) }
}

function byCase(
  score: string,
  baseline: CaseTable | undefined,
  candidate: CaseTable,
  removed: ReadonlySet<string>,
): Missing {
  const partners = baseline && partnersOf(candidate, baseline).numbers
  const has = (table: CaseTable | undefined, number: number): number =>
    table?.scores.get(score)?.n[number] ?? 0
  const found = candidate.keys.flatMap((_key, number) => {
    const [other, tries] = [partners?.[number] ?? -1, candidate.epochs[number]!]
    const isAbsent = has(candidate, number) === 0 && has(baseline, other) === 0
    if (isAbsent && (hasRun(candidate, number) || hasRun(baseline, other))) return []
    return [1 - has(candidate, number) / tries]
  })
  const absent = (baseline?.keys ?? []).filter(
    (key, number) =>
      !candidate.numbers.has(key) &&
      !removed.has(key) &&
      (has(baseline, number) > 0 || !hasRun(baseline, number)),
  ).length
  const of = found.length + absent
  return {
    cases: found.filter(share => share > 0).length + absent,
    of,
    share: of === 0 ? 0 : (found.reduce((sum, share) => sum + share, 0) + absent) / of,
  }
}

/** Whether a case has an outcome other than an error: it passed once, or has a score of its own. */
function hasRun(table: CaseTable | undefined, number: number): boolean {
  return [...(table?.scores ?? [])].some(([name, { n, full }]) =>
    name === PASS_RATE ? (full[number] ?? 0) > 0 : (n[number] ?? 0) > 0,
  )
}

/** Where cases have no ids: as many as the baseline has, or would have of as many cases; all where it has no import. */
function byNumber(score: string, baseline: SuiteImport | undefined, candidate: SuiteImport): Missing {
  const scored = ({ aggregates }: SuiteImport): number =>
    aggregates.reduce((sum, { name, n }) => sum + (name === score ? n : 0), 0)
  const all = Math.max(baseline?.cases ?? 0, candidate.cases)
  const of = baseline === undefined ? all : Math.round((all * scored(baseline)) / baseline.cases)
  const cases = Math.max(0, of - scored(candidate))
  return { cases, of, share: of === 0 ? 0 : cases / of }
}
