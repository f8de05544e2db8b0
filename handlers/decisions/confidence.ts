import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { confidenceReach } from '../../src/features/advice/advice.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'GET /v1/confidence',
  {
    access: 'read',
    scope: ofComparison('query'),
    mayBeLate: true,
    summary: 'What a comparison lacks for HIGH confidence',
    description: 'The required sample sizes, the runs there are, and how many more are needed.',
    takes: 'Confidence',
    answers: { 200: 'Reach', 400: 'ErrorText' },
  },
  async function confidence({ query }, context) {
    return json(await confidenceReach(context, { ...query, environment: query.environment ?? null }))
  },
)
