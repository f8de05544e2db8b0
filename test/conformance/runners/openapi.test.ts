import { Validator } from '@seriousme/openapi-schema-validator'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type RouteName, routes, tags } from '../../../handlers/index.ts'
import { type ApiExample, openApiDocument } from '../../../src/http/openapi/openapi.ts'
import examples from '../../../src/http/openapi/api_examples.json' with { type: 'json' }
import { TEXT_NAMES } from '../../../src/http/openapi/shared.ts'
import { PART_NAMES } from '../../../src/models/api_schemas.ts'
import { apiDescription } from '../../../src/runtime/description.ts'
import { openLibsqlWorker } from '../../../src/sql/libsql/worker.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { isDisguised } from '../../../src/base/text.ts'
import { watchTime } from '../../../src/models/checks.ts'
import { parseWindow } from '../../../src/rules/window.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { testProvider } from '../../support/access/provider.ts'
import { REDIRECT_URI, signInAt } from '../../support/access/visitor.ts'
import { playScenario } from '../../support/scenarios/api.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { NOON, testService } from '../../support/services/service.ts'
import { socketService } from '../../support/services/socket.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: { name: string; in: string; description: string; schema: object; example?: unknown }[]
  readonly requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, { schema: object; example?: unknown }> }
  >
  readonly security: object[]
}

interface OpenApi {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, object>; securitySchemes: object }
}

/** The whole description, and the one that is served, in which parts are shared. */
let document: OpenApi
let served: OpenApi

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await openApiDocument(tags, '0.0.0-test', examples))) as OpenApi
  served = JSON.parse(await apiDescription('0.0.0-test')()) as OpenApi
})

function operations(): [RouteName, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [RouteName, Operation] => [
      `${method.toUpperCase()} ${path}` as RouteName,
      operation,
    ]),
  )
}

/** Pages and files, and a stream that has no end. */
const WITHOUT_EXAMPLE = new Set(['GET /docs', 'GET /openapi.json', 'GET /v1/stream'])

