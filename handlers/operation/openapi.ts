import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { jsonText, keptBody } from '../../src/http/wire/message.ts'

export default endpoint({
  route: 'GET /openapi.json',
  access: 'open',
  scope: 'shared',
  summary: 'The OpenAPI 3.1 description of this API',
  answers: { 200: 'OpenApiDocument' },
  handle: async function openapi(_input, { describe }) {
    return jsonText(bodyOf(await describe()))
  },
})

const bodyOf = keptBody(description => description)
