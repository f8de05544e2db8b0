// Node's own `performance` and `timers/promises` do as much; the first call of either loads a dozen modules.

/** Time that only goes on, ms. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Resolves when what waits in the loop of events has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}
