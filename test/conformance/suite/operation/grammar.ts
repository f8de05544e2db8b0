import { HOSTILE } from './fuzz.ts'

/** As much of a JSON Schema as the API's description uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Schema
    readonly example?: unknown
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
  }
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A request as the grammar has it, with here and there something that it has not. */
export interface DrawnRequest {
  readonly route: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const TEXTS = ['', ' ', 'a', 'prod', '1h', '7d', '0m', '2026-01-31T12:00:00Z', 'é漢😀', '1e3', '-0', 'null']
/** Of all values of a request, those that the grammar does not have: of a wild one, and of a tame one. */
const WRONG = { wild: 0.25, tame: 0.03 }
/** One request in so many is tame. */
const TAME = 0.15
/** Reads of the whole ledger are requested less often than the rest. */
const COSTLY = /^(?:\/v1\/doctor|\/v1\/rollups\/rebuild|\/openapi\.json|\/metrics)$/

/**
 * Requests over every operation of a description. Values of the names that answers gave ids for (`known`) are drawn
 * among those, so that requests reach what is there.
 */
export function grammar(
  description: Description,
  random: () => number,
  known: ReadonlyMap<string, readonly string[]>,
): () => DrawnRequest {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  let wrong = WRONG.wild
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!

  function draw(schema: Schema, name: string, depth = 0): unknown {
    if (random() < wrong) return pick(HOSTILE)
    if (schema.$ref !== undefined) return draw(refOf(schema.$ref), name, depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return pick(schema.enum)
    if (schema.anyOf !== undefined) return draw(pick(schema.anyOf), name, depth)
    const type = Array.isArray(schema.type) ? pick(schema.type as string[]) : schema.type
    if (type === 'object' || schema.properties !== undefined) return drawObject(schema, depth)
    if (type === 'array') return drawArray(schema, name, depth)
    if (type === 'boolean') return random() < 0.5
    if (type === 'null') return null
    if (type === 'integer' || type === 'number') return drawNumber(schema, type)
    return drawText(schema, name)
  }

  function drawObject(
    { properties = {}, required = [], additionalProperties }: Schema,
    depth: number,
  ): unknown {
    const drawn: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(properties)) {
      const wanted = required.includes(name) ? 0.98 : depth > 5 ? 0.1 : 0.5
      if (random() < wanted) drawn[name] = draw(schema, name, depth + 1)
    }
    const more = typeof additionalProperties === 'object' ? additionalProperties : undefined
    for (let n = more === undefined ? 0 : Math.floor(random() * 3); n > 0; n--) {
      drawn[pick(TEXTS)] = draw(more!, '', depth + 1)
    }
    if (random() < 0.02) drawn[pick(['__proto__', 'constructor', 'toString', 'x'])] = pick(HOSTILE)
    return drawn
  }

  function drawArray({ items = {}, minItems = 0 }: Schema, name: string, depth: number): unknown {
    const length = random() < 0.05 ? 40 : minItems + Math.floor(random() * 3)
    return Array.from({ length }, () => draw(items, name.replace(/s$/, ''), depth + 1))
  }

  function drawNumber({ minimum, maximum }: Schema, type: string): number {
    const [least, most] = [minimum ?? -10, maximum ?? 1000]
    const edge = pick([
      least,
      most,
      least - 1,
      most + 1,
      0,
      1,
      least + random() * Math.min(1000, most - least),
    ])
    return type === 'integer' ? Math.round(edge) : edge
  }

  function drawText({ maxLength = 40 }: Schema, name: string): string {
    const there = known.get(name)
    if (there !== undefined && random() < 0.7) return pick(there)
    if (random() < 0.02) return 'x'.repeat(Math.min(maxLength, 20_000) + pick([-1, 0, 1]))
    return pick(TEXTS)
  }

  function refOf(ref: string): Schema {
    return description.components.schemas[ref.split('/').at(-1)!]!
  }

  /** Mostly the example with some of its fields drawn again: input with one fault gets furthest. */
  function drawBody(content: NonNullable<Operation['requestBody']>['content']): [type: string, body: string] {
    const [type, { schema, example }] = pick(Object.entries(content))
    if (random() < 0.01)
      return [type, pick(['', '{', '[]', 'null', '{"a":1,"a":2}', '\u{feff}{}', '[['.repeat(60)])]
    const drawn = draw(schema, '')
    const isObject = typeof drawn === 'object' && drawn !== null && !Array.isArray(drawn)
    const mixed = isObject && typeof example === 'object' && random() < 0.6 ? mix(example, drawn) : drawn
    return [type, JSON.stringify(mixed) ?? '']
  }

  function mix(example: unknown, drawn: object): unknown {
    const kept = Object.entries(drawn).filter(() => random() < 0.15)
    const ids = Object.keys(example as object).filter(name => known.has(name))
    return {
      ...(example as object),
      ...Object.fromEntries(ids.map(name => [name, pick(known.get(name)!)])),
      ...Object.fromEntries(kept),
    }
  }

  return function drawRequest() {
    const first = pick(operations)
    const { path, method, operation } = COSTLY.test(first.path) && random() < 0.9 ? pick(operations) : first
    wrong = random() < TAME ? WRONG.tame : WRONG.wild
    const query: string[] = []
    let filled = path
    for (const { name, in: where, required, schema, example } of operation.parameters ?? []) {
      const isKnown = known.has(name)
      const value = random() < 0.3 && example !== undefined && !isKnown ? example : draw(schema, name)
      const text = encodeURIComponent(textOf(value))
      if (where === 'path') filled = filled.replace(`{${name}}`, text === '' ? 'x' : text)
      else if (where === 'query' && random() < (required ? 0.97 : 0.4)) query.push(`${name}=${text}`)
    }
    const verb = random() < 0.01 ? pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) : method
    const content = operation.requestBody?.content
    const [type, body] = content === undefined || verb === 'GET' || verb === 'HEAD' ? [] : drawBody(content)
    const key = random() < 0.05 ? { 'idempotency-key': pick(['k', 'key-2', 'x'.repeat(300)]) } : {}
    return {
      route: `${method} ${path}`,
      method: verb,
      target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
      headers: { ...(type === undefined ? {} : { 'content-type': type }), ...key },
      body,
    }
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.replaceAll(/[\ud800-\udfff]/g, '').slice(0, 3000)
}
