import { ServiceError } from '../../src/base/errors.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, knows } from '../../src/http/wire/message.ts'
import { pointerTag, readPointer } from '../../src/features/deploys/pointer.ts'

/** Fresh for as long as a rollback may go unnoticed; a cache may serve it longer while it revalidates, or when it can't. */
const CACHING = 'private, max-age=5, stale-while-revalidate=60, stale-if-error=86400'
/** A split may be used for its lease and no longer, so no cache answers for it. */
const SPLIT_CACHING = 'private, no-cache'

export default endpoint({
  route: 'GET /v1/pointers/{agent_id}/{environment}',
  access: 'read',
  scope: { kind: 'agent', where: 'path', field: 'agent_id' },
  summary: 'What is promoted for an agent in an environment',
  description:
    'For programs that poll: an `If-None-Match` with the last `ETag` gets 304 until another release is promoted, or a rollout changes the split.',
  takes: 'Pointer',
  answers: {
    200: 'Pointer',
    304: { about: 'The release that the caller knows is still live.' },
    404: 'ErrorText',
  },
  handle: async function pointer({ path: { agent_id, environment }, ifNoneMatch }, context) {
    const found = await readPointer(context, agent_id, environment)
    if (found === undefined) {
      throw new ServiceError(404, `Nothing is promoted for ${agent_id} in ${environment}.`)
    }
    const etag = pointerTag(found)
    const headers = { etag, 'cache-control': found.split === undefined ? CACHING : SPLIT_CACHING }
    return knows(ifNoneMatch, etag) ? { status: 304, headers, body: '' } : json(found, 200, headers)
  },
})
