import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { confidenceReach } from '../../src/features/advice/advice.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/confidence',
  access: 'read',
  scope: ofComparison('query'),
  mayBeLate: true,
  summary: 'What a comparison lacks for HIGH confidence',
  description: 'The required sample sizes, the runs there are, and how many more are needed.',
  takes: 'Confidence',
  answers: { 200: 'Reach', 400: 'ErrorText' },
  answer: function confidence({ query }, context) {
    return confidenceReach(context, { ...query, environment: query.environment ?? null })
  },
})
