import { limitsTools } from '../../rules/limits.ts'
import { type ToolAggregates, type ToolSides, toolStatistics } from './rules.ts'
import { columnRows } from '../../sql/dialect.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asNumber, asText, columns, mapped, ofSides } from '../../sql/query.ts'
import { TOOL_PARTS, textParts } from '../../ledger/events/event_texts.ts'
import { blockOf, scopeCte } from '../../ledger/events/rollups.ts'
import { matchingEvents } from '../../ledger/events/matching.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import type { SideQuery } from '../../ledger/assess/sides.ts'

export const measure: Measure<ToolSides> = {
  name: 'tools',
  isLimited: limitsTools,
  query: toolsQuery,
  measured: async (_ledger, _query, _sides, tools) => {
    const isCut = [tools.baseline, tools.candidate].some(side => runsOf(side) >= MOST_TOOL_RUNS)
    return ({ policy, options, planned }) => ({
      statistics: {
        tools: toolStatistics(
          tools,
          // The newest runs of a busy side lie in few blocks of time, however long both ran.
          isCut ? { ...options, over_window: true } : options,
          planned(policy.max_tool_calls_increase_pct),
        ),
      },
      ...(isCut
        ? { warnings: [`calls of tools are those of the newest ${MOST_TOOL_RUNS} runs of a release`] }
        : {}),
    })
  },
}

function runsOf({ runs }: ToolAggregates): number {
  return [...runs.values()].reduce((sum, count) => sum + count, 0)
}

/** Newest runs of a side whose tools are looked at: their events are read and taken apart for that. */
const MOST_TOOL_RUNS = 10_000

/** Most tools with sums of their own: those that most runs call. */
const MOST_TOOLS = 50

/** Runs, calls of tools and calls by tool, by block of time, of each side. */
function toolsQuery(query: SideQuery): Query<ToolSides> {
  return ofSides(side => mapped(allRows(statementOf(query[`${side}Id`], query), readCalls), toToolAggregates))
}

function statementOf(releaseId: string, { environment, window, cut, filters }: SideQuery): Statement {
  const [name, calls] = [TOOL_PARTS.name('t.value'), TOOL_PARTS.calls('t.value')]
  return sql`WITH ${scopeCte(releaseId, environment)}, picked AS (
      SELECT e.seq, e.is_end, e.event_json, ${blockOf({ window, cut }, 'e.ts')} AS block
      FROM ${matchingEvents(window, filters)} ORDER BY e.ts DESC, e.seq DESC LIMIT ${MOST_TOOL_RUNS}
    ), calls AS (
      SELECT p.seq, p.block, ${raw(name)} AS tool_name, sum(${raw(calls)}) AS n
      FROM picked p CROSS JOIN ${columnRows(textParts('p').tools, 't')} WHERE p.is_end = 1 GROUP BY p.seq, p.block, ${raw(name)}
    ), most_called AS (
      SELECT tool_name FROM calls WHERE n > 0 GROUP BY tool_name ORDER BY count(*) DESC, tool_name LIMIT ${MOST_TOOLS}
    )
    SELECT 'runs' AS kind, block, '' AS tool_name, count(*) AS runs, 0 AS calls, 0 AS calls_sq FROM picked GROUP BY block
    UNION ALL
    SELECT 'all', block, '', count(*), sum(n), sum(n * n)
      FROM (SELECT seq, block, sum(n) AS n FROM calls GROUP BY seq, block) AS per_run WHERE n > 0 GROUP BY block
    UNION ALL
    SELECT 'tool', block, tool_name, count(*), sum(n), sum(n * n) FROM calls
      WHERE n > 0 AND tool_name IN (SELECT tool_name FROM most_called) GROUP BY block, tool_name`
}

const readCalls = columns({
  kind: asText<'runs' | 'all' | 'tool'>,
  block: asNumber,
  tool_name: asText,
  runs: asNumber,
  calls: asNumber,
  calls_sq: asNumber,
})

type Calls = ReturnType<typeof readCalls>

function toToolAggregates(rows: readonly Calls[]): ToolAggregates {
  const of = (kind: Calls['kind']) => rows.filter(row => row.kind === kind)
  return {
    runs: new Map(of('runs').map(row => [`${row.block}`, row.runs])),
    all: of('all').map(toAggregate),
    by_tool: of('tool').map(row => ({ tool_name: row.tool_name, ...toAggregate(row) })),
  }
}

function toAggregate({ block, runs, calls, calls_sq }: Calls): ToolAggregates['all'][number] {
  return { block: `${block}`, calling_runs: runs, calls, calls_sq }
}
