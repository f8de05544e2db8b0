import { ServiceError } from '../../src/base/errors.ts'
import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id } from '../../src/http/endpoint/fields.ts'
import { type JsonBody, soundValue } from '../../src/http/endpoint/json_body.ts'
import { type Reply, type RequestLike, json } from '../../src/http/message.ts'
import { readPointer } from '../../src/ledger/decisions/pointer.ts'
import { coversAgent, coversEnvironment } from '../../src/ledger/scope.ts'
import { type Fields, isFields } from '../../src/models/acceptor_parts.ts'

export default endpoint(
  'POST /ofrep/v1/evaluate/flags/{key}',
  {
    access: 'read',
    scope: 'checked',
    summary: 'The promoted release as the value of an OpenFeature flag',
    description:
      'OpenFeature Remote Evaluation Protocol 0.3.0: the key is the agent, the value the release_id, the variant its ' +
      'version. Writes nothing. GET /v1/pointers can be cached, this can not.',
    path: { key: id('The agent.') },
    body: uncheckedBody('FlagQuestion'),
    answers: { 200: 'Flag', 400: 'FlagError', 404: 'FlagError' },
    refusal: asFlagError,
  },
  async function evaluateFlag({ path: { key }, body }, { sql, workspace, caller: { scope } }) {
    const environment = environmentIn(body) ?? workspace.default_environment
    const isCovered = coversAgent(scope, key) && coversEnvironment(scope, environment)
    const found = isCovered ? await readPointer(sql, key, environment) : undefined
    if (found === undefined) {
      throw new ServiceError(404, `Nothing is promoted for ${key} in ${environment}.`)
    }
    return json({ key, value: found.release_id, reason: 'STATIC', variant: found.version })
  },
)

/** Throws 400 for a context that is none. */
function environmentIn(body: JsonBody): string | undefined {
  const { context = {} } = objectIn('body', soundValue(body))
  const { environment } = objectIn('context', context)
  if (environment === undefined || typeof environment === 'string') return environment
  throw new ServiceError(400, 'The environment of the context must be a string.')
}

function objectIn(name: string, value: unknown): Fields {
  if (isFields(value)) return value
  throw new ServiceError(400, `The ${name} must be an object.`)
}

/** Errors that a client of the protocol reads; what access and limits refuse stays as it is. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_CONTEXT',
  404: 'FLAG_NOT_FOUND',
  422: 'PARSE_ERROR',
}

function asFlagError(error: Reply, { url }: RequestLike): Reply {
  const errorCode = CODES[error.status]
  if (errorCode === undefined) return error
  const { detail } = JSON.parse(error.body as string) as { detail: unknown }
  const errorDetails = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return json({ key: keyIn(url), errorCode, errorDetails }, error.status === 422 ? 400 : error.status)
}

function keyIn(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
