import { Validator } from '@seriousme/openapi-schema-validator'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../handlers/index.ts'
import type { ApiExample } from '../../../src/http/openapi/examples.ts'
import examples from '../../../src/http/openapi/api_examples.json' with { type: 'json' }
import { apiDescription } from '../../../src/runtime/description.ts'
import { openLibsqlWorker } from '../../../src/sql/libsql/worker.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { playScenario } from '../../support/services/api_scenario.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { testService } from '../../support/services/service.ts'
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

let document: OpenApi

beforeAll(async () => {
  document = JSON.parse(await apiDescription('0.0.0-test')()) as OpenApi
})

function operations(): [RouteName, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [RouteName, Operation] => [
      `${method.toUpperCase()} ${path}` as RouteName,
      operation,
    ]),
  )
}

describe('the OpenAPI description', () => {
  test('is served to everybody', async () => {
    const { status, headers, body } = await (await testService()).call('GET /openapi.json')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual(document)
  })

  test('is valid by the official schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...document })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
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
      const exempt = ['GET /docs', 'GET /openapi.json'].includes(route)
      for (const content of shown) {
        for (const media of Object.values(content)) expect('example' in media || exempt, route).toBe(true)
      }
    }
  })

  test('asks for the token where the service does', async () => {
    for (const [route, { security }] of operations()) {
      const { default: endpoint } = await routes[route]()
      expect(security, route).toEqual(endpoint.spec.access === 'open' ? [] : [{ token: [] }, {}])
    }
  })
})

describe('the examples', () => {
  test('are what a real server answers; `npm run generate` writes them anew', async () => {
    const plain = await socketService({ send: async () => ({ status: 200, text: 'thanks' }) })
    const { sql } = plain
    const played = await playScenario({
      plain,
      approving: await socketService({
        sql,
        workspace: { promotion_requires_approval: true },
        firstId: 0x1000,
      }),
      guarded: await socketService({ sql, tokens: { main: 'secret' } }),
      narrow: await socketService({ sql, maxBodyBytes: 16 }),
      down: await socketService({ sql: await closedLedger() }),
    })
    await expect(`${JSON.stringify(played, null, 2)}\n`).toMatchFileSnapshot(
      '../../../src/http/openapi/api_examples.json',
    )
  })

  test('and call every endpoint', () => {
    const called = new Set((examples as ApiExample[]).map(example => example.route))
    const exempt = new Set(['GET /docs', 'GET /openapi.json'])
    expect(Object.keys(routes).filter(route => !called.has(route) && !exempt.has(route))).toEqual([])
  })

  test('have the shapes that the description says, requests that succeed and all answers', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'api', ...document })
    for (const { route, request, status, response } of examples) {
      const [method, path] = route.split(' ') as [string, string]
      const operation = document.paths[path]![method.toLowerCase()]!
      const answer = operation.responses[String(status)]
      expect(answer, `${route} ${status}`).toBeDefined()
      const schema = answer!.content!['application/json']?.schema
      if (schema !== undefined) expect(problems(ajv, schema, response), `${route} ${status}`).toEqual([])
      const body = operation.requestBody?.content['application/json']?.schema
      if (body !== undefined && status === 200) expect(problems(ajv, body, request.body), route).toEqual([])
    }
  })
})

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
