import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DiffGroups } from '../../../../src/features/groups/models.ts'
import { type GroupMoments, drillDown } from '../../../../src/features/groups/rules_drilldown.ts'
import type { Moments } from '../../../../src/rules/statistics/samples.ts'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const HOUR = 3_600_000
const RUNS = 250

const tokens = fc.oneof(fc.nat(5000), fc.constantFrom(0, 1, 1e12))
const run = fc.record({
  // The first is a millisecond too early.
  at: fc.oneof(
    fc.integer({ min: NOON - HOUR, max: NOON - 1 }),
    fc.constantFrom(NOON - HOUR - 1, NOON - HOUR),
  ),
  tenant_id: fc.constantFrom('t1', 't2', 't3', 'Ω', "it's"),
  task_id: fc.constantFrom('k1', 'k2'),
  // More variants than have their prices in the statement's text, and some without a price.
  model: fc.constantFrom('m1', 'm1', 'm2', 'm2', 'unpriced'),
  provider: fc.nat(11).map(index => `provider ${index}`),
  input: tokens,
  output: tokens,
  cached: tokens,
  latency: fc.option(fc.oneof(fc.nat(5000), fc.constant(1e10))),
  success: fc.boolean(),
  error_type: fc.constantFrom(undefined, 'timeout', 'refused', '(no error)'),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

const KEYS: Readonly<Record<DiffGroups['by'], (run: Run) => string>> = {
  tenant: ({ tenant_id }) => tenant_id,
  task: ({ task_id }) => task_id,
  model: ({ model }) => model,
  error: ({ success, error_type }) => (success ? '(no error)' : (error_type ?? '(error without a type)')),
}

const VALUES: Readonly<Record<DiffGroups['metric'], (run: Run) => number | null>> = {
  cost_per_run_usd: ({ model, input, output, cached }) => {
    const price = PRICES.entries.find(entry => entry.model === model)
    if (price === undefined) return null
    const {
      input_usd_per_1k_tokens: i,
      output_usd_per_1k_tokens: o,
      cached_input_usd_per_1k_tokens: c = 0,
    } = price
    return (input * i + output * o + cached * c) / 1000
  },
  latency_ms: ({ latency }) => latency,
  error_rate: ({ success }) => (success ? 0 : 1),
}

/** POST /v1/diff/groups of any events. */
export function randomGroupsContract(makeService: MakeService): void {
  describe('the groups of a diff of any events', () => {
    test('are what the events say', async () => {
      const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 1e6))
      const some = fc.array(run, { minLength: RUNS, maxLength: RUNS })
      const sides = fc.sample(some, { seed, numRuns: 2 })
      const { service, ids } = await serviceOf(makeService, sides)
      for (const [by, metric, tenant_id] of QUESTIONS) {
        const body = {
          baseline_release_id: ids[0],
          candidate_release_id: ids[1],
          window: '1h',
          by,
          metric,
          tenant_id,
        }
        const found = (await ok(service.call('POST /v1/diff/groups', { body }))) as DiffGroups
        const kept = sides.map(side => side.filter(one => tenant_id === null || one.tenant_id === tenant_id))
        expectGroups(found, kept, `seed ${seed}, by ${by}, ${metric}, of ${tenant_id}`)
      }
    })
  })
}

/** All groupings and metrics, and some with a filter. */
const QUESTIONS = (Object.keys(KEYS) as DiffGroups['by'][]).flatMap(by =>
  (Object.keys(VALUES) as DiffGroups['metric'][]).flatMap(metric =>
    (metric === 'cost_per_run_usd' ? [null, 't1'] : [null]).map(
      tenant_id => [by, metric, tenant_id] as const,
    ),
  ),
)

async function serviceOf(
  makeService: MakeService,
  sides: readonly (readonly Run[])[],
): Promise<{ service: TestService; ids: readonly string[] }> {
  const service = await makeService()
  await importPrices(service)
  await setPolicy(service, { unpriced: 'exclude' })
  const ids: string[] = []
  for (const [index, runs] of sides.entries()) {
    const release_id = await register(service, { version: String(index) })
    ids.push(release_id)
    const events = runs.map(({ success, latency, error_type, ...one }, number) => ({
      ...eventOf({ ...one, release_id, run_id: runId(index, number) }),
      metrics: { success, latency_ms: latency, error_type: error_type ?? null },
    }))
    await ingest(service, events)
  }
  return { service, ids }
}

function runId(side: number, index: number): string {
  return `${side}-${index}`
}

function expectGroups(found: DiffGroups, sides: readonly (readonly Run[])[], label: string): void {
  const { by, metric } = found
  const [baseline, candidate] = sides.map(runs => valuesByKey(runs, by, metric))
  const keys = [...new Set([...baseline!.keys(), ...candidate!.keys()])]
  const groups = keys.map((key): GroupMoments => ({
    key,
    baseline: momentsOf(baseline!.get(key) ?? []),
    candidate: momentsOf(candidate!.get(key) ?? []),
  }))
  const leastRuns = by === 'error' ? 1 : undefined
  const expected = drillDown(groups, metric === 'error_rate' ? 'rate' : 'mean', undefined, leastRuns)!
  expect({ label, groups_total: found.groups_total, merged_groups: found.merged_groups }).toEqual({
    label,
    groups_total: keys.length,
    merged_groups: expected.merged_groups,
  })
  const largest = Math.max(1, ...groups.flatMap(group => [group.baseline.mean, group.candidate.mean]))
  const near = (value: number | null, share = 1e-9): unknown =>
    value === null
      ? null
      : (expect.toSatisfy(
          other => Math.abs(other - value) <= share * Math.max(largest, Math.abs(value)),
        ) as unknown)
  for (const part of ['difference', 'rate', 'mix'] as const)
    expect(found[part], label).toEqual(near(expected[part]))
  for (const group of expected.groups) {
    const { difference, ...others } = group
    expect(
      found.groups.find(({ key }) => key === group.key),
      label,
    ).toEqual({
      ...others,
      // What adds next to nothing has none; of a tiny difference it is far from exact.
      share: expect.toSatisfy(
        (share: number | null) =>
          share === null || Math.abs(share * expected.difference - group.rate - group.mix) <= 1e-6 * largest,
      ) as unknown,
      ...Object.fromEntries(MEANS.map(name => [name, near(group[name])])),
      difference:
        difference === null
          ? null
          : {
              estimate: near(difference.estimate),
              low: near(difference.low, OF_SPREAD),
              high: near(difference.high, OF_SPREAD),
            },
    })
  }
}

/** How near an interval's ends are, of the largest value: a spread is worked out of squares, which double its digits. */
const OF_SPREAD = 1e-6

const MEANS = ['baseline_mean', 'candidate_mean', 'rate', 'mix'] as const

/** The values of those within the window that have one. */
function valuesByKey(
  runs: readonly Run[],
  by: DiffGroups['by'],
  metric: DiffGroups['metric'],
): Map<string, number[]> {
  const values = new Map<string, number[]>()
  for (const one of runs) {
    const value = VALUES[metric](one)
    if (value === null || one.at < NOON - HOUR) continue
    values.set(KEYS[by](one), [...(values.get(KEYS[by](one)) ?? []), value])
  }
  return values
}

/** In two passes, from the values themselves. */
function momentsOf(values: readonly number[]): Moments {
  const sum = (terms: readonly number[]): number => terms.reduce((all, term) => all + term, 0)
  const mean = values.length === 0 ? 0 : sum(values) / values.length
  return { n: values.length, mean, m2: sum(values.map(value => (value - mean) ** 2)) }
}
