import { expect, test } from 'vitest'
import { groupSpans } from '../../../../src/features/traces/tree.ts'
import type { Span } from '../../../../src/spans/span.ts'

/** The span of an agent of a service, below another span. */
function agent(spanId: string, service: string, parentId?: string): Span {
  return {
    traceId: 'a'.repeat(32),
    spanId,
    parentId,
    isParentRemote: false,
    endMs: 1,
    latencyMs: 1,
    hasFailed: false,
    exceptionType: undefined,
    attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    resource: { 'service.name': service },
  }
}

const rootsOf = (spans: readonly Span[]): string[] =>
  groupSpans(spans)
    .groups.filter(({ kind }) => kind === 'run')
    .map(({ top }) => top.spanId)

test('a run begins with an agent that has no agent of its service above it', () => {
  const spans = [
    agent('1', 'a'),
    agent('2', 'b', '1'),
    agent('3', 'a', '2'),
    agent('4', 'b', '3'),
    agent('5', 'c', '4'),
    // A span that came up next to them is no longer above.
    agent('6', 'c', '1'),
    agent('7', 'b', '1'),
    agent('8', 'c', '7'),
    agent('9', 'a'),
  ]
  expect(rootsOf(spans).toSorted()).toEqual(['1', '2', '5', '6', '7', '8', '9'])
  expect(rootsOf(spans.toReversed()).toSorted()).toEqual(['1', '2', '5', '6', '7', '8', '9'])
})

test('agents of ever more services, each below the one before, take each as long', () => {
  const spans = Array.from({ length: 20_000 }, (_, index) =>
    agent(String(index), `s${index}`, index === 0 ? undefined : String(index - 1)),
  )
  const before = process.cpuUsage()
  expect(groupSpans(spans).groups).toHaveLength(20_000)
  expect(process.cpuUsage(before).user).toBeLessThan(1_500_000)
})
