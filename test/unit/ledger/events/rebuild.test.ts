import { expect, test } from 'vitest'
import { rebuildRollups } from '../../../../src/ledger/events/rebuild.ts'
import { within } from '../../../../src/sql/deadline.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import { testService } from '../../../support/services/service.ts'

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
