import type { ActionDetail } from '../../models/answers/action.ts'
import { resultOf } from '../../rules/result.ts'
import { isoTime } from '../../base/time.ts'

const COLUMNS = [
  ['action_id', 'Action'],
  ['action', 'Action type'],
  ['audit_seq', 'Number'],
  ['created_at', 'When'],
  ['agent_id', 'Agent'],
  ['environment', 'Environment'],
  ['release_id', 'Release'],
  ['baseline_release_id', 'Live before'],
  ['actor', 'By'],
  ['actor_source', 'Identity'],
  ['reason', 'Reason'],
  ['policy_passed', 'Verdict'],
  ['policy_reasons', 'Reasons of the policy'],
  ['prev_hash', 'Hash before it'],
] as const satisfies readonly (readonly [keyof ActionDetail, string])[]

/** A field whose column in the database says something else than the record that was hashed. */
export interface Forged {
  readonly name: string
  readonly recorded: string
  readonly column: string
}

/** An action as its hashed record says it, and where its columns differ: those are what lists show. */
export function recorded<A extends Partial<ActionDetail>>(
  detail: A,
): { readonly action: A; readonly forged: readonly Forged[] } {
  const { record_json } = detail
  if (record_json == null) return { action: detail, forged: [] }
  const record = parsed(record_json)
  if (record === undefined) return { action: detail, forged: [] }
  const forged = COLUMNS.filter(([key]) => key in record && textOf(record[key]) !== textOf(detail[key]))
  const action = {
    ...detail,
    ...Object.fromEntries(COLUMNS.flatMap(([key]) => (key in record ? [[key, record[key]]] : []))),
  }
  const { policy_passed: passed = false, policy_reasons: reasons = [] } = action
  return {
    action: { ...action, result: resultOf({ passed, reasons }) },
    forged: forged.map(([key, name]) => ({
      name,
      recorded: textOf(record[key]),
      column: textOf(detail[key]),
    })),
  }
}

/** The record, with its time as the API writes one; undefined where the text is no record at all. */
function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const record = JSON.parse(json) as Record<string, unknown>
    return { ...record, created_at: isoTime(Number(record.created_at)) }
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
