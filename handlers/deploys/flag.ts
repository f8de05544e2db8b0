import { ServiceError } from '../../src/base/errors.ts'
import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { readPointer } from '../../src/features/deploys/pointer.ts'
import { coversAgent, coversEnvironment } from '../../src/ledger/world/scope.ts'
import { knows } from './_etag.ts'
import { asFlagError, environmentIn, flagOf } from './_flags.ts'

export default endpoint(
  'POST /ofrep/v1/evaluate/flags/{key}',
  {
    access: 'read',
    scope: 'checked',
    summary: 'The promoted release as the value of an OpenFeature flag',
    description:
      'OpenFeature Remote Evaluation Protocol 0.3.0: the key is the agent, the value the release_id, the variant its ' +
      'version. Writes nothing. An `If-None-Match` with the `ETag` of before is answered by 304 until another release ' +
      'is promoted.',
    path: { key: id('The agent.') },
    body: uncheckedBody('FlagQuestion'),
    answers: {
      200: 'Flag',
      304: { about: 'The release that the caller knows is promoted still.' },
      400: 'FlagError',
      404: 'FlagError',
    },
    refusal: (error, { url }) => asFlagError(error, { key: keyIn(url) }),
  },
  async function evaluateFlag({ path: { key }, body, ifNoneMatch }, { sql, workspace, caller: { scope } }) {
    const environment = environmentIn(body) ?? workspace.default_environment
    const isCovered = coversAgent(scope, key) && coversEnvironment(scope, environment)
    const found = isCovered ? await readPointer(sql, key, environment) : undefined
    if (found === undefined) {
      throw new ServiceError(404, `Nothing is promoted for ${key} in ${environment}.`)
    }
    const etag = `"${found.release_id}"`
    return knows(ifNoneMatch, etag)
      ? { status: 304, headers: { etag }, body: '' }
      : json(flagOf(found), 200, { etag })
  },
)

function keyIn(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
