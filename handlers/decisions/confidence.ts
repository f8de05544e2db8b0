import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, key, moment, optional, window } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { confidenceReach } from '../../src/features/advice/reach.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'GET /v1/confidence',
  {
    access: 'read',
    scope: ofComparison('query'),
    mayBeLate: true,
    summary: 'What a comparison lacks for HIGH confidence',
    description: 'The sample sizes that are in force, what there is, and how much more it takes.',
    query: {
      baseline_release_id: id('Release to compare with.'),
      candidate_release_id: id('Release to judge.'),
      window: window('How far back', { example: '24h' }),
      until: optional(moment('Where the window ends, unless now')),
      environment: optional(id('The default environment of the workspace unless given.')),
      tenant_id: optional(
        key('Exact filter; then up to 90 days back are searched for a window that holds enough.'),
      ),
      task_id: optional(key('Exact filter, likewise.')),
    },
    answers: { 200: 'Reach', 400: 'ErrorText' },
  },
  async function confidence({ query }, context) {
    return json(await confidenceReach(context, { ...query, environment: query.environment ?? null }))
  },
)
