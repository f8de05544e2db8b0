import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes of new objects that hold what some requests of ingest make: less, and much is copied before it is garbage. */
const ENOUGH_NEW = 24 * 2 ** 20

/**
 * Has V8 collect garbage before it has made much: an ingest request is megabytes of short life, and by default a
 * server on a large machine grows to 450 MB with it. To be called at the start.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
  // The bound itself can't be set any more, but what a collection reads can.
  const observer = new PerformanceObserver(() => {
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!
    if (space_size < ENOUGH_NEW) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
