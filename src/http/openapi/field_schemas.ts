import type { ModelName } from '../../models/all/models.ts'
import { type JsonSchema, NO_NUL } from '../../models/schemas.ts'
import type { Field, Fields } from '../endpoint/fields.ts'

/** The schema of a flat body. Models that it names are added to `used`. */
export function schemaOfFields(fields: Fields, used: Set<ModelName>): JsonSchema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, field]) => [
        name,
        { description: field.description, ...schemaOfField(field, used) },
      ]),
    ),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
    additionalProperties: false,
  }
}

/** The schema of one field: of such a body, of a query or of a path. */
export function schemaOfField(field: Field<unknown>, used: Set<ModelName> = new Set()): JsonSchema {
  const schema = schemaOfValue(field, used)
  return field.nullable ? { anyOf: [schema, { type: 'null' }] } : schema
}

function schemaOfValue(field: Field<unknown>, used: Set<ModelName>): JsonSchema {
  const { kind, values, min, max, clamp, maxBytes, documented, filled, model } = field
  const fallback = field.default === undefined ? {} : { default: field.default }
  if (kind === 'document') return reference(model!, used)
  if (kind === 'flag') return { type: 'boolean', ...fallback }
  if (kind === 'list') return { type: 'array', items: itemOf(field), minItems: 1, ...mostOf(field) }
  if (kind === 'integer') {
    // A clamped number may be any: it is moved into the range.
    const range = clamp === true ? {} : { minimum: min, maximum: max }
    return { type: 'integer', format: 'int64', ...range, ...fallback }
  }
  return {
    type: 'string',
    ...(values === undefined ? {} : { enum: values }),
    ...(values === undefined ? { pattern: patternOf(field) } : {}),
    ...(filled === true ? { minLength: 1 } : {}),
    ...(maxBytes === undefined || documented !== undefined ? {} : { maxLength: maxBytes }),
  }
}

/** An entry of a list: of a table, or a name. */
function itemOf({ values, ...field }: Field<unknown>): JsonSchema {
  if (values !== undefined) return { type: 'string', enum: values }
  return { type: 'string', pattern: patternOf(field), minLength: 1, maxLength: field.maxBytes }
}

function mostOf({ most }: Field<unknown>): JsonSchema {
  return most === undefined ? {} : { maxItems: most }
}

function patternOf({ pattern, documented, plain, actor }: Field<unknown>): string {
  if (actor === true) return ACTOR_PATTERN
  return pattern?.source ?? documented ?? (plain === true ? UNDISGUISED : NO_NUL)
}

/**
 * No blanks around it and no invisible characters, as `isDisguised` finds them: Unicode Cc, and Cf of the first plane,
 * and letters that show nothing, written out, because not every reader of JSON Schema knows Unicode's categories. Not
 * described are variation selectors, which are taken where they select anything.
 */
const INVISIBLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2' +
  '\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'
const UNDISGUISED = `^[^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?$`

/** Who asks, in a header or a body: what is left without the blanks around it. Nothing is nobody. */
export const ACTOR_PATTERN = `^\\s*([^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?)?\\s*$`

/** A reference to a model, which is added to `used`. */
export function reference(name: ModelName, used: Set<ModelName>): JsonSchema {
  used.add(name)
  return { $ref: `#/components/schemas/${name}` }
}
