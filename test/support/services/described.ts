import type { AnyModel } from '../../../src/models/model.ts'
import { expect } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { answersOf } from '../../../src/http/openapi/openapi.ts'
import { loadModel } from '../../../tools/models.ts'
import type { ModelName } from '../../../src/models/all/models.ts'
import { recordAnswer } from '../corpus.ts'
import type { Answer, Call } from './call.ts'

/** The same call; it fails where what is answered is not what the API's description says, or says more than it. */
export function described(call: Call): Call {
  return async (route, options) => {
    const answer = await call(route, options)
    recordAnswer('request', route, options, answer)
    await expectDescribed(route, answer)
    return answer
  }
}

const MATCHERS = Object.entries(routes).map(([route, load]) => ({
  matches: new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+')}$`),
  load,
}))

/** What the server answers before a request has come to an endpoint, and when one fails inside. */
const OF_ANY_REQUEST: Readonly<Record<number, ModelName>> = {
  400: 'ErrorText',
  414: 'ErrorText',
  500: 'ErrorText',
}

/** Paths that a route names outright: they are nobody's parameter. */
const NAMED = new Set(Object.keys(routes).map(route => route.split(' ')[1]!))

async function expectDescribed(route: string, { status, headers, body }: Answer): Promise<void> {
  const isNamed = NAMED.has(route.split(' ')[1]!) && !Object.hasOwn(routes, route)
  const endpoint = isNamed ? undefined : await MATCHERS.find(({ matches }) => matches.test(route))?.load()
  if (endpoint === undefined) return
  const model = answersOf(endpoint.default.spec)[status] ?? OF_ANY_REQUEST[status]
  if (typeof model === 'object' || headers.get('content-type') === 'application/x-protobuf') return
  expect(model, `${route} answers ${status}, of which its description says nothing`).toBeDefined()
  const checked: unknown = (await closedModel(model!))(body)
  if (checked === body) return
  expect(checked, `${route} ${status}: not the ${model} that its description says`).toEqual(body)
}

const closed = new Map<ModelName, AnyModel>()

/** A model that takes only what it declares. */
async function closedModel(name: ModelName): Promise<AnyModel> {
  const made = closed.get(name) ?? (await loadModel(name)).onDeepUndeclaredKey('reject')
  closed.set(name, made)
  return made
}
