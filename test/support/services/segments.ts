import { upkeep } from '../../../src/features/segments/sums.ts'
import type { Ledger } from '../../../src/ledger/world/ledger.ts'

/** What a server does for the sums by tenant and task once a minute. */
export function summed({ context }: { readonly context: Ledger }): Promise<void> {
  return upkeep(context, batch => batch())
}
