import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { jsonText } from '../../src/http/wire/message.ts'
import { worstRuns } from '../../src/features/explore/worst.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/runs/worst',
  access: 'read',
  scope: ofRelease('query'),
  concurrency: { most: 2 },
  mayBeLate: true,
  summary: 'The runs of a release that cost most, took longest or failed',
  description: 'Checks the newest 50,000 matching events; the answer has the number that was checked.',
  takes: 'RunsWorst',
  answers: { 200: 'WorstRuns', 400: 'ErrorText' },
  handle: async function runsWorst({ query }, context) {
    const { runs, ...page } = await worstRuns(context, {
      ...query,
      environment: query.environment ?? null,
      tenant_id: query.tenant_id ?? null,
      task_id: query.task_id ?? null,
      by: query.by ?? 'cost',
    })
    // The events are stored as the JSON text they are answered with.
    const listed = runs.map(run => `{"cost_usd":${JSON.stringify(run.cost_usd)},"event":${run.event}}`)
    return jsonText(`${JSON.stringify(page).slice(0, -1)},"runs":[${listed.join(',')}]}`)
  },
})
