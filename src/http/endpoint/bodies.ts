import type { FieldProblem } from '../../base/errors.ts'
import type { CheckedName } from '../../models/all/check.ts'
import type { ModelName, ModelValue } from '../../models/all/models.ts'
import { type Fields, type Values, document, readFields } from './fields.ts'
import type { RequestLike } from '../wire/message.ts'
import { type JsonBody, soundValue } from './json_body.ts'

/** What a body has to be. `kind` and its table are there for the OpenAPI description. */
export type Body<T> = JsonKind<T> | BytesKind<T>

type JsonKind<T> = (
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'document'; readonly model: ModelName }
  | { readonly kind: 'any'; readonly shape: ModelName }
) & {
  /** Most bytes it may have; the service's own limit where it is absent. */
  readonly maxBytes?: number
  readonly read: (body: JsonBody) => Promise<{ value: T; problems: readonly FieldProblem[] }>
}

/** A body that may be something else than JSON; `read` is given it as it came, and throws for what it is not. */
interface BytesKind<T> {
  readonly kind: 'bytes'
  /** What it is as JSON. */
  readonly shape: ModelName
  /** Content types it may have in addition to JSON. */
  readonly types: readonly string[]
  readonly maxBytes?: number
  readonly read: (bytes: Uint8Array<ArrayBuffer>, headers: RequestLike['headers']) => T
}

/** Enough for every field of a request at its longest, escaped, and for a policy. */
const FIELDS_BYTES = 256 * 1024

/** Enough for the longest document that a command reads from a file. */
const DOCUMENT_BYTES = 4 * 1024 * 1024

/** A JSON object of named fields; one that is not in the table is refused. */
export function fieldsBody<const F extends Fields>(fields: F): Body<Values<F>> {
  return {
    kind: 'fields',
    fields,
    maxBytes: Object.values(fields).some(({ kind }) => kind === 'document') ? DOCUMENT_BYTES : FIELDS_BYTES,
    read: async body => {
      const json = soundValue(body)
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
      const { values, problems } = await readFields(fields, 'body', isObject ? { ...json } : {})
      const shape = { loc: ['body'], msg: 'must be a JSON object', type: 'dict_type' }
      return { value: values, problems: isObject ? problems : [shape] }
    },
  }
}

/** A whole document of the specification. */
export function documentBody<N extends CheckedName>(model: N): Body<ModelValue<N>> {
  const fields = { document: document(model, '') }
  return {
    kind: 'document',
    model,
    maxBytes: FIELDS_BYTES,
    read: async body => {
      const { values, problems } = await readFields(fields, 'body', { document: soundValue(body) })
      return {
        value: values.document,
        problems: problems.map(({ loc: [source, , ...path], ...rest }) => ({
          loc: [source!, ...path],
          ...rest,
        })),
      }
    },
  }
}

/** Whatever JSON comes; the endpoint looks at it itself. `shape` is what it says it takes. */
export function uncheckedBody(shape: ModelName): Body<JsonBody> {
  return { kind: 'any', shape, read: async body => ({ value: body, problems: [] }) }
}
