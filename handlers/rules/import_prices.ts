import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { warningHeaders } from '../../src/http/endpoint/read_input.ts'
import { json } from '../../src/http/wire/message.ts'
import { importPricing, tableWarnings } from '../../src/ledger/registry/import_pricing.ts'

export default endpoint({
  route: 'POST /v1/pricing',
  access: 'admin',
  scope: 'ledger',
  summary: 'Import a price table',
  description:
    'A table that exists is replaced only on demand and for a stated reason. Every import is recorded. The header ' +
    'X-Service-Warning says that the table is empty, has prices that are likely per million tokens, or lacks models of ' +
    'registered releases.',
  takes: 'PricingImport',
  recordsActor: true,
  answers: { 200: 'PricingImport', 400: 'ErrorText' },
  handle: async function pricingImport({ body, actor }, context) {
    // Read before it is imported: what fails then has changed nothing.
    const warnings = await tableWarnings(context.sql, body.table)
    const imported = await importPricing(context, { ...body, reason: body.reason ?? null, actor })
    return json(imported, 200, warningHeaders(warnings))
  },
})
