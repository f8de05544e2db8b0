import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { answerBoard } from './_board.ts'

export default endpoint({
  route: 'GET /v1/board',
  access: 'read',
  scope: 'filtered',
  mayBeLate: true,
  concurrency: { most: 1, share: 1 / 10 },
  summary: 'The live release of each agent in each environment, and the next one',
  description:
    'The live release, since when, by whom and why; the last decision; pending requests; and in short the answer of GET /v1/places, as of the last evaluation. Up to 20 agents and environments are evaluated again, for 100 ms at most and a twentieth of all time.',
  answers: { 200: 'Board' },
  answer: function board(_input, context) {
    return answerBoard(context)
  },
})
