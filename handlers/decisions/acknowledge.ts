import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { acknowledge } from '../../src/features/capabilities/acknowledge.ts'

export default endpoint({
  route: 'POST /v1/acknowledgements',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Acknowledge capabilities that the live release lacks',
  description:
    "With `capabilities: {widened: block}` the policy blocks a release with new capabilities until somebody acknowledges the difference in this environment. With `approval_by_another` this can't be the person who promotes. An acknowledgement also counts for other releases with the same capabilities, until the live release has other ones.",
  takes: 'AcknowledgementsMake',
  recordsActor: true,
  repeatable: true,
  answers: { 200: 'Acknowledgement', 400: 'ErrorText' },
  answer: function acknowledgementsMake({ body, actor }, context) {
    return acknowledge(context, { ...body, actor })
  },
})
