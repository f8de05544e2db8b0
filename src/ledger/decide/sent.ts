import type { Head } from '../trail/chain.ts'
import { type Memo, remembering } from '../world/memo.ts'

/** A decision that was sent to the database, whether or not it is written yet. */
interface Sent {
  readonly agentId: string
  /** The head that its batch is guarded by, and the one that it leaves. */
  readonly before: Head
  readonly after: Head
}

interface Sequence {
  /** Each behind the one before it. */
  readonly decisions: Sent[]
  /** The turn of the last of them. */
  turn: number
}

const sequenceOf = remembering((): Sequence => ({ decisions: [], turn: -1 }))

/** Most decisions that may be under way, or come between one's first read and its turn. */
const MOST_SENT = 32

/** Notes a decision that is about to be sent, in its turn. Returns what takes that back, where it was not written. */
export function noteSent(memo: Memo, sent: Sent): () => void {
  const sequence = sequenceOf(memo)
  const { decisions } = sequence
  const { released: turn } = memo.decisions
  if (turn > sequence.turn + 1 || decisions.length >= MOST_SENT) decisions.length = 0
  decisions.push(sent)
  sequence.turn = turn
  return () => {
    decisions.length = 0
  }
}

/**
 * The head that a decision in its turn is tied to, which read `head` when so many turns were `released`: what came since then are
 * decisions of this process about other agents, which change nothing that it rests on. Undefined where it has to read again. The
 * guard of its batch says whether they were written, and nothing else.
 */
export function headBehindSent(memo: Memo, head: Head, released: number): Head | undefined {
  const { decisions, turn } = sequenceOf(memo)
  const isUntouched = memo.decisions.released === released
  const last = turn + 1 === memo.decisions.released ? decisions.at(-1) : undefined
  if (last === undefined) return isUntouched ? head : undefined
  if (isSame(head, last.after)) return head
  const from = decisions.findIndex(({ before }) => isSame(head, before))
  if (from < 0) return isUntouched ? head : undefined
  if (decisions.slice(from).some(({ agentId }) => agentId === head.agent?.agent_id)) return undefined
  return { ...last.after, agent: head.agent, now: Math.max(head.now, last.after.now) }
}

function isSame(one: Head, other: Head): boolean {
  return (
    one.hash === other.hash &&
    one.log.hash === other.log.hash &&
    one.seq === other.seq &&
    one.revision === other.revision
  )
}
