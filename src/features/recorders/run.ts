import { type RunUsage, usageOf } from '../../spans/event.ts'
import { type PriceNames, pricedParts } from './priced.ts'
import type { ModelUse } from '../../spans/use.ts'
import { type TokenCounts, UsageError, sumCounts } from '../../usage/counts.ts'
import type { Note } from './usage.ts'

/** One call of a model. Of its `counted` and `failed` the first counts, and the run waits for either. */
export interface ModelCall {
  /** Takes its tokens; where `read` throws, the usage of the run is incomplete. `model` is the name that answered. */
  readonly counted: (read: (note: Note) => TokenCounts, model?: string) => void
  /** It came to nothing; where the error doesn't say that nothing is billed, the usage of the run is incomplete. */
  readonly failed: (error?: unknown) => void
}

/** What is measured of a run. */
export interface Measured {
  readonly timestamp: string
  readonly metrics: {
    readonly success: boolean
    readonly latency_ms: number
    readonly error_type: string | null
  }
  readonly usage: RunUsage
}

/**
 * One run under way. It becomes an event when it has ended, and each of its calls too: a stream may be read after the
 * function that began it has returned. Nothing here throws.
 */
export class RunRecord {
  readonly #add: (measured: Measured) => void
  readonly #names: PriceNames
  readonly #report: (problem: string, isLeftOut: boolean) => void
  readonly #startedAt = performance.now()
  readonly #parts: ModelUse[] = []
  #called: Pick<ModelUse, 'models' | 'provider'> | undefined
  #open = 0
  #ended: { readonly errorType: string | null } | undefined
  #problem: string | undefined
  #isRecorded = false

  constructor(
    add: (measured: Measured) => void,
    names: PriceNames,
    report: (problem: string, isLeftOut: boolean) => void,
  ) {
    this.#add = add
    this.#names = names
    this.#report = report
  }

  /** Begins a call of a model, by the requested name. */
  call(provider: string | undefined, model: unknown): ModelCall {
    const requested = typeof model === 'string' && model !== '' ? [model] : []
    if (this.#isRecorded) this.#report(TOO_LATE, false)
    this.#called ??= { provider, models: requested }
    this.#open += 1
    let isOpen = true
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      this.#open -= 1
      this.#record()
    }
    return {
      counted: (read, answered) => {
        if (isOpen) this.#count(provider, answered === undefined ? requested : [...requested, answered], read)
        close()
      },
      failed: error => {
        if (isOpen && error !== undefined && !isUnbilled(error)) this.#problem ??= CUT_OFF
        close()
      },
    }
  }

  end(): void {
    this.#end(null)
  }

  /** Ends the run as failed; the class of the error is its `error_type`. */
  fail(error: unknown): void {
    this.#end(classOf(error))
  }

  #end(errorType: string | null): void {
    this.#ended ??= { errorType }
    this.#record()
    if (this.#isRecorded) return
    const timer: unknown = setTimeout(() => this.#giveUp(), MOST_WAITED_MS)
    // A program that has nothing else to do need not stay for it.
    ;(timer as { unref?: () => void }).unref?.()
  }

  #giveUp(): void {
    if (this.#open > 0) this.#problem ??= 'the answer of a model was not read within 10 minutes of its run'
    this.#open = 0
    this.#record()
  }

  #count(provider: string | undefined, models: readonly string[], read: (note: Note) => TokenCounts): void {
    let counts: TokenCounts | undefined
    try {
      counts = read(problem => this.#report(problem, false))
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : String(error)
      counts = error instanceof UsageError ? error.known : undefined
    }
    if (counts !== undefined) this.#parts.push({ provider, models: [...new Set(models)], counts })
  }

  #record(): void {
    if (this.#ended === undefined || this.#open > 0 || this.#isRecorded) return
    this.#isRecorded = true
    try {
      const usage = this.#usage(this.#ended.errorType !== null)
      if (typeof usage === 'string') return this.#report(usage, true)
      this.#add({
        timestamp: new Date().toISOString(),
        metrics: {
          success: this.#ended.errorType === null,
          latency_ms: Math.round(performance.now() - this.#startedAt),
          error_type: this.#ended.errorType,
        },
        usage,
      })
    } catch (error) {
      this.#report(String(error), true)
    }
  }

  /** A run without tokens would be a free one. But one that failed has to count as failed, whatever it used. */
  #usage(hasFailed: boolean): RunUsage | string {
    if (this.#problem !== undefined && !hasFailed) return this.#problem
    const empty = hasFailed && this.#called ? [{ ...this.#called, counts: sumCounts([]) }] : []
    const parts = pricedParts(this.#parts.length > 0 ? this.#parts : empty, this.#names)
    if (typeof parts === 'string') return parts
    if (parts.length === 0) return 'no model call was counted in a run'
    return usageOf(parts, undefined, undefined, this.#problem !== undefined)
  }
}

const CUT_OFF = 'a model call was cut off'

/** Whether an error says that no model was at work: the answer has a status, or there was no connection. */
function isUnbilled(error: unknown): boolean {
  let cause = error as ApiError | null | undefined
  for (let depth = 0; depth < MOST_CAUSES && typeof cause === 'object' && cause !== null; depth++) {
    const { status = cause.statusCode, code } = cause
    if (typeof status === 'number' || UNREACHED.has(code)) return true
    cause = cause.lastError ?? cause.cause
  }
  return false
}

/** What SDKs throw: `lastError` is that of the last of several tries. */
interface ApiError {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly lastError?: ApiError
  readonly cause?: ApiError
}

const UNREACHED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])
const MOST_CAUSES = 5

const TOO_LATE = 'a model was called after its run had ended: end runs once their streams are read'

/** How long the answers of a run that has ended may still take. */
const MOST_WAITED_MS = 600_000

function classOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return error.name === 'Error' ? error.constructor.name : error.name
}
