import { badRequest } from '../../base/errors.ts'
import { base64 } from '../../base/bytes.ts'
import { isoTime } from '../../base/time.ts'
import type { AuditCheckpoint, Consistency } from './models.ts'
import { type Checkpoint, checkpointText, originOf } from './rules_checkpoint.ts'
import { consistencyPath } from './rules_merkle.ts'
import { signNote } from './rules_note.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type LogTree, readTree, ledgerId } from './tree.ts'

type Reads = Pick<Ledger, 'sql' | 'memo' | 'log' | 'now' | 'signer'>

/** The audit log as it is now, by one hash; signed where the server has a key. Throws 409 where the log is empty or broken. */
export async function checkpointNow(ledger: Reads): Promise<AuditCheckpoint> {
  const { checkpoint, note } = await checkpointOf(ledger, await readTree(ledger))
  const { origin, size, root, head, time } = checkpoint
  return { note, origin, size, root_hash: base64(root), head, time, signed: ledger.signer !== undefined }
}

/** The checkpoint of a tree, and its text. */
export async function checkpointOf(
  ledger: Reads,
  tree: LogTree,
): Promise<{ checkpoint: Checkpoint; note: string }> {
  const checkpoint = {
    origin: originOf(await ledgerId(ledger.sql)),
    size: tree.size,
    root: await tree.hashOf(0, tree.size),
    head: tree.head,
    time: isoTime(ledger.now()),
  }
  const text = checkpointText(checkpoint)
  const note = ledger.signer === undefined ? text : await signNote(text, checkpoint.origin, ledger.signer)
  return { checkpoint, note }
}

/** The proof that the log as it is now begins with its first `from` entries, as a checkpoint had them. */
export async function consistencyFrom(ledger: Reads, from: number): Promise<Consistency> {
  const tree = await readTree(ledger)
  if (from > tree.size) {
    throw badRequest(
      `The audit log has ${tree.size} entries, not ${from}: a checkpoint with more entries is of another ledger, or entries of this one are missing.`,
    )
  }
  const { note } = await checkpointOf(ledger, tree)
  const path = await consistencyPath(tree.hashOf, from, tree.size)
  return {
    from,
    from_root_hash: base64(await tree.hashOf(0, from)),
    note,
    size: tree.size,
    proof: path.map(base64),
  }
}
