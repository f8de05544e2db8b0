import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { judgeLive } from '../../src/features/live/read.ts'

export default endpoint(
  'GET /v1/live',
  {
    access: 'read',
    scope: 'filtered',
    mayBeLate: true,
    summary: 'What is live, judged by its own newest runs',
    description:
      'Whether the runs of the last 20 minutes to 24 hours prove that a live release breaks the cost, latency or error limit of the policy.',
    takes: 'Live',
    answers: { 200: 'LivePlaces' },
  },
  async function live({ query }, context) {
    return json(await judgeLive(context, { ...query, scope: context.caller.scope }))
  },
)
