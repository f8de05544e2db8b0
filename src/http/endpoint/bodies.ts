import type { FieldProblem } from '../../base/errors.ts'
import { type CheckedName, checkDocument } from '../../models/all/check.ts'
import type { ModelName, ModelValue } from '../../models/all/models.ts'
import type { RequestLike } from '../wire/message.ts'
import { type JsonBody, soundValue } from './json_body.ts'
import { problemsIn, readPart, shapesOf } from './read_input.ts'

/** What a body has to be that is no flat one of an input. `kind` and its model are there for the OpenAPI description. */
export type Body<T> = JsonKind<T> | BytesKind<T>

type JsonKind<T> = (
  | { readonly kind: 'fields' }
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

/** The model that says what a body has to be, of one that is no flat one. */
export function modelOf(body: Body<unknown>): ModelName {
  if (body.kind === 'document') return body.model
  if (body.kind !== 'fields') return body.shape
  throw new Error('the fields of a flat body are in its input')
}

interface Declared {
  readonly takes?: string | undefined
  readonly body?: Body<unknown>
  readonly maxBytes?: number
}

/** The flat body of an input, or the body that an endpoint declares itself. */
export function bodyOf(spec: Declared): Body<unknown> | undefined {
  const shapes = shapesOf(spec)
  if (shapes.body === undefined) return spec.body
  return {
    kind: 'fields',
    maxBytes: spec.maxBytes ?? (shapes.documents === undefined ? FIELDS_BYTES : DOCUMENT_BYTES),
    read: async body => {
      const json = soundValue(body)
      if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
        const { values, problems } = await readPart(shapes, 'body', { ...json })
        return { value: values, problems }
      }
      return { value: {}, problems: [{ loc: ['body'], msg: 'must be a JSON object', type: 'dict_type' }] }
    },
  }
}

/** A whole document of the specification. */
export function documentBody<N extends CheckedName>(model: N): Body<ModelValue<N>> {
  return {
    kind: 'document',
    model,
    maxBytes: FIELDS_BYTES,
    read: async body => {
      const checked = await checkDocument(model, soundValue(body))
      if (checked.ok) return { value: checked.value, problems: [] }
      return { value: undefined as never, problems: problemsIn(checked.problems, 'body') }
    },
  }
}

/** Whatever JSON comes; the endpoint looks at it itself. `shape` is what it says it takes. */
export function uncheckedBody(shape: ModelName): Body<JsonBody> {
  return { kind: 'any', shape, read: async body => ({ value: body, problems: [] }) }
}
