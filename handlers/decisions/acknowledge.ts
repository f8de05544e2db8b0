import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json } from '../../src/http/wire/message.ts'
import { acknowledge } from '../../src/features/surface/acknowledge.ts'

export default endpoint(
  'POST /v1/acknowledgements',
  {
    access: 'write',
    scope: ofRelease('body'),
    summary: 'Acknowledge what a release may do beyond the live one',
    description:
      'Where the policy has `surface: {widened: block}`, a promotion of a release that may do more is blocked until somebody ' +
      'acknowledges this very difference for the environment; where `approval_by_another` is set, somebody else than who wants ' +
      'the promotion. It holds for every release with the same surface, as long as the surface of what is live stays the same.',
    takes: 'AcknowledgementsMake',
    recordsActor: true,
    repeatable: true,
    answers: { 200: 'Acknowledgement', 400: 'ErrorText' },
  },
  async function acknowledgementsMake({ body, actor }, context) {
    return json(await acknowledge(context, { ...body, actor }))
  },
)
