import { setTimeout as sleep } from 'node:timers/promises'
import { type Compacted, compactEvents } from './compact.ts'
import { patiently } from '../../sql/port.ts'
import type { ServicesOptions } from '../../runtime/node/open.ts'
import { withLedger } from '../../runtime/node/with_ledger.ts'

/** Between two batches, ms: another process that waits for SQLite's lock gets it then. */
const PAUSE_MS = 20

/** Compacts the run events of the ledger of a folder. */
export function compactLedger(options: ServicesOptions): Promise<Compacted> {
  return withLedger(options, ({ sql }) => compactEvents(patiently(sql), { pause: () => sleep(PAUSE_MS) }))
}
