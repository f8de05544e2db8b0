import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, id, moment, optional, window } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { diffGroups } from '../../src/features/groups/groups.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'POST /v1/diff/groups',
  {
    access: 'read',
    scope: ofComparison('body'),
    concurrency: { most: 2 },
    summary: 'Split a difference into what tenants, tasks, models or errors contribute',
    description:
      'Per group both sides, an interval, and two parts: what changed for the group, and what its share of the runs ' +
      'changed. Writes nothing, and reads every event of the window.',
    body: fieldsBody({
      baseline_release_id: id('Release to compare with.'),
      candidate_release_id: id('Release to judge.'),
      window: window('How far back', { example: '7d' }),
      by: choice('What to group runs by.', ['tenant', 'task', 'model', 'error']),
      metric: optional(
        choice('What to compare; cost_per_run_usd unless given.', [
          'cost_per_run_usd',
          'latency_ms',
          'error_rate',
        ]),
      ),
      until: optional(moment('Where the window ends, unless now')),
      environment: optional(id('The default environment of the workspace unless given.')),
      tenant_id: optional(id('Exact filter.')),
      task_id: optional(id('Exact filter.')),
    }),
    answers: { 200: 'DiffGroups', 400: 'ErrorText' },
  },
  async function diffByGroup({ body }, context) {
    return json(await diffGroups(context, { ...body, metric: body.metric ?? 'cost_per_run_usd' }))
  },
)
