import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json } from '../../src/http/wire/message.ts'
import { acknowledge } from '../../src/features/capabilities/acknowledge.ts'

export default endpoint(
  'POST /v1/acknowledgements',
  {
    access: 'write',
    scope: ofRelease('body'),
    summary: 'Acknowledge capabilities that the live release lacks',
    description:
      'Where the policy has `capabilities: {widened: block}`, a promotion of a release with new capabilities is blocked until somebody ' +
      'acknowledges this very difference for the environment; where `approval_by_another` is set, somebody else than who wants ' +
      'the promotion. It holds for every release with the same capabilities, as long as the capabilities of what is live stay the same.',
    takes: 'AcknowledgementsMake',
    recordsActor: true,
    repeatable: true,
    answers: { 200: 'Acknowledgement', 400: 'ErrorText' },
  },
  async function acknowledgementsMake({ body, actor }, context) {
    return json(await acknowledge(context, { ...body, actor }))
  },
)
