import type { Trigger } from '../feature.ts'
import { checkpointNow } from './checkpoint.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'

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

export function isUrl(target: string): boolean {
  return /^https?:/i.test(target)
}

/** Posts a checkpoint under the rules of webhooks: no redirects, 5 s in all, no addresses that they must not reach. */
export async function postCheckpoint(
  { send }: Pick<Ledger, 'send'>,
  url: string,
  note: string,
): Promise<void> {
  const sent = await send({ url, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: note })
  if ('problem' in sent) throw new Error(sent.problem)
  if (sent.status < 200 || sent.status > 299) throw new Error(`the receiver answered ${sent.status}`)
}
