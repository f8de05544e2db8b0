import {
  type RecordOptions,
  type RunRecord,
  RunRecorder,
} from '../../../../../src/features/recorders/record.ts'
import type { Measured } from '../../../../../src/features/recorders/run.ts'

/** A recorder whose events and problems are kept; `ended` settles with the next of either. */
export function recording(options: RecordOptions = {}) {
  const [events, problems]: [Measured[], string[]] = [[], []]
  let settle = (): void => {}
  const next = (): Promise<void> => new Promise(resolve => void (settle = resolve))
  let ended = next()
  const report = (list: unknown[], item: unknown): void => {
    list.push(item)
    settle()
    ended = next()
  }
  const lost: unknown[] = []
  const queue = {
    add: (event: Measured) => report(events, event),
    countLost: (fields: unknown) => void lost.push(fields),
  }
  const recorder = new RunRecorder(queue as never, {
    onError: problem => report(problems, problem),
    ...options,
  })
  return {
    events,
    problems,
    /** The fields of the runs that were left out and counted. */
    lost,
    recorder,
    /** Runs an action as one run; returns the usage of its event, or the problem in its stead. */
    run: async (action: (run: RunRecord) => Promise<unknown>): Promise<Measured['usage'] | string> => {
      const waited = ended
      const reported = problems.length
      await recorder.record({} as never, action).catch(() => {})
      await waited
      return problems.length > reported ? problems.at(-1)! : events.at(-1)!.usage
    },
  }
}
