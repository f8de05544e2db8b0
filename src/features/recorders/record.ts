import type { EventQueue } from '../../sdk/event_queue.ts'
import type { LoggedEvent, NoDefaults } from '../../sdk/queue_types.ts'
import type { PriceNames } from './priced.ts'
import type { RunEvent } from '../../sdk/types.ts'
import { RunRecord } from './run.ts'

export type { PriceNames } from './priced.ts'

export type { ModelCall, RunRecord } from './run.ts'

export interface RecordOptions extends PriceNames {
  /**
   * Called with the reason why a run was left out, and once with each doubt about runs that were not. Default: a line on
   * `console.warn`.
   */
  readonly onError?: (problem: string) => void
}

/** Fields of an event that are neither measured nor defaults of the queue. */
export type RunFields<D extends Partial<RunEvent>> = Omit<LoggedEvent<D>, 'usage' | 'metrics' | 'timestamp'>

/**
 * Makes a run event of each run of an agent: how long it took, whether it threw, and the tokens that the helpers for
 * provider SDKs count in it. A failed run is stored whatever it used. A successful one whose tokens are not all known is left
 * out, reported and counted, never sent as a cheaper one.
 */
export class RunRecorder<const D extends Partial<RunEvent> = NoDefaults> {
  readonly #queue: EventQueue<D>
  readonly #options: RecordOptions
  readonly #said = new Set<string>()

  constructor(queue: EventQueue<D>, options: RecordOptions = {}) {
    this.#queue = queue
    this.#options = options
  }

  /** Records what `action` does as one run, and returns or throws what it does. A run that throws has failed. */
  async record<T>(fields: RunFields<D>, action: (run: RunRecord) => Promise<T>): Promise<T> {
    const run = this.start(fields)
    try {
      const result = await action(run)
      run.end()
      return result
    } catch (error) {
      run.fail(error)
      throw error
    }
  }

  /** Begins a run that ends with its `end` or `fail`, such as one whose answer is a stream. */
  start(fields: RunFields<D>): RunRecord {
    const add = (measured: object): void => void this.#queue.add({ ...fields, ...measured } as LoggedEvent<D>)
    const { onError } = this.#options
    const report = (problem: string, isLeftOut: boolean): void => {
      if (isLeftOut) quietly(() => this.#queue.countLost(fields))
      else if (this.#said.has(problem) || this.#said.size >= MOST_SAID) return
      else this.#said.add(problem)
      quietly(() =>
        (onError ?? warn)(onError === undefined && isLeftOut ? `no run event: ${problem}` : problem),
      )
    }
    return new RunRecord(add, this.#options, report)
  }
}

/** Most problems of runs that are recorded all the same; each is said once. */
const MOST_SAID = 50

/** What a listener or a queue throws must not reach the program that is recorded. */
function quietly(action: () => void): void {
  try {
    action()
  } catch {
    // The run is over, and nobody else can report it.
  }
}

function warn(problem: string): void {
  // oxlint-disable-next-line eslint/no-console -- the only voice of a recorder without a listener
  console.warn(`release-governance: ${problem}`)
}
