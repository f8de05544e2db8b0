import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import {
  actorField,
  id,
  integer,
  label,
  optional,
  optionalFlag,
  window,
} from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { startWatch } from '../../src/features/watch/start.ts'
import { LEAST_MIN_RUNS } from '../../src/features/watch/rules_verdict.ts'

export default endpoint(
  'POST /v1/watches',
  {
    access: 'write',
    scope: { kind: 'agent', where: 'body', field: 'agent_id' },
    summary: 'Watch what is live',
    description:
      'Compares the live release of an agent in an environment with the one before, minute by minute, until a rise is ' +
      'proven or the time is over. What is left out is as the policy says (`watch`), else 2h without a rollback. ' +
      'A place has one watch at a time: 409 where one runs already.',
    body: fieldsBody({
      agent_id: id('Agent whose live release is watched.'),
      environment: label('Environment that it is live in.', { example: 'prod' }),
      for: optional(window('How long', { example: '2h' })),
      against: optional(id('Release to compare with; the one that was live before unless given.')),
      auto_rollback: optionalFlag('Whether a regression rolls back to that release, if the policy lets it.'),
      min_runs: optional(
        integer('Runs of the live release below which nothing is concluded and nothing rolled back.', {
          min: LEAST_MIN_RUNS,
          max: 1_000_000,
        }),
      ),
      actor: actorField(),
    }),
    recordsActor: true,
    answers: { 200: 'Watch', 400: 'ErrorText', 409: 'ErrorText' },
  },
  async function watchesStart({ body, actor }, context) {
    return json(await startWatch(context, { ...body, actor }))
  },
)
