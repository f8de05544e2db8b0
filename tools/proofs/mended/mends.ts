import type { Mend } from './mend.ts'
import { TRACES_MENDS } from './traces.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [...TRACES_MENDS]
