import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { jsonText } from '../../src/http/wire/message.ts'
import { findRuns } from '../../src/features/explore/find.ts'

export default endpoint({
  route: 'GET /v1/runs/find',
  access: 'read',
  scope: 'filtered',
  mayBeLate: true,
  summary: 'Runs by the id of a run, trace, session or span, whatever their release',
  description: 'A run is found however old it is; the others within the window.',
  takes: 'RunsFind',
  answers: { 200: 'FoundRuns', 400: 'ErrorText' },
  handle: async function runsFind({ query }, context) {
    const { page, runs } = await findRuns(context, {
      ...query,
      window: query.window ?? '30d',
      scope: context.caller.scope,
    })
    // The events are stored as the JSON text they are answered with.
    const listed = runs.map(run => `{"matched_by":"${run.matched_by}","event":${run.event}}`)
    return jsonText(`${JSON.stringify(page).slice(0, -1)},"runs":[${listed.join(',')}]}`)
  },
})
