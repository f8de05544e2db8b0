import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { judgeLive } from '../../src/features/live/read.ts'

export default endpoint({
  route: 'GET /v1/live',
  access: 'read',
  scope: 'filtered',
  mayBeLate: true,
  concurrency: { most: 1, share: 1 / 10 },
  summary: 'Live releases, checked by their newest runs against the limits of the policy',
  description:
    'Checks the runs of the last 20 minutes to 24 hours: a limit is broken if they prove it. For a week a release is also compared with the live release before it. A result is kept for a minute.',
  takes: 'Live',
  answers: { 200: 'LivePlaces' },
  answer: function live({ query }, context) {
    return judgeLive(context, { ...query, scope: context.caller.scope })
  },
})
