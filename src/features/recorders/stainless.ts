import type { ModelCall } from './run.ts'
import { type Tap, quietly, tapped } from './tap.ts'

/** What the SDKs of OpenAI and Anthropic return for a request: they are made by one generator. */
interface ApiPromise extends PromiseLike<unknown> {
  _thenUnwrap?(transform: (value: unknown) => unknown): ApiPromise
}

interface ApiStream extends AsyncIterable<unknown> {
  iterator?: () => AsyncIterator<unknown>
}

type Create = (...args: readonly unknown[]) => ApiPromise

/** A resource of such a client, as far as it is replaced. */
export interface Resource {
  create: Create
}

/** How one method is counted. */
export interface Counting {
  /** Begins a call with the parameters of the method. */
  readonly begin: (params: Params) => ModelCall
  /** What to ask for instead. */
  readonly ask?: (params: Params) => Params
  /** Takes the tokens of an answer. */
  readonly answered: (answer: never, call: ModelCall) => void
  readonly stream: (call: ModelCall, params: Params) => Tap<never>
}

export interface Params {
  readonly model?: unknown
  readonly stream?: unknown
  readonly [field: string]: unknown
}

/**
 * Counts the calls of `resource.create`, on which the SDK's own helpers for streams, parsing and tools build. What is
 * returned stays the SDK's own promise, with its `withResponse` and the like.
 */
export function countCreate(resource: Resource, counting: Counting): void {
  const create = resource.create.bind(resource)
  resource.create = function countedCreate(first, ...rest) {
    const params = (typeof first === 'object' && first !== null ? first : {}) as Params
    const call = counting.begin(params)
    let promise: ApiPromise
    try {
      promise = create(counting.ask?.(params) ?? first, ...rest)
    } catch (error) {
      call.failed()
      throw error
    }
    const watched = (answer: unknown): unknown => {
      if (isStream(answer)) return tapStream(answer, counting.stream(call, params) as Tap<unknown>)
      quietly(() => counting.answered(answer as never, call))
      return answer
    }
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the only way that leaves the SDK's own promise whole
    const wrapped = promise._thenUnwrap?.(watched) ?? promise
    // Its own failure is for who awaits it.
    void promiseOf(promise, wrapped).then(undefined, (error: unknown) => call.failed(error))
    return wrapped
  }
}

/** Settles once it is known whether the request failed, without reading its body. */
function promiseOf(promise: ApiPromise & { asResponse?: () => Promise<unknown> }, wrapped: ApiPromise) {
  return promise.asResponse?.() ?? wrapped
}

function isStream(answer: unknown): answer is ApiStream {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

/** The same stream object, whose items are looked at; its branches made by `tee` share one look. */
function tapStream(stream: ApiStream, tap: Tap<unknown>): ApiStream {
  const { iterator } = stream
  if (typeof iterator !== 'function') return tapped(stream, tap)
  const source = { [Symbol.asyncIterator]: iterator.bind(stream) }
  stream.iterator = () => tapped(source, tap)
  return stream
}
