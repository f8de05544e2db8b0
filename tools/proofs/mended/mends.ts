import type { Mend } from './mend.ts'
import { STATISTICS_MENDS } from './statistics.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [...STATISTICS_MENDS]
