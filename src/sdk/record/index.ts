export type { PriceNames } from '../spans/priced.ts'
export { type RecordOptions, type RunFields, RunRecorder } from './recorder.ts'
export type { Call, RunRecord } from './run.ts'
