import { CLOCKS_MENDS } from './clocks.ts'
import type { Mend } from './mend.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [...CLOCKS_MENDS]
