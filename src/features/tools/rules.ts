import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { compareRates, compareSteps } from '../../rules/statistics/compare.ts'
import type { CompareOptions } from '../../rules/statistics/metric.ts'
import { type IntegerAggregate, type Sample, sampleOf } from '../../rules/statistics/samples.ts'

/** What the runs of a side did with tools, by block of time. */
export interface ToolAggregates {
  /** Runs by block, also those that called none. */
  readonly runs: ReadonlyMap<string, number>
  readonly all: readonly Calls[]
  readonly by_tool: readonly (Calls & { readonly tool_name: string })[]
}

interface Calls {
  readonly block: string
  /** Runs with at least one call. */
  readonly calling_runs: number
  /** Σ over runs of their calls, and of the squares. */
  readonly calls: number
  readonly calls_sq: number
}

export interface ToolSides {
  readonly baseline: ToolAggregates
  readonly candidate: ToolAggregates
}

/** Calls per run and the share of runs with any, of all tools and of each, the most called first. */
export function toolStatistics(
  { baseline, candidate }: ToolSides,
  options: CompareOptions,
  planned: CompareOptions,
): NonNullable<DiffStatistics['tools']> {
  const callsOf = (side: ToolAggregates, aggregates: readonly Calls[]): Sample =>
    sampleOf(callAggregates(side, aggregates))
  const usersOf = (side: ToolAggregates, aggregates: readonly Calls[]): Sample =>
    sampleOf(userAggregates(side, aggregates))
  const of = (side: ToolAggregates, name: string) =>
    side.by_tool.filter(({ tool_name }) => tool_name === name)
  const names = new Set([...baseline.by_tool, ...candidate.by_tool].map(({ tool_name }) => tool_name))
  const tools = Array.from(names, tool_name => {
    const [b, c] = [of(baseline, tool_name), of(candidate, tool_name)]
    return {
      tool_name,
      calls_per_run: compareSteps(callsOf(baseline, b), callsOf(candidate, c), options),
      runs_share: compareRates(usersOf(baseline, b), usersOf(candidate, c), options),
    }
  })
  const usage = ({ runs_share: { baseline_mean, candidate_mean } }: (typeof tools)[number]): number =>
    (baseline_mean ?? 0) + (candidate_mean ?? 0)
  return {
    calls_per_run: compareSteps(callsOf(baseline, baseline.all), callsOf(candidate, candidate.all), {
      ...options,
      ...planned,
    }),
    tools: tools.sort((a, b) => usage(b) - usage(a) || (a.tool_name < b.tool_name ? -1 : 1)),
  }
}

/** Aggregates that hold every run, also those without a call. */
function callAggregates({ runs }: ToolAggregates, aggregates: readonly Calls[]): IntegerAggregate[] {
  const called = new Map(aggregates.map(aggregate => [aggregate.block, aggregate]))
  return Array.from(runs, ([cluster, n]) => {
    const { calls: sum, calls_sq: sum_of_squares } = called.get(cluster) ?? NO_CALLS
    return { cluster, n, sum, sum_of_squares }
  })
}

/** The same of 1 for each run that calls, 0 for the others. */
function userAggregates(side: ToolAggregates, aggregates: readonly Calls[]): IntegerAggregate[] {
  const users = aggregates.map(aggregate => ({
    ...aggregate,
    calls: aggregate.calling_runs,
    calls_sq: aggregate.calling_runs,
  }))
  return callAggregates(side, users)
}

const NO_CALLS = { calls: 0, calls_sq: 0 }
