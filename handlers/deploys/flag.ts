import { sha256 } from '../../src/base/bytes.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, knows } from '../../src/http/wire/message.ts'
import { readPointer } from '../../src/features/deploys/pointer.ts'
import { coversAgent, coversEnvironment } from '../../src/ledger/world/scope.ts'
import { asFlagError, contextIn, flagOf } from './_flags.ts'

export default endpoint({
  route: 'POST /ofrep/v1/evaluate/flags/{key}',
  access: 'read',
  scope: 'checked',
  summary: 'The release to run as the value of an OpenFeature flag',
  description:
    'OpenFeature Remote Evaluation Protocol 0.3.0: the key is the agent, the value the release_id, the variant its version. While a rollout runs it assigns the `targetingKey`. Writes nothing. An `If-None-Match` with the last `ETag` gets 304 until the value changes.',
  takes: 'EvaluateFlag',
  body: uncheckedBody('FlagQuestion'),
  answers: {
    200: 'Flag',
    304: { about: 'The value has not changed.' },
    400: 'FlagError',
    404: 'FlagError',
  },
  refusal: (error, { url }) => asFlagError(error, { key: keyIn(url) }),
  handle: async function evaluateFlag({ path: { key }, body, ifNoneMatch }, context) {
    const { workspace, caller } = context
    const { scope } = caller
    const given = contextIn(body)
    const environment = given.environment ?? workspace.default_environment
    const isCovered = coversAgent(scope, key) && coversEnvironment(scope, environment)
    const found = isCovered ? await readPointer(context, key, environment) : undefined
    if (found === undefined) {
      throw new ServiceError(404, `Nothing is promoted for ${key} in ${environment}.`)
    }
    const flag = await flagOf(found, given)
    const etag = flag.reason === 'STATIC' ? `"${flag.value}"` : `"${await sha256(JSON.stringify(flag))}"`
    return knows(ifNoneMatch, etag) ? { status: 304, headers: { etag }, body: '' } : json(flag, 200, { etag })
  },
})

function keyIn(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
