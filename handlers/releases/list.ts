import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listed } from '../../src/http/wire/message.ts'
import { releasePages } from '../../src/ledger/registry/releases.ts'

export default endpoint({
  route: 'GET /v1/releases',
  access: 'read',
  scope: 'filtered',
  summary: 'Registered releases, newest first',
  description: 'A long list is sent in pieces, so that other requests get their turn.',
  takes: 'ReleasesList',
  answers: { 200: 'ReleaseList' },
  handle: async function releasesList({ query }, context) {
    const pages = releasePages(context, { ...query, scope: context.caller.scope })
    return listed('releases', pages, context.nextTurn)
  },
})
