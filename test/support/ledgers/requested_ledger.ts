import {
  PROMOTION,
  confirmPromotion,
  requestPromotion,
} from '../../../src/ledger/decide/promotion_requests.ts'
import { listRequests } from '../../../src/ledger/decide/requests.ts'
import { ask } from '../../../src/sql/query.ts'
import type { Actor } from '../../../src/ledger/world/ledger.ts'
import { EVERYTHING } from '../../../src/ledger/world/scope.ts'
import { newMemo } from '../../../src/ledger/world/memo.ts'
import { setPolicy } from '../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { FIRST_PROMOTION_REASON } from '../../../src/rules/result.ts'
import { SqlError } from '../../../src/sql/port.ts'
import { EIGHT, HERE } from './decided_ledger.ts'
import { ANN, BOB, type PlainLedger, plainLedger, registered } from './plain_ledger.ts'
import { losingAnswer } from '../databases/tampering/tamper.ts'

export const DAY_MS = 86_400_000
export const CAT = { name: 'cat', source: 'cli' } as const
export const PLAIN = { promotion_requires_approval: true }
export const STRICT = { ...PLAIN, approvals_required: 2, approval_by_another: true, approval_expires: '24h' }
export const FIRST = { passed: true, result: 'first', reasons: [FIRST_PROMOTION_REASON], evaluated_at: EIGHT }

/** A release whose promotion bob requested, and the answer that he got. */
export async function requested(workspace: object = STRICT, more: object = {}) {
  const ledger = await plainLedger(workspace)
  const release = await registered(ledger, '1')
  const { result } = await requestPromotion(ledger, {
    ...HERE,
    release_id: release,
    actor: BOB,
    first: true,
    ...more,
  })
  if (!result.passed) throw new Error('it was blocked')
  return { ledger, release, request: result.request, request_id: result.request.request_id }
}

export const listed = (ledger: PlainLedger, status?: 'pending' | 'completed' | 'cancelled') =>
  ask(ledger.sql, listRequests(ledger.sql, PROMOTION, { status, limit: 9, scope: EVERYTHING }))

export const confirmed = async (ledger: PlainLedger, request_id: string, actor: Actor = ANN, more = {}) =>
  (await confirmPromotion(ledger, { request_id, approval_reason: 'fine', actor, ...more })).result

export const revisionOf = async (ledger: PlainLedger) =>
  Number((await ledger.rows('audit_head'))[0]!.revision)

/** The same ledger, where a policy is set by another server right behind the first look at the head. */
export function overtaken(ledger: PlainLedger): PlainLedger {
  let isOvertaken = false
  const snapshot: PlainLedger['sql']['snapshot'] = async statements => {
    const results = await ledger.sql.snapshot(statements)
    if (!isOvertaken && statements.some(({ text }) => text.includes('FROM audit_head'))) {
      isOvertaken = true
      await setPolicy({ ...ledger, memo: newMemo() }, DEFAULT_POLICY, { actor: ANN, reason: null })
    }
    return results
  }
  return { ...ledger, sql: { ...ledger.sql, snapshot } }
}

/** The same ledger, which loses the answer to the first batch that holds a text. */
export function losing(ledger: PlainLedger, text: string): PlainLedger {
  const lost = () => new SqlError('uncertain', 'the connection was lost')
  return { ...ledger, sql: losingAnswer(ledger.sql, text, async () => {}, lost) }
}
