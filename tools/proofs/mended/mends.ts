import { ACCESS_MENDS } from './access.ts'
import { CLOCKS_MENDS } from './clocks.ts'
import { FRICTION_MENDS } from './friction.ts'
import type { Mend } from './mend.ts'
import { RETENTION_MENDS } from './retention.ts'
import { SAFETY_MENDS } from './safety.ts'
import { SECURITY_MENDS } from './security.ts'
import { STATISTICS_MENDS } from './statistics.ts'
import { TRACES_MENDS } from './traces.ts'

/** Every defect with a mend that `npm run prove -- mended` undoes to see its test fail. */
export const MENDS: readonly Mend[] = [
  ...ACCESS_MENDS,
  ...CLOCKS_MENDS,
  ...FRICTION_MENDS,
  ...RETENTION_MENDS,
  ...SAFETY_MENDS,
  ...SECURITY_MENDS,
  ...STATISTICS_MENDS,
  ...TRACES_MENDS,
]
