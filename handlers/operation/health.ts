import { endpoint } from '../../src/http/endpoint/endpoint.ts'

export default endpoint({
  route: 'GET /health',
  access: 'open',
  scope: 'shared',
  unlimited: true,
  summary: 'Liveness and access mode',
  description: 'Always 200 while the server is up; it reads nothing and reveals no secret.',
  answers: { 200: 'Health' },
  answer: async function health(_input, context) {
    const mode = await context.access.mode(context)
    return { status: 'ok', mutation_auth: mode, read_auth: mode === 'bearer' ? 'bearer' : 'open' }
  },
})
