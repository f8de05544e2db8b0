import { ApiError, ClientError } from './errors.ts'
import { checkNumber } from './options.ts'
import type { CallOptions } from './transport.ts'
import type * as Api from './types.ts'

/** What a recorder needs of a client. */
interface ScoreClient {
  sendCases(body: Api.CasesReceiveBody, options?: CallOptions): Promise<Api.ReceivedCases>
  importScores(body: Api.ScoresImportBody, options?: CallOptions): Promise<Api.ScoreImport>
}

/** What an evaluation is of, and what else is said of it. */
export interface ScoreRecorderOptions extends Pick<
  Api.ScoresImportBody,
  | 'release_id'
  | 'suite'
  | 'format'
  | 'judge_model'
  | 'judge_prompt_sha256'
  | 'judge_rubric_version'
  | 'bundle_checksum'
> {
  /** Cases that are sent at once; 200, at most 1,000. */
  readonly batchSize?: number
  /** How long a case waits for others, ms; 2,000. */
  readonly flushIntervalMs?: number
}

type CaseTry = Api.CasesReceiveBody['cases'][number]

/** What came of one try of a case. */
export type CaseOutcome = Omit<CaseTry, 'id' | 'input_sha256'>

/**
 * Sends the cases of an evaluation while it runs: `record` each, and `finish`. What a service can't take yet waits and is
 * sent again; nothing counts before `finish`, so an evaluation that ends half way leaves nothing behind.
 */
export class ScoreRecorder {
  readonly #client: ScoreClient
  readonly #facts: Omit<ScoreRecorderOptions, 'batchSize' | 'flushIntervalMs'>
  readonly #batchSize: number
  readonly #flushIntervalMs: number
  #waiting: CaseTry[] = []
  #importId: string | undefined
  #parts = 0
  #sending: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isFinished = false
  #refusal: ApiError | undefined

  /** Throws ClientError for a bad option. */
  constructor(
    client: ScoreClient,
    { batchSize = 200, flushIntervalMs = 2000, ...facts }: ScoreRecorderOptions,
  ) {
    this.#client = client
    this.#facts = facts
    this.#batchSize = Math.min(1000, checkNumber('batchSize', batchSize, 1))
    this.#flushIntervalMs = checkNumber('flushIntervalMs', flushIntervalMs, 0)
  }

  /** How many cases wait or are on their way. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Takes one try of a case, by its id: the same in every evaluation, so that releases are compared case by case. Never
   * waits. Throws ClientError once the evaluation is finished.
   */
  record(id: string, outcome: CaseOutcome): void {
    if (this.#isFinished) {
      throw new ClientError('configuration', 'The evaluation is finished: record cases before that.')
    }
    this.#waiting.push({ ...outcome, id })
    if (this.#waiting.length >= this.#batchSize) this.#later(0)
    else this.#later(this.#flushIntervalMs)
  }

  /** Sends what waits. Rejects where the service can't take it now; it waits on then. */
  flush(options?: CallOptions): Promise<void> {
    this.#cancel()
    this.#sending = this.#sending.catch(() => {}).then(() => this.#send(options))
    return this.#sending
  }

  /**
   * Sends what waits, and makes it the release's newest import of the suite. Rejects where the service can't take it now:
   * call it again then. An evaluation of which a case was refused never finishes: it would lack that case.
   */
  async finish(options?: CallOptions): Promise<Api.ScoreImport> {
    await this.flush(options)
    if (this.#importId === undefined) throw new ClientError('configuration', 'No case was recorded.')
    this.#isFinished = true
    return this.#client.importScores(
      { ...this.#facts, import_id: this.#importId, parts: this.#parts },
      options,
    )
  }

  /** Only whole batches need go at once; a failure happens again, and is thrown, to who flushes or finishes. */
  #later(ms: number): void {
    if (ms > 0 && this.#timer !== undefined) return
    this.#cancel()
    this.#timer = setTimeout(() => void this.flush().catch(() => {}), ms)
    // A program that is done need not wait for it: it is to call finish.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #send(options: CallOptions | undefined): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal
    while (this.#waiting.length > 0) {
      const cases = this.#waiting.slice(0, this.#batchSize)
      const { release_id, suite } = this.#facts
      const at = this.#importId === undefined ? {} : { import_id: this.#importId, part: this.#parts }
      try {
        const { import_id } = await this.#client.sendCases({ release_id, suite, ...at, cases }, options)
        this.#importId = import_id
        this.#parts += 1
      } catch (error) {
        if (error instanceof ApiError && REFUSED.has(error.status)) this.#refusal = error
        throw error
      }
      this.#waiting.splice(0, cases.length)
    }
  }
}

/** Statuses that say that the cases themselves are at fault, or what they are for. */
const REFUSED: ReadonlySet<number> = new Set([400, 403, 413, 422])
