import { expect, test } from 'vitest'
import { measure } from '../../../../src/features/tools/tools.ts'
import type { ToolAggregates } from '../../../../src/features/tools/rules.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'

/** Runs of two blocks of time, of which each calls a tool so often. */
function side(runs: number, calls: number): ToolAggregates {
  const blocks = ['0', '1']
  const each = runs / blocks.length
  const aggregates = blocks.map(block => ({
    block,
    calling_runs: each,
    calls: each * calls,
    calls_sq: each * (calls * calls + 1),
  }))
  return {
    runs: new Map(blocks.map(block => [block, each])),
    all: aggregates,
    by_tool: aggregates.map(aggregate => ({ ...aggregate, tool_name: 'search' })),
  }
}

async function callsOf(runs: number) {
  const sides = { baseline: side(runs, 2), candidate: side(runs, 4) }
  const measured = await measure.measured({} as never, {} as never, {} as never, sides)
  const { statistics, warnings } = measured({
    policy: DEFAULT_POLICY,
    options: {},
    planned: () => ({}),
    isRollback: false,
    compare_by: 'time',
    comparedBy: () => {
      throw new Error('not asked')
    },
  })
  return { calls: statistics.tools!.calls_per_run, warnings }
}

test('runs in few blocks of time say nothing of a difference', async () => {
  const { calls, warnings } = await callsOf(2000)
  expect(calls).toMatchObject({ verdict: 'inconclusive', inconclusive_because: 'too_few_blocks' })
  expect(warnings).toBeUndefined()
})

test('the newest runs of a busy side lie in few blocks however long it ran, and are decided on', async () => {
  const { calls, warnings } = await callsOf(10_000)
  expect(calls).toMatchObject({ verdict: 'worse', comparability_doubt: null })
  expect(warnings).toEqual(['calls of tools are those of the newest 10000 runs of a release'])
})
