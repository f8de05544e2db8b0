import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diffOf, ingest, ok } from '../../../support/services/requests.ts'
import { erase, prune } from '../../../support/services/retention.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { summed } from '../../../support/services/segments.ts'

/** A diff of one tenant or task: its whole hours come from sums where they have them, else from events. */
export function oneNameContract(makeService: MakeService): void {
  describe('a diff of one tenant or task', () => {
    test('is the same from sums and from events, whatever happens to these', async () => {
      const { service, ids } = await served(makeService)
      const steps: readonly (() => Promise<unknown>)[] = [
        async () => undefined,
        () => summed(service),
        () => ingest(service, [late(ids[1], 'one', 30), late(ids[0], 'other', 3)]),
        () => summed(service),
        () => prune(service.context, { before: Math.floor(NOON / DAY_MS) * DAY_MS - DAY_MS }),
        async () => {
          await erase(service.context, 'tenant-1')
          await ingest(service, [late(ids[1], 'again', 5), late(ids[1], 'and again', 6)])
          await summed(service)
        },
      ]
      for (const [step, act] of steps.entries()) {
        await act()
        const now = await answersOf(service, ids)
        const hours = await rowsOf(service.sql, sql`SELECT scope, bucket, changed_by FROM segment_hours`)
        await service.sql.batch([raw('DELETE FROM segment_hours')])
        expect(await answersOf(service, ids), `step ${step}`).toEqual(now)
        await service.sql.batch(
          hours.map(
            ({ scope, bucket, changed_by }) =>
              sql`INSERT INTO segment_hours (scope, bucket, changed_by) VALUES (${scope!}, ${bucket!}, ${changed_by!})`,
          ),
        )
      }
    })

    test('counts the runs of its whole hours from sums', async () => {
      const { service, ids } = await served(makeService)
      await summed(service)
      const runs = async () => (await diffOf(service, ids, { window: '48h', tenant_id: 'tenant-1' })).samples
      const before = await runs()
      const hour = Math.floor(NOON / HOUR_MS) - 20
      await service.sql.batch([
        sql`UPDATE rollup_tenant_hours SET runs = runs + 1000 WHERE bucket = ${hour} AND segment = (
          SELECT id FROM segments WHERE kind = 'tenant' AND name = 'tenant-1')`,
      ])
      const added = {
        baseline_runs: before.baseline_runs + 1000,
        candidate_runs: before.candidate_runs + 1000,
      }
      expect(await runs()).toMatchObject(added)
      // An hour with a run that is not summed yet is read from events.
      await ingest(service, [late(ids[0], 'late', 20)])
      expect((await runs()).baseline_runs).toBe(before.baseline_runs + 1)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await runs()).toMatchObject({ candidate_runs: before.candidate_runs })
    })

    test('counts runs whose tenant came too late for sums of its own', async () => {
      const { service, ids } = await served(makeService)
      const many = Array.from({ length: 600 }, (_, index) =>
        late(ids[1], `many-${index}`, 6, `further-${index}`),
      )
      await ingest(service, many)
      await summed(service)
      for (const tenant_id of ['further-1', 'further-599']) {
        const { samples } = await diffOf(service, ids, { window: '48h', tenant_id })
        expect(samples.candidate_runs).toBe(1)
      }
    })
  })
}

function late(release_id: string, run_id: string, hoursAgo: number, tenant_id = 'tenant-1') {
  const at = NOON - hoursAgo * HOUR_MS + 7 * 60_000
  return eventOf({ release_id, run_id, tenant_id, at, latency: 4000, written: 50 })
}

const QUESTIONS = [
  { window: '48h', tenant_id: 'tenant-1' },
  { window: '30h', task_id: 'task-1' },
  { window: '26h', tenant_id: 'tenant-0', task_id: 'task-1' },
] as const

/** All warnings except the one on how often a release was checked. */
async function answersOf(service: TestService, ids: readonly [string, string]) {
  const reports = await Promise.all(QUESTIONS.map(question => diffOf(service, ids, question)))
  return reports.map(report => ({ ...report, statistics: { ...report.statistics, warnings: [] } }))
}

/** Two releases that ran for 40 hours, mostly for one of three tenants, and write to a cache. */
async function served(makeService: MakeService) {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  const events = Array.from({ length: 5000 }, (_, index) =>
    eventOf({
      release_id: ids[index % 2]!,
      run_id: `run-${index}`,
      tenant_id: `tenant-${[1, 1, 1, 0, 1, 1, 2, 1][Math.floor(index / 2) % 8]!}`,
      task_id: `task-${Math.floor(index / 7) % 2}`,
      at: NOON - 40 * HOUR_MS + index * 28_800,
      latency: 500 + ((index * 91) % 197),
      success: index % 11 !== 0,
      ...(index % 4 === 0 ? { written: index % 300 } : {}),
    }),
  )
  for (let from = 0; from < events.length; from += 500) await ingest(service, events.slice(from, from + 500))
  return { service, ids }
}
