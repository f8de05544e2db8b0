import { sha256 } from '../../src/base/bytes.ts'
import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, knows } from '../../src/http/wire/message.ts'
import { readPointers } from '../../src/features/deploys/pointer.ts'
import { asFlagError, contextIn, flagOf } from './_flags.ts'

export default endpoint({
  route: 'POST /ofrep/v1/evaluate/flags',
  access: 'read',
  scope: 'filtered',
  summary: 'All releases to run in an environment as OpenFeature flags',
  description:
    'The bulk evaluation of the OpenFeature Remote Evaluation Protocol 0.3.0, for providers in browsers: a flag for each agent. While a rollout runs it assigns the `targetingKey`. Writes nothing. An `If-None-Match` with the last `ETag` gets 304 until a value changes. `eventStreams` announces changes.',
  body: uncheckedBody('FlagQuestion'),
  answers: {
    200: 'Flags',
    304: { about: 'The values have not changed.' },
    400: 'FlagsError',
  },
  refusal: error => asFlagError(error, {}),
  handle: async function evaluateFlags({ body, ifNoneMatch }, context) {
    const { workspace, caller, streams } = context
    const given = contextIn(body)
    const environment = given.environment ?? workspace.default_environment
    const pointers = await readPointers(context, environment, caller.scope)
    const flags = await Promise.all(pointers.map(pointer => flagOf(pointer, given)))
    const etag = `"${await sha256(JSON.stringify(flags))}"`
    return knows(ifNoneMatch, etag)
      ? { status: 304, headers: { etag }, body: '' }
      : json(streams === undefined ? { flags } : { flags, eventStreams: EVENT_STREAMS }, 200, { etag })
  },
})

/** Without an origin providers take the one of their base URL, which may be that of a proxy. */
const EVENT_STREAMS = [{ type: 'sse', endpoint: { requestUri: '/v1/stream?for=flags' } }] as const
