import { expect, test } from 'vitest'
import { diffReleases } from '../../../../src/ledger/assess/diff.ts'
import { diffGroups } from '../../../../src/features/groups/groups.ts'
import { confidenceReach } from '../../../../src/features/advice/advice.ts'
import { ingestEvents } from '../../../../src/ledger/events/ingest.ts'
import { listRuns } from '../../../../src/ledger/events/list.ts'
import { runSeries } from '../../../../src/features/explore/series.ts'
import { worstRuns } from '../../../../src/features/explore/worst.ts'
import type { Ledger } from '../../../../src/ledger/world/ledger.ts'
import { findRuns } from '../../../../src/features/explore/find.ts'
import { acceptEvent } from '../../../../src/models/all/parse_event.ts'
import { type Sql, type Statement, rowsOf, sql } from '../../../../src/sql/port.ts'
import { type PlainLedger, plainLedger, priced, registered } from '../../../support/ledgers/plain_ledger.ts'
import { eventOf } from '../../../support/services/builders.ts'

const MINUTE = 60_000

async function ran(ledger: PlainLedger, release_id: string, from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => {
    const at = ledger.clock.now - MINUTE * (index + 1)
    const event = eventOf({
      release_id,
      run_id: `${release_id} ${from + index}`,
      at,
      tenant_id: `t${index % 7}`,
    })
    const request = { session_id: `s${index % 5}`, trace_id: `c${index}`, span_id: `p${index}` }
    return acceptEvent({ ...event, task_id: `k${index % 3}`, request })!
  })
  await ingestEvents(ledger, events)
}

/** The statements that a read sends. */
async function sentBy(ledger: PlainLedger, read: (ledger: Ledger) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const db: Sql = {
    ...ledger.sql,
    query: statement => {
      sent.push(statement)
      return ledger.sql.query(statement)
    },
    snapshot: statements => {
      sent.push(...statements)
      return ledger.sql.snapshot(statements)
    },
  }
  await read({ ...ledger, sql: db })
  return sent
}

const NONE = { tenant_id: null, task_id: null, trace_id: null, session_id: null, span_id: null }
const FILTERS = [
  { tenant_id: 't1' },
  { task_id: 'k1' },
  { tenant_id: 't1', task_id: 'k1' },
  { session_id: 's1' },
  { session_id: 's1', task_id: 'k1' },
  { trace_id: 'c1', tenant_id: 't1' },
  { span_id: 'p1', tenant_id: 't1', task_id: 'k1' },
]

type Read = (ledger: Ledger, baseline: string, candidate: string) => Promise<unknown>

const [PLACE, BY] = [{ window: '7d', environment: null }, { tenant_id: 't1' }]
const pair = (baseline: string, candidate: string) => ({
  ...PLACE,
  baseline_release_id: baseline,
  candidate_release_id: candidate,
})
const READS: readonly (readonly [name: string, read: Read])[] = [
  ...FILTERS.map((filters): readonly [string, Read] => [
    `a page by ${Object.keys(filters).join(' and ')}`,
    (ledger, release_id) =>
      listRuns(ledger, { ...PLACE, ...NONE, ...filters, release_id, offset: 1, limit: 5 }),
  ]),
  ...(['cost', 'latency', 'failure'] as const).map((by): readonly [string, Read] => [
    `the worst by ${by}`,
    (ledger, release_id) => worstRuns(ledger, { ...PLACE, ...NONE, ...BY, release_id, by, limit: 5 }),
  ]),
  ['runs by an id', ledger => findRuns(ledger, { id: 's1', window: '7d', limit: 5, scope: ALL })],
  ['a course', (ledger, release_id) => runSeries(ledger, { ...PLACE, ...BY, release_id })],
  ['a diff', (ledger, a, b) => diffReleases(ledger, { ...pair(a, b), ...BY, tails: true, tools: true })],
  [
    'a diff by session',
    (ledger, a, b) => diffReleases(ledger, { ...pair(a, b), ...BY, cluster_by: 'session' }),
  ],
  ['confidence', (ledger, a, b) => confidenceReach(ledger, { ...pair(a, b), ...BY })],
  ...(['tenant', 'task', 'model', 'error'] as const).map((by): readonly [string, Read] => [
    `groups by ${by}`,
    (ledger, a, b) => diffGroups(ledger, { ...pair(a, b), task_id: 'k1', by, metric: 'cost_per_run_usd' }),
  ]),
]

const ALL_ROWS = /^SCAN run_(?:events|parts|scores)|AUTOMATIC.*(?:seq|event)=|ANY\(/
/** Or by an index that is made for one answer, or by one of which each value of a column is tried. */
const ALL_EVENTS = new RegExp(`^SCAN e\\b|${ALL_ROWS.source}`)

const ALL = { agents: null, environments: null }

/** SQLite as most run it, without statistics, and with those of when there was almost nothing. */
test.each(['none', 'old'])('no read by a filter looks at all events; statistics: %s', async statistics => {
  const ledger = await plainLedger()
  await priced(ledger)
  const releases = [await registered(ledger, '1'), await registered(ledger, '2')] as const
  for (const release of releases) await ran(ledger, release, 0, 20)
  if (statistics === 'old') await ledger.sql.batch([sql`ANALYZE`])
  for (const release of releases) await ran(ledger, release, 20, 400)
  const found: string[] = []
  for (const [name, read] of READS) {
    for (const { text, params } of await sentBy(ledger, db => read(db, ...releases))) {
      const plan = await rowsOf(ledger.sql, { text: `EXPLAIN QUERY PLAN ${text}`, params })
      const details = plan.map(row => String(row.detail))
      // A page calls what it has picked by the name of the events.
      const scanned = details.some(detail => /^(?:MATERIALIZE|CO-ROUTINE) sized/.test(detail))
        ? ALL_ROWS
        : ALL_EVENTS
      found.push(...details.filter(detail => scanned.test(detail)).map(detail => `${name}: ${detail}`))
    }
  }
  expect(found).toEqual([])
})
