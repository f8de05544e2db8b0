import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { runsFields } from './_fields.ts'
import { runSeries } from '../../src/features/explore/series.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

const { release_id, window, until, environment, tenant_id, task_id } = runsFields({ defaultLimit: 100 })

export default endpoint(
  'GET /v1/runs/series',
  {
    access: 'read',
    scope: ofRelease('query'),
    mayBeLate: true,
    summary: "A release's runs, cost, latency and error rate over time",
    query: { release_id, window, until, environment, tenant_id, task_id },
    answers: { 200: 'RunSeries', 400: 'ErrorText' },
  },
  async function runsSeries({ query }, context) {
    return json(await runSeries(context, { ...query, environment: query.environment ?? null }))
  },
)
