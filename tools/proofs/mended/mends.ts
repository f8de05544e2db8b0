import type { Mend } from './mend.ts'
import { SECURITY_MENDS } from './security.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [...SECURITY_MENDS]
