import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, flag, id, moment, optional, optionalFlag, window } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { diffReleases } from '../../src/ledger/assess/diff.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'POST /v1/diff',
  {
    access: 'open',
    closable: true,
    scope: ofComparison('body'),
    concurrency: { most: 4 },
    mayBeLate: true,
    tellsReaders: true,
    summary: 'Compare two releases of one agent over a window',
    description:
      'Cost per run, latency and error rate of both sides, how sure their differences are, and what the policy says. ' +
      'Writes nothing. Open, but where the workspace takes named credentials only: there it is a read. Where a token is ' +
      'configured, who may not read is not told of single tenants and tasks.',
    body: fieldsBody({
      baseline_release_id: id('Release to compare with.'),
      candidate_release_id: id('Release to judge.'),
      window: window('How far back', { example: '7d' }),
      until: optional(moment('Where the window ends, unless now')),
      environment: optional(id('The default environment of the workspace unless given.')),
      tenant_id: optional(id('Exact filter.')),
      task_id: optional(id('Exact filter.')),
      cluster_by: optional(
        choice(
          'What runs resemble each other within: blocks of time, or sessions or tenants of up to 10,000 runs per side that ' +
            'are compared. As the policy says unless given.',
          ['time', 'session', 'tenant'],
        ),
      ),
      compare_by: optional(
        choice(
          'What is compared: `time` is the blocks of time in which both releases ran, `tenant` and `task` each tenant or ' +
            'task that both served, `window` all runs of the window. As the policy says unless given, which promotions ' +
            'and gates go by.',
          ['time', 'tenant', 'task', 'window'],
        ),
      ),
      tails: flag('Percentiles of the latency, which take a few milliseconds more.'),
      tools: flag('Calls of tools per run, of the newest 10,000 runs of each side.'),
      sequential: optionalFlag(
        'Intervals that hold however often they are asked for. As the policy says unless given.',
      ),
    }),
    answers: { 200: 'DiffReport', 400: 'ErrorText' },
  },
  async function diff({ body }, context) {
    return json(await diffReleases(context, body, context.isReader))
  },
)
