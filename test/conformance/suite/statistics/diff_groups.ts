import { describe, expect, test } from 'vitest'
import type { DiffGroups } from '../../../../src/features/groups/models.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok, refusal } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** Runs of one group: how many on either side, and what each of them took. */
type Group = readonly [runs: readonly [number, number], tokens: readonly [number, number]]

/** POST /v1/diff/groups */
export function diffGroupsContract(makeService: MakeService): void {
  describe('the groups of a diff', () => {
    test('add up to the difference, and warn where who sent runs outweighs what changed', async () => {
      // Both are cheaper by a tenth, but the large one now sends most runs (Simpson's paradox).
      const { service, ids } = await sides(makeService, {
        large: [
          [60, 240],
          [5000, 4500],
        ],
        small: [
          [240, 60],
          [1000, 900],
        ],
      })
      const found = await groupsOf(service, ids, { by: 'tenant' })
      expect(found).toMatchObject({
        by: 'tenant',
        metric: 'cost_per_run_usd',
        groups_total: 2,
        merged_groups: 0,
        main: { key: 'small', share: expect.closeTo(1.054 / 1.98, 9) },
      })
      expect(found.difference).toBeCloseTo(1.98, 9)
      expect(found.rate! + found.mix!).toBeCloseTo(1.98, 9)
      expect(found.mix_outweighs_rate).toBe(true)
      expect(found.warnings).toEqual([expect.stringContaining("Simpson's paradox")])
      expect(found.groups.map(({ key, rate, mix }) => [key, rate, mix])).toEqual([
        ['small', expect.closeTo(-0.05, 9), expect.closeTo(1.104, 9)],
        ['large', expect.closeTo(-0.25, 9), expect.closeTo(1.176, 9)],
      ])
    })

    test('under 50 runs are one', async () => {
      const { service, ids } = await sides(makeService, {
        acme: [
          [60, 60],
          [1000, 1000],
        ],
        a: [
          [20, 10],
          [1000, 2000],
        ],
        b: [
          [10, 20],
          [1000, 2000],
        ],
      })
      const found = await groupsOf(service, ids, { by: 'tenant', metric: 'latency_ms' })
      expect(found).toMatchObject({ groups_total: 3, merged_groups: 2, main: null })
      expect(found.groups).toMatchObject([
        { key: 'acme', baseline_runs: 60, candidate_runs: 60, rate: 0 },
        { key: null, baseline_runs: 30, candidate_runs: 30, baseline_mean: 1000, candidate_mean: 2000 },
      ])
    })

    test('are tasks, models and errors too', async () => {
      const { service, ids } = await sides(makeService, {
        acme: [
          [60, 60],
          [1000, 1000],
        ],
      })
      const keys = async (by: string): Promise<(string | null)[]> =>
        (await groupsOf(service, ids, { by, metric: 'error_rate' })).groups.map(({ key }) => key)
      expect(await keys('task')).toEqual(['k1'])
      expect(await keys('model')).toEqual(['m1'])
      await ingest(
        service,
        Array.from({ length: 120 }, (_, index) => ({
          ...eventOf({ release_id: ids[index % 2]!, run_id: `failed ${index}`, success: false }),
          metrics: { success: false, ...(index < 60 ? { error_type: 'timeout' } : {}) },
        })),
      )
      expect(new Set(await keys('error'))).toEqual(
        new Set(['(error without a type)', '(no error)', 'timeout']),
      )
    })

    test('of a side without runs are none', async () => {
      const { service, ids } = await sides(makeService, {
        acme: [
          [60, 0],
          [1000, 1000],
        ],
      })
      expect(await groupsOf(service, ids, { by: 'tenant' })).toMatchObject({
        difference: null,
        groups: [],
        warnings: [expect.stringContaining('no runs')],
      })
    })

    test('keep the filters, and refuse what a diff refuses', async () => {
      const { service, ids } = await sides(makeService, {
        acme: [
          [60, 60],
          [1000, 1000],
        ],
        beta: [
          [60, 60],
          [1000, 2000],
        ],
      })
      const found = await groupsOf(service, ids, { by: 'task', tenant_id: 'beta' })
      expect(found.groups).toMatchObject([{ key: 'k1', baseline_runs: 60, candidate_mean: 2 }])
      const body = { baseline_release_id: ids[0], candidate_release_id: 'rel_none', window: '1h', by: 'task' }
      expect(await refusal(service.call('POST /v1/diff/groups', { body }), 400)).toContain(
        'Unknown candidate release: rel_none',
      )
    })
  })
}

async function sides(
  makeService: MakeService,
  groups: Readonly<Record<string, Group>>,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [tenant_id, [runs, tokens]] of Object.entries(groups)) {
    for (const side of [0, 1] as const) {
      const events = Array.from({ length: runs[side] }, (_, index) =>
        eventOf({
          release_id: ids[side],
          run_id: `${tenant_id}-${side}-${index}`,
          tenant_id,
          // m1 costs 1 USD per 1,000 input tokens.
          input: tokens[side],
          output: 0,
          latency: tokens[side],
        }),
      )
      if (events.length > 0) await ingest(service, events)
    }
  }
  return { service, ids }
}

function groupsOf(
  service: TestService,
  [baseline, candidate]: readonly [string, string],
  body: object,
): Promise<DiffGroups> {
  return ok(
    service.call('POST /v1/diff/groups', {
      body: { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h', ...body },
    }),
  )
}
