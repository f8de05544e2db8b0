import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import { type CaseResult, packCases, tableOf } from '../../../../src/features/scores/rules_cases.ts'
import { missingOf } from '../../../../src/features/scores/rules_missing.ts'
import { missingWarnings } from '../../../../src/rules/suite_limits.ts'
import { scoreStatistics } from '../../../../src/features/scores/rules_statistics.ts'
import type { SuiteImport } from '../../../../src/features/scores/rules_suites.ts'
import { decideLimits, limitReasons } from '../../../../src/rules/limits.ts'
import { sumsOf } from '../../../../src/rules/rollup.ts'

type Tries = readonly Readonly<Record<string, number>>[]

/** An import of cases by their numbers, with the scores of each try. */
function imported(cases: Readonly<Record<number, Tries>>, more: Partial<SuiteImport> = {}): SuiteImport {
  const results = Object.entries(cases).flatMap(([id, tries]) =>
    tries.map((scores, index): CaseResult => ({
      key: keyOf(Number(id)),
      isHashed: false,
      epoch: index + 1,
      cluster: null,
      scores,
      human: null,
      details: {},
    })),
  )
  const names = new Set(results.flatMap(({ scores }) => Object.keys(scores)))
  const aggregates = Array.from(names, name => ({
    name,
    cluster: 's',
    ...sumsOf(results.flatMap(({ scores }) => scores[name] ?? [])),
  }))
  const table = tableOf([packCases(results).cases])
  return {
    suite: 's',
    import_id: 'scr_1',
    cases: Object.keys(cases).length,
    created_at: 0,
    parts: 1,
    facts: undefined,
    table,
    aggregates,
    ...more,
  }
}

const keyOf = (id: number): string => id.toString(16).padStart(16, '0')

/** So many cases, of which some ended in an error: without a score, and failed where the tool says so. */
const cases = (all: number, errors: number, error: Tries = [{}]) =>
  Object.fromEntries(
    Array.from({ length: all }, (_, id) => [id, id < errors ? error : [{ match: 1, pass_rate: 1 }]]),
  )

const reasons = (policy: Partial<Policy>, baseline: SuiteImport | undefined, candidate: SuiteImport) => {
  const side = (one: SuiteImport | undefined) => ({ runs: [], suites: one === undefined ? [] : [one] })
  const scores = scoreStatistics({ baseline: side(baseline), candidate: side(candidate) }, {}, undefined)
  return limitReasons(decideLimits(policy as Policy, { scores } as Parameters<typeof decideLimits>[1]))
}

describe('cases without a score', () => {
  const limits = { min_scores: { 's/match': 0.95 }, max_score_drop: { 's/match': 0.02 } }
  const [whole, errors] = [imported(cases(500, 0)), 100]

  test.each([
    ['ended in an error', imported(cases(500, errors))],
    ['ended in an error, which failed', imported(cases(500, errors, [{ pass_rate: 0 }]))],
    ['are not in the import', imported(Object.fromEntries(Object.entries(cases(500, 0)).slice(errors)))],
  ])('fail the limits of their suite where they %s', (_name, candidate) => {
    const text =
      "suite s: 100 of 500 cases have no score match in the candidate's import (20 %); suites.s.max_missing_cases allows 2 %"
    expect(reasons(limits, whole, candidate)).toEqual([
      `${text} (min_scores.s/match)`,
      `${text} (max_score_drop.s/match)`,
    ])
    expect(reasons({ ...limits, suites: { s: { max_missing_cases: 0.2 } } }, whole, candidate)).not.toContain(
      text,
    )
  })

  test('fail the floor of a release without a baseline too', () => {
    expect(
      reasons({ min_scores: { 's/match': 0.95 } }, undefined, imported(cases(500, errors))),
    ).toHaveLength(1)
    expect(reasons({ min_scores: { 's/match': 0.95 } }, undefined, imported(cases(500, 5)))).toEqual([])
  })

  test('are none where the import names them as removed, or the score is meant for others', () => {
    const fewer = Object.fromEntries(Object.entries(cases(500, 0)).slice(errors))
    const facts = { removed: Array.from({ length: errors }, (_, id) => keyOf(id)) } as never
    expect(missingOf('match', { baseline: whole, candidate: imported(fewer, { facts }) })).toBeUndefined()
    const some = imported(cases(100, 60, [{ pass_rate: 1 }]))
    expect(missingOf('match', { baseline: some, candidate: some })).toBeUndefined()
    expect(missingOf('match', { baseline: undefined, candidate: some })).toBeUndefined()
  })

  test('count by the share of their tries, and by their number where they are not told apart', () => {
    const tried = imported({ 0: [{ match: 1 }, {}], 1: [{ match: 1 }, { match: 1 }] })
    expect(missingOf('match', { baseline: undefined, candidate: tried })).toEqual({
      cases: 1,
      of: 2,
      share: 0.25,
    })
    const apart = { table: undefined }
    const [before, after] = [imported(cases(500, 0), apart), imported(cases(400, 0), apart)]
    expect(missingOf('match', { baseline: before, candidate: after })).toEqual({
      cases: 100,
      of: 500,
      share: 0.2,
    })
    expect(missingOf('match', { baseline: after, candidate: before })).toBeUndefined()
  })

  test('are warned of, those of a suite together', () => {
    const missing = { cases: 1, of: 50, share: 0.02 }
    const scores = ['s/a', 's/b', 't/a'].map(name => ({ name, missing }))
    expect(missingWarnings(scores as Parameters<typeof missingWarnings>[0])).toEqual([
      "suite s: 1 of 50 cases has no score a in the candidate's import (2 %), 1 of 50 cases has no score b in the candidate's import (2 %)",
      "suite t: 1 of 50 cases has no score a in the candidate's import (2 %)",
    ])
  })
})
