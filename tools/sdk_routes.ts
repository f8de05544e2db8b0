import { routes } from '../handlers/index.ts'
import { bodyOf, modelOf } from '../src/http/endpoint/bodies.ts'
import type { Endpoint } from '../src/http/endpoint/endpoint.ts'
import { namesIn, shapesOf } from '../src/http/endpoint/read_input.ts'
import { type EndpointSpec, readsOnly } from '../src/http/endpoint/spec.ts'
import type { Plain } from '../src/models/shape.ts'
import { titleOf } from './sdk_types.ts'

/**
 * The table of routes that clients go by, as TypeScript: what the specification of each endpoint says of it. The types are
 * those that `sdkTypes` writes.
 */
export async function sdkRoutes(): Promise<string> {
  const endpoints = await Promise.all(Object.values(routes).map(async load => (await load()).default))
  return `// Generated from handlers by \`npm run generate\`, and never edited.
import type * as Api from './types.ts'

/** What each route of the service takes besides the names in its path, and what it answers. */
export interface Routes {
${endpoints.map(typesOf).join('\n')}
}

/** What a sender has to know of routes; those that are not here change something, or are GETs. */
export const FACTS = {
${endpoints.flatMap(factsOf).join('\n')}
} as const

export const RECORDS_ACTOR: ReadonlySet<string> = new Set([
${endpoints.flatMap(({ route, spec }) => (spec.recordsActor === true ? [`  '${route}',`] : [])).join('\n')}
])
`
}

function typesOf({ route, spec, operationId }: Endpoint): string {
  const { query, body } = shapesOf(spec)
  const title = titleOf(operationId)
  const own = bodyOf(spec)
  const members = [
    ...member('query', query, `Api.${title}Query`),
    ...member('body', body, `Api.${title}Body`),
    ...(own === undefined || own.kind === 'fields' ? [] : [`body: Api.${modelOf(own)}`]),
    `answer: ${answerOf(spec.answers)}`,
  ]
  return `  '${route}': { ${members.join('; ')} }`
}

/** A query or body may be left out where none of its fields is required. */
function member(name: string, shape: Plain | undefined, type: string): string[] {
  if (namesIn(shape).length === 0) return []
  return [`${name}${shape?.required === undefined ? '?' : ''}: ${type}`]
}

function answerOf(answers: EndpointSpec['answers']): string {
  const good = Object.entries(answers).filter(([status]) => status.startsWith('2'))
  // A redirect has no body.
  if (good.length === 0) return 'string'
  return good.map(([, answer]) => (typeof answer === 'string' ? `Api.${answer}` : 'string')).join(' | ')
}

function factsOf({ route, spec }: Endpoint): string[] {
  if (route.startsWith('GET ')) return []
  const { idempotent, repeatable } = spec
  const facts = { readsOnly: readsOnly(route, spec), idempotent, repeatable }
  const named = Object.entries(facts).flatMap(([name, holds]) => (holds === true ? [`${name}: true`] : []))
  return named.length === 0 ? [] : [`  '${route}': { ${named.join(', ')} },`]
}
