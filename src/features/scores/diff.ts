import type { InputPart } from '../../models/all/input.ts'
import { badRequest } from '../../base/errors.ts'
import { round12 } from '../../base/numbers.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import type { ComparedCase, ScoreDiff } from './models.ts'
import type { CaseState } from '../../models/names.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { plannedBy } from '../../rules/diff_statistics.ts'
import { MILLION } from '../../rules/rollup.ts'
import { ask, ofSides, together } from '../../sql/query.ts'
import type { Sql } from '../../sql/port.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { type ReleaseFacts, releaseQuery, unknownRelease } from '../../ledger/registry/release_facts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { detailsOf, namesOf, readTables } from './cases.ts'
import { type StoredImport, newestImports, toImport, toSuite } from './imports.ts'
import { type CaseDetails, type CaseTable, PASS_RATE, partnersOf, usedBy } from './rules_cases.ts'
import { missingWarnings } from '../../rules/suite_limits.ts'
import { scoresOfSuite } from './rules_statistics.ts'
import {
  type SuiteImport,
  type SuitePair,
  caseStates,
  suiteStatistics,
  suiteWarnings,
} from './rules_suites.ts'
import { databaseTime } from './sides.ts'

export type ScoreDiffInput = InputPart<'ScoresDiff', 'body'>

/**
 * Compares the newest imports of a suite for two releases of one agent, case by case. Writes nothing. Throws 400 for an
 * unknown release, for releases of two agents, and where neither has an import of the suite.
 */
export async function diffScores(ledger: Ledger, input: ScoreDiffInput): Promise<ScoreDiff> {
  const { suite } = input
  const found = await ask(
    ledger.sql,
    together({
      sides: ofSides(side =>
        together({
          release: releaseQuery(input[`${side}_release_id`]),
          imports: newestImports([input[`${side}_release_id`]]),
        }),
      ),
      policy: ACTIVE_POLICY,
    }),
  )
  const { baseline, candidate } = found.sides
  const agent_id = agentOf(input, baseline.release, candidate.release)
  const rows = { baseline: rowOf(baseline.imports, suite), candidate: rowOf(candidate.imports, suite) }
  if (rows.baseline === undefined && rows.candidate === undefined) {
    throw badRequest(noImport(suite, [...baseline.imports, ...candidate.imports]))
  }
  const pair = await pairOf(ledger, rows)
  const environment = ledger.workspace.default_environment
  const { policy } = await policyIn(found.policy, { agent_id, environment })
  const now = await databaseTime(ledger, 1)
  const statistics = suiteStatistics(suite, pair, { now, checksum: candidate.release!.checksum })
  const options = plannedBy(policy, resolveThresholds(policy, ledger.workspace.diff))
  const scores = scoresOfSuite(pair, options, policy.max_score_drop)
  const states = statesOf(pair, statistics.not_compared_because === 'judges', input.states)
  const [b, c] = [pair.baseline?.table, pair.candidate?.table]
  const shared = b === undefined || c === undefined ? 0 : partnersOf(c, b).shared
  return {
    suite,
    agent_id,
    baseline_release_id: input.baseline_release_id,
    candidate_release_id: input.candidate_release_id,
    baseline: rows.baseline === undefined ? null : toImport(rows.baseline),
    candidate: rows.candidate === undefined ? null : toImport(rows.candidate),
    scores: scores.map(toScoreChange),
    changes: statistics.changes,
    not_compared_because: statistics.not_compared_because,
    only_baseline: (b?.keys.length ?? 0) - shared,
    only_candidate: (c?.keys.length ?? 0) - shared,
    cases_in_all: states.length,
    cases: await comparedCases(ledger.sql, pair, states.slice(input.offset, input.offset + input.limit)),
    warnings: [
      ...(['baseline', 'candidate'] as const).flatMap(side =>
        rows[side] === undefined ? [`suite ${suite}: the ${side} has no import of it`] : [],
      ),
      ...suiteWarnings(statistics, pair, policy),
      ...missingWarnings(scores),
    ],
  }
}

function agentOf(
  input: ScoreDiffInput,
  baseline: ReleaseFacts | undefined,
  candidate: ReleaseFacts | undefined,
): string {
  if (baseline === undefined) throw badRequest(unknownRelease(input.baseline_release_id, 'baseline'))
  if (candidate === undefined) throw badRequest(unknownRelease(input.candidate_release_id, 'candidate'))
  if (baseline.agent_id === candidate.agent_id) return candidate.agent_id
  throw badRequest(
    `Cross-agent diff is not allowed: ${baseline.release_id} is a release of ${baseline.agent_id}, ` +
      `${candidate.release_id} of ${candidate.agent_id}.`,
  )
}

function rowOf(rows: readonly StoredImport[], suite: string): StoredImport | undefined {
  return rows.find(row => row.suite === suite)
}

function noImport(suite: string, rows: readonly StoredImport[]): string {
  const names = [...new Set(rows.map(row => row.suite))].sort()
  return `Neither release has an import of the suite ${suite}. ${suitesThere(suite, names)}`
}

