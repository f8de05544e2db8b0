import { PART_NAMES } from '../../models/api_schemas.ts'
import type { JsonSchema } from '../../models/schemas.ts'

/** As much of a description as is looked at here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas; readonly [part: string]: unknown }
  readonly [part: string]: unknown
}

type Schemas = Readonly<Record<string, JsonSchema>>

interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
  readonly responses: Readonly<Record<string, object>>
}

interface Parameter {
  readonly name: string
  readonly in: string
}

/** Longest JSON of what is repeated rather than shared. */
const SHORT = 200

/**
 * The same description, in which what several places have is a component: schemas of objects and of texts with long
 * patterns, headers, and answers such as those to a wrong token. Each place keeps its own description and default. So
 * the text is half as long, and generators of clients make one type of a part.
 */
export function withSharedParts(document: Description): Description {
  const { paths, components } = document
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  const names = schemaNames([...Object.entries(components.schemas), ...operations.flatMap(bodyOf)])
  const inside = (schema: JsonSchema): JsonSchema => mapParts(schema, part => shared(part))
  const shared = (schema: JsonSchema): JsonSchema => {
    const name = names.get(keyOf(schema))?.name
    if (name === undefined) return inside(schema)
    const { description, default: value } = schema
    return {
      ...(description === undefined ? {} : { description }),
      ...(value === undefined ? {} : { default: value }),
      $ref: `#/components/schemas/${name}`,
    }
  }
  const parts = [...names.values()].flatMap(({ name, schema }): [string, JsonSchema][] =>
    name in components.schemas ? [] : [[name, inside(bare(schema))]],
  )
  const headers = repeated(
    operations.flatMap(({ parameters }) => parameters.filter(one => one.in === 'header')),
    ({ name }) => pascalCase(name),
  )
  const answers = repeated(
    operations.flatMap(({ responses }) =>
      Object.entries(responses).filter(([status]) => status in ANSWER_NAMES),
    ),
    ([status]) => `${ANSWER_NAMES[status]!}Answer`,
  )
  function operationOf(operation: Operation): Operation {
    const { parameters, requestBody, responses } = operation
    return {
      ...operation,
      parameters: parameters.map(one => referenceTo('parameters', headers.get(JSON.stringify(one))) ?? one),
      ...(requestBody === undefined
        ? {}
        : {
            requestBody: {
              ...requestBody,
              content: mapValues(requestBody.content, one => ({ ...one, schema: shared(one.schema) })),
            },
          }),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, one]) => [
          status,
          referenceTo('responses', answers.get(JSON.stringify([status, one]))) ?? one,
        ]),
      ),
    }
  }
  return {
    ...document,
    paths: mapValues(paths, methods => mapValues(methods, operationOf)),
    components: {
      ...components,
      schemas: { ...mapValues(components.schemas, inside), ...Object.fromEntries(parts.toSorted(byName)) },
      parameters: Object.fromEntries(Array.from(headers, ([json, name]) => [name, JSON.parse(json)])),
      responses: Object.fromEntries(
        Array.from(answers, ([json, name]) => [name, (JSON.parse(json) as [string, object])[1]]),
      ),
    },
  }
}

/**
 * Names of answers by their status, each with `Answer` behind it, as generators of clients take no name twice. Of each
 * status the most frequent answer is shared.
 */
const ANSWER_NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Blocked',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  503: 'ServiceUnavailable',
}

function bodyOf({ operationId, requestBody }: Operation): [string, JsonSchema][] {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined || '$ref' in schema ? [] : [[`${pascalCase(operationId)}Body`, schema]]
}

interface Part {
  readonly name: string
  readonly schema: JsonSchema
}

/**
 * The names of schemas that several places have, by what they say. A model has its own name, other parts that of
 * `PART_NAMES` and `TEXT_NAMES` for one of their places, or that of the first place.
 */
