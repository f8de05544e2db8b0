import { apiSchema } from '../../models/all/api_schema.ts'
import type { ModelName } from '../../models/all/models.ts'
import type { InputSchemas, JsonSchema } from '../../models/schemas.ts'
import { changes } from '../access/caller.ts'
import { INPUT_SCHEMAS } from '../../models/api_schemas.ts'
import { ACTOR_PATTERN } from '../../models/checks.ts'
import { type Body, bodyOf as declaredBody, modelOf } from '../endpoint/bodies.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Answers, EndpointSpec, TextAnswer } from '../endpoint/spec.ts'
import { documentsIn, shapesOf } from '../endpoint/read_input.ts'
import type { Routes } from '../router.ts'

type Json = Record<string, unknown>

/** Routes by tag, each with what the tag is for. */
type Tags = Readonly<Record<string, { readonly description: string; readonly routes: Routes }>>

/**
 * The OpenAPI 3.1 description, generated from the endpoint table and the models: there is no second source.
 * `examples` are calls that were really made, with what was answered.
 */
export async function openApiDocument(
  tags: Tags,
  version: string,
  examples: readonly ApiExample[],
): Promise<Json> {
  const used = new Set<ModelName>()
  const paths: Record<string, Json> = {}
  for (const [tag, { routes }] of Object.entries(tags)) {
    for (const [route, load] of Object.entries(routes)) {
      const { default: endpoint } = await load()
      const [method, path] = route.split(' ') as [string, string]
      const own = examples.filter(example => example.route === route)
      const shared = examples.filter(
        ({ status }) => SHARED.includes(status) && !(status in endpoint.spec.answers),
      )
      const operation = operationOf(endpoint, [...own, ...shared], used)
      paths[path] = { ...paths[path], [method.toLowerCase()]: { ...operation, tags: [tag] } }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Release Governance Service',
      version,
      description:
        'Registers releases of AI agents, ingests run events, compares releases, and promotes or rolls back by ' +
        'policy, with an append-only audit trail.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: './' }],
    tags: Object.entries(tags).map(([name, { description }]) => ({ name, description })),
    paths,
    components: {
      schemas: schemasOf(used),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            "A named credential (`svc token create`), a token of an identity provider that the workspace trusts, or SERVICE_LOCAL_API_TOKEN of the server. If none is configured, reads are open and only callers on the server's own machine can change anything.",
        },
      },
    },
  }
}

/** Statuses whose answer is alike on every route, so that one example shows them all. */
const SHARED = [401, 403, 413, 415, 422, 503]

function operationOf(endpoint: Endpoint, examples: readonly ApiExample[], used: Set<ModelName>): Json {
  const { spec, operationId } = endpoint
  const { path, query } = inputSchemas(spec)
  const body = declaredBody(spec)
  return {
    operationId,
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    // Without a token on the server none is needed: an empty requirement says so.
    security: spec.access === 'open' ? [] : [{ token: [] }, {}],
    parameters: [
      ...parametersOf(path, 'path', examples),
      ...parametersOf(query, 'query', examples),
      ...headersOf(spec),
    ],
    ...(body === undefined ? {} : { requestBody: bodyOf(spec, body, examples, used) }),
    responses: responsesOf(spec, examples, used),
  }
}

function parametersOf(
  schema: JsonSchema | undefined,
  where: 'path' | 'query',
  examples: readonly ApiExample[],
): Json[] {
  const required = (schema?.required ?? []) as readonly string[]
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...field }]) => {
    const example = examples
      .filter(({ status }) => status < 400)
      .map(({ request }) => request[where]?.[name])
      .find(value => value !== undefined)
    return {
      name,
      in: where,
      required: required.includes(name),
      description,
      schema: field,
      ...(example === undefined ? {} : { example }),
    }
  })
}

function headersOf({ recordsActor, idempotent }: EndpointSpec): Json[] {
  // Without an example of their own: a form that fills one in would record it, or repeat a key.
  const header = (name: string, description: string, pattern?: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
  })
  return [
    ...(recordsActor === true
      ? [
          header(
            'X-Service-Actor',
            "The caller's name, such as `ann`; counts before X-Forwarded-User and the body.",
            ACTOR_PATTERN,
          ),
          header(
            'X-Forwarded-User',
            "The caller's name from a proxy; counts before the body.",
            ACTOR_PATTERN,
          ),
        ]
      : []),
    ...(idempotent === true
      ? [
          header(
            'Idempotency-Key',
            'An idempotency key such as `deploy-4711`: a repeated request gets the first answer, and writes nothing.',
          ),
        ]
      : []),
  ]
}

export function inputSchemas({ takes }: Pick<EndpointSpec, 'takes'>): InputSchemas {
  return takes === undefined ? {} : INPUT_SCHEMAS[takes]!
}

