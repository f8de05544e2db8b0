/** A value of the JSON error body's `detail`: a sentence, the list of a 422, or a policy block. */
export type ErrorDetail = string | readonly FieldProblem[] | Readonly<Record<string, unknown>>

/** One entry of a 422 body. `loc` starts with `body`, `query`, `path` or `header`. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/**
 * An error the caller is meant to read: HTTP answers `status` with `{detail}`, the CLI prints it and exits 1.
 * Everything else that is thrown is logged and masked as a 500.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  readonly detail: ErrorDetail
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    detail: ErrorDetail,
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail), { cause: options.cause })
    this.status = status
    this.detail = detail
    this.headers = options.headers ?? {}
  }
}

/** An operation that can't be done as requested (specification, Errors): status 400. */
export function badRequest(message: string, cause?: unknown): ServiceError {
  return new ServiceError(400, message, { cause })
}

/** Most problems that one answer lists: an answer must not be many times its request. */
const MOST_PROBLEMS = 50

/** Input of the wrong shape: status 422 with one entry per problem, the first of them where there are many. */
export function unprocessable(problems: readonly FieldProblem[]): ServiceError {
  const more = problems.length - MOST_PROBLEMS
  if (more <= 0) return new ServiceError(422, problems)
  const rest = { loc: problems[0]!.loc.slice(0, 1), msg: `and ${more} more problems`, type: 'more' }
  return new ServiceError(422, [...problems.slice(0, MOST_PROBLEMS), rest])
}
