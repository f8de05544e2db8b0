import type { Mend } from './mend.ts'
import { RETENTION_MENDS } from './retention.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [...RETENTION_MENDS]