/** Which suites there are, for who names another one. */
export function suitesThere(suite: string, names: readonly string[]): string {
  const [meant] = similarNames(suite, names, 1)
  if (meant !== undefined) return `Did you mean ${meant}?`
  return names.length > 0 ? `Imported suites: ${firstFew(names)}.` : 'Import one with `svc scores import`.'
}

async function pairOf(
  ledger: Ledger,
  rows: { readonly [side in keyof SuitePair]: StoredImport | undefined },
): Promise<SuitePair> {
  const pair = {
    baseline: rows.baseline && toSuite(rows.baseline),
    candidate: rows.candidate && toSuite(rows.candidate),
  }
  const tables = await readTables(
    ledger,
    Object.values(pair).filter(one => one !== undefined),
  )
  const of = (one: SuiteImport | undefined) => one && { ...one, table: tables.get(one.import_id) }
  return { baseline: of(pair.baseline), candidate: of(pair.candidate) }
}

function statesOf(
  { baseline, candidate }: SuitePair,
  areOthers: boolean,
  wanted: readonly CaseState[] | undefined,
): readonly { readonly key: string; readonly state: CaseState }[] {
  const [b, c] = [areOthers ? undefined : baseline?.table, candidate?.table]
  const isWanted = (state: CaseState): boolean => wanted?.includes(state) ?? state !== 'passing'
  const states = caseStates(b, c)
  if (states === undefined) {
    return b === undefined || c === undefined ? [] : gradedStates(b, c).filter(({ state }) => isWanted(state))
  }
  return [...states].flatMap(([state, keys]) => (isWanted(state) ? keys.map(key => ({ key, state })) : []))
}

/** Where nothing says what passes: the cases whose first score differs, the largest fall first. */
function gradedStates(baseline: CaseTable, candidate: CaseTable): { key: string; state: CaseState }[] {
  const score = [...candidate.scores.keys()].find(name => baseline.scores.has(name))
  if (score === undefined) return []
  const changed = candidate.keys.flatMap((key, number) => {
    const other = baseline.numbers.get(key)
    const [before, after] = [
      other === undefined ? null : meanOf(baseline, other, score),
      meanOf(candidate, number, score),
    ]
    return before === null || after === null || before === after ? [] : [{ key, rise: after - before }]
  })
  return changed
    .sort((one, other) => one.rise - other.rise)
    .map(({ key, rise }) => ({ key, state: rise < 0 ? 'lower' : 'higher' }))
}

function meanOf(table: CaseTable, number: number, score: string): number | null {
  const { n, sum } = table.scores.get(score)!
  return n[number] === 0 ? null : round12(sum[number]! / n[number]! / MILLION)
}

function toScoreChange({
  name,
  baseline,
  candidate,
  change,
  paired,
}: ReturnType<typeof scoresOfSuite>[number]): ScoreDiff['scores'][number] {
  return {
    name: name.slice(name.indexOf('/') + 1),
    baseline,
    candidate,
    difference: change.difference,
    verdict: change.verdict,
    inconclusive_because: change.inconclusive_because,
    ...(paired === undefined ? {} : { paired_cases: paired.cases, mcnemar_p: paired.mcnemar_p }),
    cases_needed: change.runs_needed.runs_per_side,
  }
}

async function comparedCases(
  db: Sql,
  { baseline, candidate }: SuitePair,
  states: readonly { readonly key: string; readonly state: CaseState }[],
): Promise<ComparedCase[]> {
  const keys = states.map(({ key }) => key)
  const names = await namesOf(db, keys)
  const [before, after] = [await shownOf(db, baseline, keys), await shownOf(db, candidate, keys)]
  return states.map(({ key, state }) => ({
    case: key,
    name: names.get(key) ?? null,
    state,
    baseline: triesOf(baseline?.table, key),
    candidate: triesOf(candidate?.table, key),
    ...sumsOfTries(after.get(key) ?? before.get(key) ?? []),
  }))
}

async function shownOf(
  db: Sql,
  side: SuiteImport | undefined,
  keys: readonly string[],
): Promise<Map<string, CaseDetails[]>> {
  return side?.table === undefined ? new Map() : detailsOf(db, side.import_id, side.table, keys)
}

function triesOf(table: CaseTable | undefined, key: string): ComparedCase['baseline'] {
  const number = table?.numbers.get(key)
  if (table === undefined || number === undefined) return null
  const scores = [...table.scores.keys()].flatMap(name => {
    const mean = meanOf(table, number, name)
    return mean === null ? [] : [[name, mean] as const]
  })
  return {
    epochs: table.epochs[number]!,
    passed: table.scores.get(PASS_RATE)?.full[number] ?? null,
    scores: Object.fromEntries(scores),
  }
}

/** What all tries of a case come to. */
function sumsOfTries(
  details: readonly CaseDetails[],
): Pick<ComparedCase, 'tags' | 'trace_ids' | 'duration_ms' | 'tokens' | 'cost_usd'> {
  const tags = [...new Set(details.flatMap(({ tags: own }) => own ?? []))]
  const trace_ids = details.flatMap(({ trace_id }) => trace_id ?? [])
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(trace_ids.length === 0 ? {} : { trace_ids }),
    ...usedBy(details),
  }
}
