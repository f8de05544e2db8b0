import { type as ark } from 'arktype'
import { checkBy } from '../../../src/models/all/check.ts'
import type { AnyModel } from '../../../src/models/model.ts'
import { type Checked, type Problem, UNKNOWN_FIELD } from '../../../src/models/checks.ts'

/** What arktype itself says of a value, as `check` of src/models/all/check.ts has to say it. */
export function checkByArktype<T extends AnyModel>(model: T, value: unknown): Checked<T['infer']> {
  return checkBy(
    {
      fits: given => model.allows(given),
      explained: given => {
        const result: unknown = model(given)
        return result instanceof ark.errors ? toProblems(result) : []
      },
      filled: given => model.assert(given),
    },
    value,
  )
}

function toProblems(errors: InstanceType<typeof ark.errors>): Problem[] {
  return errors
    .flatMap(error => error.flat)
    .map(error => ({
      path: [...error.path].map(plainKey),
      message: shortened(messageOf(error)),
      type: TYPES[error.code as keyof typeof TYPES] ?? error.code,
    }))
}

const MAX_MESSAGE_CHARS = 300

const TYPES = {
  required: 'missing',
  domain: 'type',
  proto: 'type',
  union: 'type',
  unit: 'value',
  divisor: 'integer',
  min: 'minimum',
  max: 'maximum',
  minLength: 'too_short',
  maxLength: 'too_long',
  predicate: 'value',
} as const

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key)
}

function messageOf({ code, message, problem, actual }: ArkProblem): string {
  if (code === 'required') return 'is required'
  if (code === 'predicate' && actual === '' && message.endsWith('must be removed')) {
    return UNKNOWN_FIELD
  }
  // arktype repeats the path inside the problem of a union
  const at = problem.indexOf('must be ')
  return at > 0 ? problem.slice(at) : problem
}

/** arktype shows the whole value that was given, however long. */
function shortened(message: string): string {
  return message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message
}

interface ArkProblem {
  readonly code: string
  readonly message: string
  readonly problem: string
  readonly actual: string
}