describe('the OpenAPI description', () => {
  test('is served to everybody', async () => {
    const { status, headers, body } = await (await testService()).call('GET /openapi.json')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual(served)
  })

  test('shares its parts, each by a name that was given to it, and says the same', () => {
    const { components, paths } = served as OpenApi & Served
    const own = new Set(Object.keys(document.components.schemas))
    const parts = Object.keys(components.schemas).filter(name => !own.has(name))
    expect(parts.length).toBeGreaterThan(20)
    const given = new Set([...Object.values(PART_NAMES), ...Object.values(TEXT_NAMES)])
    expect(parts.filter(name => !given.has(name))).toEqual([])
    const kinds = [components.schemas, components.parameters, components.responses]
    const lower = kinds.flatMap(kind => Object.keys(kind).map(name => name.toLowerCase()))
    expect(new Set(lower).size).toBe(lower.length)
    const places = { ...components.schemas, ...components.parameters, ...components.responses }
    const text = JSON.stringify(served)
    expect(Object.keys(places).filter(name => !own.has(name) && !text.includes(`/${name}"`))).toEqual([])
    expect(text.length).toBeLessThan(0.6 * JSON.stringify(document).length)

    function whole(value: unknown): unknown {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(whole)
      const { $ref, ...rest } = value as { $ref?: string }
      if ($ref === undefined) return mapped(value)
      const [kind, name] = $ref.split('/').slice(2) as ['schemas' | 'parameters' | 'responses', string]
      // Models were references before.
      return kind === 'schemas' && own.has(name)
        ? { ...rest, model: name }
        : { ...(whole(components[kind][name]) as object), ...rest }
    }
    const mapped = (value: object): object =>
      Object.fromEntries(Object.entries(value).map(([key, one]) => [key, whole(one)]))
    const bareModels = new Map(
      Object.entries(document.components.schemas).map(([name, schema]) => [
        JSON.stringify(bareOf(schema)),
        name,
      ]),
    )
    /** The description as it was, with models by their names. */
    function named(value: unknown, isRoot = false): unknown {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(one => named(one))
      const { $ref, ...rest } = value as { $ref?: string }
      if ($ref !== undefined) return { ...rest, model: $ref.split('/').at(-1) }
      const model = isRoot ? undefined : bareModels.get(JSON.stringify(bareOf(value)))
      if (model !== undefined) {
        const { description, default: standard } = value as Record<string, unknown>
        return {
          ...(description === undefined ? {} : { description }),
          ...(standard === undefined ? {} : { default: standard }),
          model,
        }
      }
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one)]))
    }
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(whole(components.schemas[name]), name).toEqual(named(schema, true))
    expect(whole(paths)).toEqual(named(document.paths))
  })
  interface Served {
    readonly components: Record<'schemas' | 'parameters' | 'responses', Record<string, object>>
  }
  const bareOf = (schema: object): object =>
    Object.fromEntries(
      Object.entries(schema).filter(
        ([key]) => !['title', 'description', 'default', 'examples'].includes(key),
      ),
    )

  test('is valid by the official schema of OpenAPI 3.1', async () => {
    for (const described of [document, served]) {
      const { valid, errors } = await new Validator().validate({ ...described })
      expect(errors).toBeUndefined()
      expect(valid).toBe(true)
    }
    expect(document.openapi).toBe('3.1.0')
  })

  test('has every route and no other, each with an operation id of its own', () => {
    expect(
      operations()
        .map(([route]) => route)
        .sort(),
    ).toEqual(Object.keys(routes).sort())
    const ids = operations().map(([, operation]) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('describes every parameter, body and answer, and shows an example of each body and good answer', () => {
    for (const [route, { parameters, requestBody, responses, summary }] of operations()) {
      expect(summary, route).toMatch(/\S/)
      for (const parameter of parameters)
        expect(parameter.description, `${route} ${parameter.name}`).toMatch(/\S/)
      for (const [status, { description }] of Object.entries(responses)) {
        expect(description, `${route} ${status}`).toMatch(/\S/)
      }
      const shown = [requestBody?.content, responses[200]?.content].filter(content => content !== undefined)
      const exempt = WITHOUT_EXAMPLE.has(route)
      for (const content of shown) expect('example' in Object.values(content)[0]! || exempt, route).toBe(true)
    }
  })

  test('is in words that generators of clients understand', () => {
    const found: string[] = []
    function visit(value: unknown, path: string): void {
      if (typeof value !== 'object' || value === null) return
      const { const: constant, type, format, anyOf } = value as Record<string, unknown>
      if (constant !== undefined && type === undefined) found.push(`${path} has no type`)
      if (type === 'integer' && format !== 'int64') found.push(`${path} may be taken for 32 bits`)
      const branches = (anyOf ?? []) as readonly object[]
      if (branches.filter(branch => 'const' in branch).length > 1) found.push(`${path} is no enum`)
      for (const [key, inner] of Object.entries(value)) {
        // A condition is nothing that a generator reads, and an example is no schema.
        if (!['if', 'then', 'else', 'example', 'examples'].includes(key)) visit(inner, `${path}/${key}`)
      }
    }
    visit(document.components.schemas, '')
    visit(document.paths, '')
    expect(found).toEqual([])
  })

  test('asks for the token where the service does', async () => {
    for (const [route, { security }] of operations()) {
      const { default: endpoint } = await routes[route]()
      expect(security, route).toEqual(endpoint.spec.access === 'open' ? [] : [{ token: [] }, {}])
    }
  })
})

describe('what a client may send, by the description,', () => {
  /** The schema of a field of the body of a promotion. */
  const proposal = (name: string): { pattern: string } =>
    (document.paths['/v1/promote']!.post!.requestBody!.content['application/json']!.schema as Described)
      .properties[name]!
  interface Described {
    readonly properties: Record<string, { pattern: string }>
  }

  test.each(['7d', '24h', '30m', '1d', '99999d', '9999999h', '999999999m'])('is the window %s', text => {
    expect(new RegExp(proposal('window').pattern, 'u').test(text)).toBe(true)
    expect(parseWindow(text, NOON)).toMatchObject({ until: NOON })
  })

  test.each(['', '0h', '-7d', '7w', '7s', '1.5d', 'd', '7', '7d\n'])('is not the window %j', text => {
    expect(new RegExp(proposal('window').pattern, 'u').test(text)).toBe(false)
  })

  test.each([
    '1m',
    '30d',
    '31d',
    '39d',
    '720h',
    '721h',
    '999h',
    '43200m',
    '43201m',
    '99999m',
    '0d',
    '07d',
    '',
    '1w',
  ])('is %j for a watch as the policy is checked', text => {
    const { properties } = document.components.schemas.Policy as WatchedPolicy
    const { pattern } = properties.watch.anyOf[0].properties.for
    expect(new RegExp(pattern, 'u').test(text)).toBe(watchTime(text) === undefined)
  })
  interface WatchedPolicy {
    readonly properties: { watch: { anyOf: [{ properties: { for: { pattern: string } } }] } }
  }

  test('is null for an optional field of a body, of whatever kind', () => {
    const { properties } = document.paths['/v1/webhooks/{webhook_id}']!.patch!.requestBody!.content[
      'application/json'
    ]!.schema as Record<'properties', Record<string, { anyOf?: object[] }>>
    for (const name of ['enabled', 'events', 'url']) {
      expect(properties[name]!.anyOf, name).toContainEqual({ type: 'null' })
    }
  })

  test('is no text with a NUL, and no environment or actor that looks like another', () => {
    const [any, plain] = ['reason', 'environment'].map(name => new RegExp(proposal(name).pattern, 'u'))
    const named = document.paths['/v1/promote']!.post!.parameters.find(
      ({ name }) => name === 'X-Service-Actor',
    )!.schema as { pattern: string }
    const actor = new RegExp(named.pattern, 'u')
    /** Whether a text is read as it is described. */
    const isSo = (text: string): boolean => {
      const isTaken = !isDisguised(text)
      const isActor = !isDisguised(text.trim())
      // Refused and not described: what is invisible beyond the first plane, and selectors that select nothing.
      const isSilent = /[\u{10000}-\u{10ffff}]|\p{Variation_Selector}/u.test(text)
      return (
        any!.test(text) === !text.includes('\0') &&
        ((isSilent && !isTaken) || plain!.test(text) === (text !== '' && isTaken)) &&
        ((isSilent && !isActor) || actor.test(text) === isActor)
      )
    }
    const firstPlane = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    expect(firstPlane.filter(char => char.isWellFormed() && !isSo(`a${char}a`))).toEqual([])
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 6 }), isSo), {
      examples: [[''], [' a'], ['a b'], ['\u2028a'], ['\ufe00'], ['❤\ufe0f'], ['🚀']],
      numRuns: 2000,
    })
  })

  test('is a release with a fallback just where its strategy is one', () => {
    const isRelease = new Ajv2020({ strict: false, validateFormats: false }).compile(
      document.components.schemas.Release!,
    )
    const routed = (routing: object): boolean =>
      isRelease({ ...releaseOf(), spec: { ...releaseOf().spec, routing } })
    expect(routed({ strategy: 'fallback_model', fallback: { model: 'm2' } })).toBe(true)
    expect(routed({ strategy: 'single_model' })).toBe(true)
    expect(routed({ strategy: 'fallback_model' })).toBe(false)
    expect(routed({ strategy: 'fallback_model', fallback: {} })).toBe(false)
    expect(routed({ fallback: { model: 'm2' } })).toBe(false)
  })
})

