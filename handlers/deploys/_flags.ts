import { ServiceError } from '../../src/base/errors.ts'
import type { JsonBody } from '../../src/http/endpoint/json_body.ts'
import { soundValue } from '../../src/http/endpoint/json_body.ts'
import { type Reply, json } from '../../src/http/wire/message.ts'
import type { Pointer } from '../../src/features/deploys/models.ts'
import { type Fields, isFields } from '../../src/models/fields.ts'

/** The environment that a flag is asked for in. Throws 400 for a context that is none. */
export function environmentIn(body: JsonBody): string | undefined {
  const { context = {} } = objectIn('body', soundValue(body))
  const { environment } = objectIn('context', context)
  if (environment === undefined || typeof environment === 'string') return environment
  throw new ServiceError(400, 'The environment of the context must be a string.')
}

function objectIn(name: string, value: unknown): Fields {
  if (isFields(value)) return value
  throw new ServiceError(400, `The ${name} must be an object.`)
}

/** The promoted release of an agent as the value of a flag. */
export function flagOf({ agent_id, release_id, version }: Pointer) {
  return { key: agent_id, value: release_id, reason: 'STATIC', variant: version }
}

/** Errors that a client of the protocol reads; what access and limits refuse stays as it is. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_CONTEXT',
  404: 'FLAG_NOT_FOUND',
  422: 'PARSE_ERROR',
}

/** An error as OFREP has it; `key` is the flag that was asked for, where it was one. */
export function asFlagError(error: Reply, key: { readonly key?: string }): Reply {
  const errorCode = CODES[error.status]
  if (errorCode === undefined) return error
  const { detail } = JSON.parse(error.body as string) as { detail: unknown }
  const errorDetails = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return json({ ...key, errorCode, errorDetails }, error.status === 422 ? 400 : error.status)
}
