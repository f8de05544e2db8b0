import { expect, test } from 'vitest'
import { MOST_SPANS } from '../../../../src/features/traces/forget_spans.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { jsonExport } from '../../../support/otlp/exports.ts'
import { call, child, root } from '../../../support/otlp/spans.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import { NOON, type TestService, testService } from '../../../support/services/service.ts'

/** As many spans as are remembered, the first of them so long ago. */
async function filled(service: TestService): Promise<void> {
  await service.sql.batch([
    sql`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${MOST_SPANS})
      INSERT INTO kept_spans (trace_id, span_id, tenant_id, untold, arrived_at, span_json)
      SELECT printf('%032x', n + 1000), '0000000000000001', '', 1, ${NOON - MOST_SPANS} + n, '{}' FROM n`,
  ])
}

test('of more spans than are remembered the first are forgotten, told of, and no run that began before is stored', async () => {
  const service = await testService()
  await importPrices(service)
  await register(service, { version: '1.5.0' })
  await filled(service)
  const calls = [2, 3, 4].map(id => child(id, call(id, 1)))
  await ok(service.call('POST /v1/traces', { body: jsonExport({ spans: calls }) }))
  const [state] = await rowsOf(
    service.sql,
    sql`SELECT (SELECT count(*) FROM kept_spans) AS n, (SELECT min(seq) FROM kept_spans) AS first,
      (SELECT spans_before FROM retention) AS spans_before,
      (SELECT value FROM counters WHERE name = 'run_spans_forgotten') AS forgotten`,
  )
  expect(state).toEqual({ n: MOST_SPANS, first: 4, spans_before: NOON - MOST_SPANS + 3, forgotten: 3 })
  expect(service.logged).toContainEqual(expect.objectContaining({ fields: { spans: 3 } }))
  const { partialSuccess } = await ok(
    service.call('POST /v1/traces', { body: jsonExport({ spans: [root(), child(5, call(9, 1))] }) }),
  )
  expect(partialSuccess.errorMessage).toContain('spans of that time were forgotten')
})
