import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { diffGroups } from '../../src/features/groups/groups.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'POST /v1/diff/groups',
  access: 'read',
  scope: ofComparison('body'),
  concurrency: { most: 2 },
  summary: 'Split a difference into what tenants, tasks, models or errors contribute',
  description:
    'For each group both releases, an interval, and two parts: what changed for the group, and what its share of the runs changed. Writes nothing, and reads every event of the window.',
  takes: 'DiffByGroup',
  answers: { 200: 'DiffGroups', 400: 'ErrorText' },
  answer: function diffByGroup({ body }, context) {
    return diffGroups(context, { ...body, metric: body.metric ?? 'cost_per_run_usd' })
  },
})
