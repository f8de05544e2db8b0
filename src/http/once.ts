import { ServiceError } from '../base/errors.ts'
import type { Once } from '../ledger/decisions/decide.ts'
import { type IdempotencyKey, type RecordedAnswer, recordedAnswer } from '../ledger/chain/idempotency.ts'
import { SqlError } from '../sql/port.ts'
import type { Context } from './context.ts'
import { type Reply, json } from './message.ts'

/**
 * Answers an operation, and a repeated Idempotency-Key with what was answered first. Of two at once, one is
 * carried out; the other's batch fails on the key, or it is refused for what the first one has changed, and
 * is answered like a repetition.
 */
export async function answerOnce<T>(
  { sql }: Context,
  key: IdempotencyKey | undefined,
  answer: (result: T) => RecordedAnswer,
  operate: (once?: Once<T>) => Promise<T>,
): Promise<Reply> {
  if (key === undefined) return toReply(answer(await operate()))
  const known = await recordedAnswer(sql, key)
  if (known !== undefined) return toReply(known, true)
  try {
    return toReply(answer(await operate({ key, answer })))
  } catch (error) {
    const recorded = mayBeOvertaken(error) ? await recordedAnswer(sql, key) : undefined
    if (recorded === undefined) throw error
    return toReply(recorded, true)
  }
}

function mayBeOvertaken(error: unknown): boolean {
  if (error instanceof ServiceError) return true
  return error instanceof SqlError && (error.kind === 'unique' || error.kind === 'uncertain')
}

function toReply({ status, body }: RecordedAnswer, replayed = false): Reply {
  return json(body, status, replayed ? { 'idempotent-replayed': 'true' } : {})
}