function schemaNames(declared: readonly (readonly [string, JsonSchema])[]): ReadonlyMap<string, Part> {
  const found = new Map<string, { readonly schema: JsonSchema; readonly places: string[] }>()
  function visit(schema: JsonSchema, place: string): void {
    const key = keyOf(schema)
    if (isPart(schema) && key.length > SHORT) {
      const known = found.get(key)
      known?.places.push(place)
      if (known !== undefined) return
      found.set(key, { schema, places: [place] })
    }
    visitParts(schema, place, visit)
  }
  // A model that another one holds has its own name, and those of its parts go by its own places.
  for (const [name, schema] of declared) {
    const known = found.get(keyOf(schema))
    if (known === undefined) found.set(keyOf(schema), { schema, places: [name] })
    else known.places.push(name)
  }
  for (const [name, schema] of declared) visitParts(schema, name, visit)
  const models = new Set(declared.map(([name]) => name))
  const named = [...found].flatMap(([key, { schema, places }]): [string, Part][] => {
    if (places.length === 1) return []
    const model = places.find(place => models.has(place) && !place.endsWith('Body'))
    const name = model ?? places.map(place => PART_NAMES[place] ?? TEXT_NAMES[place]).find(Boolean)
    return [[key, { name: name ?? pascalCase(places[0]!), schema }]]
  })
  const taken = named.map(([, { name }]) => name)
  const twice = taken.filter((name, index) => taken.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`parts of one name: ${twice.join(', ')}`)
  return new Map(named)
}

/**
 * An object with fields of its own, or a text with a pattern. Lists of values are none: openapi-generator makes constants
 * of a named one, and those of two lists that have a value in common clash in Go.
 */
function isPart({ properties, pattern }: JsonSchema): boolean {
  return properties !== undefined || pattern !== undefined
}

const keys = new WeakMap<JsonSchema, string>()

/** What a schema says, without what a place says of it. Parts of models are the same objects, so each is written once. */
function keyOf(schema: JsonSchema): string {
  const key = keys.get(schema) ?? JSON.stringify(bare(schema))
  keys.set(schema, key)
  return key
}

function bare({
  title: _title,
  description: _about,
  default: _value,
  examples: _shown,
  ...rest
}: JsonSchema): JsonSchema {
  return rest
}

function visitParts(
  schema: JsonSchema,
  place: string,
  visit: (part: JsonSchema, place: string) => void,
): void {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  for (const [name, part] of Object.entries(properties)) visit(part, `${place}.${name}`)
  for (const part of [...anyOf, items, additionalProperties]) if (typeof part === 'object') visit(part, place)
}

function mapParts(schema: JsonSchema, made: (part: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: mapValues(properties, made) }),
    ...(items === undefined ? {} : { items: made(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(made) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: made(additionalProperties) } : {}),
  }
}

/** Of each name the value that is there most often, by its JSON; more than once, at least. */
function repeated<T>(values: readonly T[], nameOf: (value: T) => string): ReadonlyMap<string, string> {
  return new Map(
    [...Map.groupBy(values, nameOf)].flatMap(([name, all]): [string, string][] => {
      const groups = [...Map.groupBy(all, value => JSON.stringify(value))]
      const [json, { length }] = groups.reduce((most, group) =>
        group[1].length > most[1].length ? group : most,
      )
      return length === 1 ? [] : [[json, name]]
    }),
  )
}

function referenceTo<T>(part: string, name: string | undefined): T | undefined {
  return name === undefined ? undefined : ({ $ref: `#/components/${part}/${name}` } as T)
}

function mapValues<A, B>(values: Readonly<Record<string, A>>, made: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, made(value)]))
}

/** `DiffReport.policy_scope` → `DiffReportPolicyScope` */
function pascalCase(text: string): string {
  return text.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/**
 * Names of texts with long patterns, and of bodies, that several places have in the API's description alone. Those of objects,
 * `PART_NAMES`, are next to their models.
 */
export const TEXT_NAMES: Readonly<Record<string, string>> = {
  'PromoteReleaseBody.actor': 'ActorName',
  'PromoteReleaseBody.environment': 'EnvironmentName',
  RolloutsPauseBody: 'RolloutReason',
}
