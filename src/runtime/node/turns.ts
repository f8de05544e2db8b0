import { monotonicMs } from '../../sql/libsql/wait.ts'

/** How long one request goes on before others have their turn, ms. */
const SLICE_MS = 10

/**
 * Returns what lets others go on: nothing at all where it is not yet time, and otherwise one waiter for each round of the
 * event loop, so that what comes in is read between any two of them.
 */
export function takingTurns(): () => Promise<void> | undefined {
  const waiting: (() => void)[] = []
  let since = 0

  function next(): void {
    since = monotonicMs()
    waiting.shift()!()
    if (waiting.length > 0) setImmediate(next)
  }

  return function nextTurn() {
    if (waiting.length === 0 && monotonicMs() - since < SLICE_MS) return undefined
    return new Promise(begin => {
      if (waiting.push(begin) === 1) setImmediate(next)
    })
  }
}
