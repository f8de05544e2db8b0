import { expect, test } from 'vitest'
import { rebuildRollups } from '../../../../src/ledger/events/rebuild.ts'
import { sql } from '../../../../src/sql/port.ts'
import { within } from '../../../../src/sql/deadline.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import { testService } from '../../../support/services/service.ts'

test('a rebuild says of counts only that they differ', async () => {
  const service = await testService()
  await twoReleases(service)
  await service.sql.batch([sql`UPDATE rollup_latency_1d SET counts = '{"1":1}'`])
  const { differences } = await rebuildRollups(service.context, { name: 'ann', source: 'cli' })
  expect(differences).toEqual(
    [1, 2].map(scope =>
      expect.stringMatching(`^rollup_latency_1d, scope ${scope}, bucket \\d+: counts differ$`),
    ),
  )
})

test('a rebuild goes on after its caller has given up, and is in the log', async () => {
  const service = await testService()
  await twoReleases(service)
  const late = { ...service.context, sql: within(service.sql, { leftMs: () => 0 }) }
  expect(await rebuildRollups(late, { name: 'ann', source: 'cli' })).toMatchObject({
    days: 2,
    differences: [],
  })
  const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'rollups' } }))
  expect(entries).toMatchObject([{ kind: 'rollups.rebuilding', actor: 'ann' }])
})
