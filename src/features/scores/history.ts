import { isoTime } from '../../base/time.ts'
import type { SuiteHistory, SuiteList } from './models.ts'
import { sql } from '../../sql/port.ts'
import { allRows, ask, asNumber, asText, asTime, columns } from '../../sql/query.ts'
import { ServiceError } from '../../base/errors.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { namesOf, readTables } from './cases.ts'
import { suitesThere } from './diff.ts'
import { suiteImports, toSuite } from './imports.ts'
import { type CaseTable, PASS_RATE } from './rules_cases.ts'
import { scoresOfSuite } from './rules_statistics.ts'
import type { SuiteImport } from './rules_suites.ts'

/** Most suites, releases and cases that are answered, and releases whose cases are compared. */
const MOST = { suites: 100, releases: 50, cases: 200, compared: 10 } as const

/** The suites that releases of an agent were evaluated with. */
export async function listSuites(
  { sql: db }: Pick<Ledger, 'sql'>,
  agentId: string,
): Promise<typeof SuiteList.infer> {
  const newest = sql`SELECT n.suite, n.releases, i.release_id, i.import_id, i.created_at, r.version
      FROM (SELECT i.suite, count(DISTINCT i.release_id) AS releases, max(i.seq) AS seq
        FROM score_imports i JOIN releases r ON r.release_id = i.release_id
        WHERE r.agent_id = ${agentId} GROUP BY i.suite) AS n
      JOIN score_imports i ON i.seq = n.seq JOIN releases r ON r.release_id = i.release_id
      ORDER BY n.seq DESC LIMIT ${MOST.suites}`
  return { suites: await ask(db, allRows(newest, readSuite)) }
}

const readSuite = columns({
  suite: asText,
  releases: asNumber,
  release_id: asText,
  version: asText,
  import_id: asText,
  created_at: asTime,
})

interface OfRelease {
  readonly release_id: string
  readonly version: string
  readonly suite: SuiteImport
}

/** A suite over the releases of an agent. Throws 404 where none has an import of it. */
export async function suiteHistory(
  ledger: Pick<Ledger, 'sql' | 'memo'>,
  { agent_id, suite }: { readonly agent_id: string; readonly suite: string },
): Promise<SuiteHistory> {
  const imports = await ask(ledger.sql, suiteImports(agent_id, suite, MOST.releases))
  if (imports.length === 0) {
    const { suites } = await listSuites(ledger, agent_id)
    const there = suitesThere(
      suite,
      suites.map(each => each.suite),
    )
    throw new ServiceError(404, `No release of ${agent_id} has an import of the suite ${suite}. ${there}`)
  }
  const all = imports.toReversed().map((stored): OfRelease => ({
    release_id: stored.release_id,
    version: stored.version,
    suite: toSuite(stored),
  }))
  const last = all.slice(-MOST.compared)
  const tables = await readTables(
    ledger,
    last.map(one => one.suite),
  )
  const tried = last.map(one => tables.get(one.suite.import_id))
  const failing = failingCases(tried)
  const shown = failing.slice(0, MOST.cases)
  const names = await namesOf(ledger.sql, shown)
  return {
    suite,
    agent_id,
    releases: all.map(one => toRelease(one, tables.get(one.suite.import_id))),
    compared: last.map(({ release_id, version }, index) => ({
      release_id,
      version,
      keeps_cases: tried[index] !== undefined,
    })),
    cases_in_all: failing.length,
    cases: shown.map(key => ({
      case: key,
      name: names.get(key) ?? null,
      tries: tried.map(table => triesOf(table, key)),
    })),
  }
}

function toRelease({ release_id, version, suite }: OfRelease, table: CaseTable | undefined) {
  const scores = scoresOfSuite({ baseline: undefined, candidate: { ...suite, table } }, {}, undefined)
  return {
    release_id,
    version,
    import_id: suite.import_id,
    created_at: isoTime(suite.created_at),
    cases: suite.cases,
    scores: scores.map(({ name, candidate }) => ({
      name: name.slice(suite.suite.length + 1),
      mean: candidate,
    })),
  }
}

type Tries = SuiteHistory['cases'][number]['tries'][number]

function triesOf(table: CaseTable | undefined, key: string): Tries {
  const number = table?.numbers.get(key)
  const outcomes = table?.scores.get(PASS_RATE)
  if (number === undefined || outcomes === undefined) return null
  return { passed: outcomes.full[number]!, epochs: table!.epochs[number]! }
}

/** Cases that did not pass in every try, those first that failed most in the newest release, then in the one before. */
function failingCases(tables: readonly (CaseTable | undefined)[]): string[] {
  const failed = new Map<string, number[]>()
  for (const [column, table] of tables.entries()) {
    const outcomes = table?.scores.get(PASS_RATE)
    if (table === undefined || outcomes === undefined) continue
    for (const [number, key] of table.keys.entries()) {
      const share = 1 - outcomes.full[number]! / table.epochs[number]!
      if (share === 0) continue
      const shares = failed.get(key) ?? tables.map(() => 0)
      shares[column] = share
      failed.set(key, shares)
    }
  }
  const order = [...failed].sort(([a, one], [b, other]) => {
    for (let column = tables.length - 1; column >= 0; column--) {
      if (one[column] !== other[column]) return other[column]! - one[column]!
    }
    return a < b ? -1 : 1
  })
  return order.map(([key]) => key)
}
