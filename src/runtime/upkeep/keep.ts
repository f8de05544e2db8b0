import { keepLedger } from '../../ledger/upkeep/tick.ts'
import type { Services } from '../services.ts'
import { gently } from './pace.ts'
import type { RetentionRunner } from './retention.ts'

/** Between two looks. */
const EVERY_MS = 60_000
/** A server that has just started has more urgent things to do. */
const FIRST_MS = 3000

/** Looks after the ledger once a minute. What fails is logged, and tried again the next time. */
export function runUpkeep(services: Services, { firstMs = FIRST_MS } = {}): RetentionRunner {
  const stopping = new AbortController()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => (running = look()), ms)
    timer.unref()
  }
  async function look(): Promise<void> {
    try {
      await keepLedger(services, { version: services.version, pace: gently(stopping.signal) })
    } catch (error) {
      if (!stopping.signal.aborted) services.log('warn', 'the upkeep of the ledger is put off', { error })
    }
    if (!stopping.signal.aborted) lookIn(EVERY_MS)
  }
  lookIn(firstMs)
  return {
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
