import type { Trigger } from '../feature.ts'
import { checkpointNow } from './checkpoint.ts'
import { isUrl, postCheckpoint } from './checkpoint_url.ts'

/**
 * By the trigger of the first minute of each hour, however long what came before took; a failure is logged, and the next
 * hour's is made.
 */
export const trigger: Trigger = {
  async last(ledger, { scheduledTime }) {
    const target = ledger.workspace.audit?.checkpoints
    if (target == null || new Date(scheduledTime).getUTCMinutes() !== 0) return
    try {
      if (!isUrl(target)) throw new Error('audit.checkpoints has to be a URL where there are no files')
      await postCheckpoint(ledger, target, (await checkpointNow(ledger)).note)
    } catch (error) {
      ledger.log('error', 'the audit log has no new checkpoint', { error })
    }
  },
}
