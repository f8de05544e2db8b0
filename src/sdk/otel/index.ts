export type { PriceNames } from './priced.ts'
export { type RunQueue, RunSpanProcessor, type RunSpanOptions, type TracedRun } from './processor.ts'
export type { SpanLike } from './readable.ts'
