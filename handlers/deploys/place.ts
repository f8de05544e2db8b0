import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { answerPlace } from './_place.ts'

export default endpoint({
  route: 'GET /v1/places/{agent_id}/{environment}',
  access: 'read',
  scope: { kind: 'agent', where: 'path', field: 'agent_id' },
  concurrency: { most: 4, share: 1 / 10 },
  summary: 'One answer for an agent in an environment',
  description:
    'The live release, the next release, whether that can be promoted, and if not, why. The candidate is judged as by the gate, over 24 hours or the shortest window with enough runs. Writes nothing.',
  takes: 'Place',
  answers: { 200: 'PlaceAnswer', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function place({ path, query }, context) {
    return answerPlace(context, { ...path, ...query })
  },
})
