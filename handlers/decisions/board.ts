import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { readBoard } from '../../src/ledger/decide/board.ts'

export default endpoint(
  'GET /v1/board',
  {
    access: 'read',
    scope: 'filtered',
    mayBeLate: true,
    concurrency: { most: 1 },
    summary: 'What is live for each agent in each environment',
    description: 'What is promoted, since when, by whom and why; the last decision; requests that wait.',
    answers: { 200: 'Board' },
  },
  async function board(_input, context) {
    return json(await readBoard(context, context.caller.scope))
  },
)