test('every operation says what it answers to an address or headers that are too long', () => {
  const silent = operations().filter(([, { responses }]) => !('414' in responses && '431' in responses))
  expect(silent.map(([route]) => route)).toEqual([])
})

test('every operation that names a release, request or webhook says what it answers to one that is not there', () => {
  const names = /(?:release|request|webhook|delivery|action)_id$/
  const referring = operations().filter(([, { parameters, requestBody }]) => {
    const body = requestBody?.content['application/json']?.schema
    return [...parameters.map(({ name }) => name), ...Object.keys(propertiesOf(body))].some(name =>
      names.test(name),
    )
  })
  expect(referring.length).toBeGreaterThan(10)
  expect(referring.filter(([, { responses }]) => !('400' in responses || '404' in responses))).toEqual([])
})

describe('the examples', () => {
  test('are what a real server answers; `npm run generate` writes them anew', async () => {
    const plain = await socketService({ send: async () => ({ status: 200, text: 'thanks' }) })
    const { sql } = plain
    const provider = await testProvider({ redirectUris: [REDIRECT_URI], now: () => NOON })
    const cast = {
      plain,
      approving: await socketService({
        sql,
        workspace: { promotion_requires_approval: true, allow_forced_rollback: true },
        firstId: 0x1000,
      }),
      // A program without that feature refuses a workspace that trusts a provider.
      people: await socketService({
        sql,
        workspace: 'GET /v1/session' in routes ? signInAt(provider) : {},
        firstId: 0x2000,
      }),
      guarded: await socketService({ sql, tokens: { main: 'secret' } }),
      narrow: await socketService({ sql, maxBodyBytes: 16 }),
      down: await socketService({ sql: await closedLedger() }),
    }
    const played = await playScenario(cast, provider)
    await expect(`${JSON.stringify(played, null, 2)}\n`).toMatchFileSnapshot(
      '../../../src/http/openapi/api_examples.json',
    )
  })

  test('and call every endpoint', () => {
    const called = new Set((examples as ApiExample[]).map(example => example.route))
    expect(Object.keys(routes).filter(route => !called.has(route) && !WITHOUT_EXAMPLE.has(route))).toEqual([])
  })

  test('have the shapes that the description says, requests that succeed and all answers', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'api', ...served })
    for (const { route, request, status, response } of examples) {
      const [method, path] = route.split(' ') as [string, string]
      const operation = document.paths[path]![method.toLowerCase()]!
      const answer = operation.responses[String(status)]
      expect(answer, `${route} ${status}`).toBeDefined()
      const schema = answer!.content?.['application/json']?.schema
      if (schema !== undefined) expect(problems(ajv, schema, response), `${route} ${status}`).toEqual([])
      const body = operation.requestBody?.content['application/json']?.schema
      if (body !== undefined && status === 200) expect(problems(ajv, body, request.body), route).toEqual([])
    }
  })
})

function propertiesOf(schema: { properties?: object } = {}): object {
  return schema.properties ?? {}
}

async function closedLedger(): Promise<Sql> {
  const sql = await openLibsqlWorker({
    path: join(temporaryFolder(), 'ledger.db'),
    busyTimeoutMs: 0,
    lockRetryMs: 0,
  })
  await sql.close()
  return sql
}

function problems(ajv: Ajv2020, schema: object, value: unknown): unknown[] {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object
  ajv.validate(absolute, value)
  return ajv.errors ?? []
}
