import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { jsonText } from '../../src/http/wire/message.ts'
import { toRunsQuery } from './_query.ts'
import { listRuns } from '../../src/ledger/events/list.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/runs',
  access: 'read',
  scope: ofRelease('query'),
  mayBeLate: true,
  summary: "A page of a release's run events, newest first",
  takes: 'RunsList',
  answers: { 200: 'RunsPage', 400: 'ErrorText' },
  handle: async function runsList({ query }, context) {
    const { page, events } = await listRuns(context, toRunsQuery(query))
    // The events are stored as the JSON text they are answered with.
    return jsonText(`${JSON.stringify(page).slice(0, -1)},"events":[${events.join(',')}]}`)
  },
})