/** A reference to a model, which is added to `used`. */
function reference(name: ModelName, used: Set<ModelName>): JsonSchema {
  used.add(name)
  return { $ref: `#/components/schemas/${name}` }
}

function bodyOf(
  spec: EndpointSpec,
  body: Body<unknown>,
  examples: readonly ApiExample[],
  used: Set<ModelName>,
): Json {
  for (const [, name] of documentsIn(shapesOf(spec))) used.add(name)
  const schema = body.kind === 'fields' ? inputSchemas(spec).body : reference(modelOf(body), used)
  const example = examples.find(({ status, request }) => status < 400 && request.body !== undefined)?.request
    .body
  const others = body.kind === 'bytes' ? body.types : []
  return {
    required: true,
    content: {
      'application/json': { schema, ...(example === undefined ? {} : { example }) },
      ...Object.fromEntries(others.map(type => [type, { schema: { type: 'string', format: 'binary' } }])),
    },
  }
}

/** Every answer that the router and the endpoint can give to a request for it. */
export function answersOf(spec: EndpointSpec): Answers {
  return { ...goWithoutSaying(spec), ...spec.answers }
}

function responsesOf(spec: EndpointSpec, examples: readonly ApiExample[], used: Set<ModelName>): Json {
  const responses: Json = {}
  for (const [status, answer] of Object.entries(answersOf(spec))) {
    const example = examples.find(candidate => candidate.status === Number(status))?.response
    responses[status] =
      typeof answer === 'string'
        ? jsonResponse(Number(status), answer, example, used)
        : textResponse(answer, example)
  }
  return responses
}

/** Statuses that access, reading the request and the ledger can give anywhere. */
function goWithoutSaying(spec: EndpointSpec): Record<number, ModelName> {
  const { access, takes, closable, unlimited, namesCaller } = spec
  const body = declaredBody(spec)
  const hasFields = takes !== undefined
  const hasInput = hasFields || changes(access) || (body !== undefined && body.kind !== 'bytes')
  return {
    ...(access !== 'open' || closable === true ? { 401: 'ErrorText', 403: 'ErrorText' } : {}),
    ...(namesCaller === true ? { 403: 'ErrorText' } : {}),
    ...(body === undefined ? {} : { 413: 'ErrorText' }),
    ...(body === undefined || body.kind === 'bytes' ? {} : { 415: 'ErrorText' }),
    ...(hasInput ? { 422: 'ValidationError' } : {}),
    414: 'ErrorText',
    ...(unlimited === true ? {} : { 429: 'ErrorText' }),
    431: 'ErrorText',
    503: 'ErrorText',
  }
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: "The request can't be carried out: it names something unknown or an invalid window, or the present state forbids it; `detail` says which.",
  401: 'A token is configured, and the request has none, a wrong or an ended one.',
  403: 'No token is configured and the caller is not on this machine, or the token does not allow this: its role, agents or environments.',
  404: 'It does not exist.',
  409: 'The policy blocks it.',
  412: 'Another release is live than the caller expected; nothing was recorded.',
  413: 'The body is too large.',
  414: 'Path and query are longer than 8192 characters.',
  415: 'The body has a type or an encoding that is not supported.',
  422: 'The request has the wrong shape.',
  429: 'The caller sends more requests than the operator allows; `Retry-After` says when to try again.',
  431: 'The headers are too large: at most 16 kB with the first line.',
  503: "The ledger can't be reached or is locked; `Retry-After` says when to try again.",
}

function jsonResponse(status: number, name: ModelName, example: unknown, used: Set<ModelName>): Json {
  return {
    description: MEANINGS[status] ?? apiSchema(name).description,
    content: {
      'application/json': { schema: reference(name, used), ...(example === undefined ? {} : { example }) },
    },
  }
}

function textResponse({ type, or, about, headers = {} }: TextAnswer, example: unknown): Json {
  return {
    description: about,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
    ...(type === undefined
      ? {}
      : {
          content: {
            [type]: { schema: { type: 'string' }, ...(example === undefined ? {} : { example }) },
            ...(or === undefined ? {} : { [or]: { schema: { type: 'string' } } }),
          },
        }),
  }
}

function schemasOf(used: ReadonlySet<ModelName>): Record<string, JsonSchema> {
  return Object.fromEntries([...used].sort().map(name => [name, apiSchema(name)]))
}

/** A call of the API that was really made, and what was answered. */
export interface ApiExample {
  readonly route: string
  readonly request: {
    readonly path?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string | number>>
    readonly body?: unknown
  }
  readonly status: number
  /** JSON, or text where the answer isn't JSON. */
  readonly response: unknown
}
