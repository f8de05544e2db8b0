import { assign, isCandidate, userUnit } from '../../src/base/assignment.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { type JsonBody, soundValue } from '../../src/http/endpoint/bodies.ts'
import { type Reply, json } from '../../src/http/wire/message.ts'
import type { Flag, Pointer } from '../../src/features/deploys/models.ts'
import { type Fields, isFields } from '../../src/models/checks.ts'

interface Context {
  readonly environment: string | undefined
  /** What a rollout assigns by. */
  readonly targetingKey: string | undefined
}

/** Throws 400 for an invalid context. */
export function contextIn(body: JsonBody): Context {
  const { context = {} } = objectIn('body', soundValue(body))
  const { environment, targetingKey } = objectIn('context', context)
  return {
    environment: textIn('environment', environment),
    targetingKey: textIn('targetingKey', targetingKey),
  }
}

function textIn(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new ServiceError(400, `The ${name} of the context must be a string.`)
}

function objectIn(name: string, value: unknown): Fields {
  if (isFields(value)) return value
  throw new ServiceError(400, `The ${name} must be an object.`)
}

/** The release that an agent is to run, as the value of a flag: what is promoted, or what a rollout assigns the key. */
export async function flagOf(
  { agent_id, release_id, version, split }: Pointer,
  { targetingKey = '' }: Pick<Context, 'targetingKey'>,
): Promise<Flag> {
  const live = { key: agent_id, value: release_id, variant: version }
  if (split === undefined) return { ...live, reason: 'STATIC' }
  if (targetingKey === '') return { ...live, reason: 'DEFAULT' }
  const { rollout_id, by, share, assignment_key } = split
  const unit = by === 'user' ? await userUnit(assignment_key!, targetingKey) : targetingKey
  const arm = isCandidate(await assign(rollout_id, unit), share) ? 'candidate' : 'baseline'
  return {
    key: agent_id,
    value: split[arm].release_id,
    reason: 'SPLIT',
    variant: split[arm].version,
    metadata: { rollout_id, arm, ...(by === 'user' ? { unit } : {}) },
  }
}

/** Errors that a client of the protocol reads; what access and limits refuse stays as it is. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_CONTEXT',
  404: 'FLAG_NOT_FOUND',
  422: 'PARSE_ERROR',
}

/** An error as OFREP has it; `key` is the flag, where the request is about one. */
export function asFlagError(error: Reply, key: { readonly key?: string }): Reply {
  const errorCode = CODES[error.status]
  if (errorCode === undefined) return error
  const { detail } = JSON.parse(error.body as string) as { detail: unknown }
  const errorDetails = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return json({ ...key, errorCode, errorDetails }, error.status === 422 ? 400 : error.status)
}
