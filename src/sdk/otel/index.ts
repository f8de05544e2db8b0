export type { PriceNames } from '../spans/priced.ts'
export { type RunQueue, RunSpanProcessor, type RunSpanOptions, type TracedRun } from './processor.ts'
export type { SpanLike } from './readable.ts'
