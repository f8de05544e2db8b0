export type { PriceNames } from '../spans/priced.ts'
export { type RecordOptions, type RunFields, RunRecorder } from './recorder.ts'
export type { ModelCall, RunRecord } from './run.ts'
