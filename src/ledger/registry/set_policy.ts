import type { Policy } from '../../models/documents/policy.ts'
import { policyChangeTexts } from '../../rules/changes.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import { insertRow } from '../../sql/query.ts'
import type { Ledger, Actor } from '../world/ledger.ts'
import { canonicalJson, isBlank } from '../../base/text.ts'
import { LAST_POLICY } from './last_policy.ts'
import { factHash } from '../trail/facts.ts'
import { type LoggedChange, writeLogged } from '../trail/write_logged.ts'

/** Puts a policy in force, unless it says what the one in force says. The history keeps all. */
export async function setPolicy(
  ledger: Ledger,
  policy: Policy,
  { actor, reason }: { readonly actor: Actor; readonly reason: string | null },
): Promise<Policy> {
  const ordered = { ...DEFAULT_POLICY, ...policy }
  const row = {
    change_id: ledger.newId('pol_'),
    policy_id: policy.policy_id,
    policy_json: JSON.stringify(ordered),
    actor: actor.name,
    actor_source: actor.source,
    created_at: ledger.now(),
    reason: isBlank(reason ?? '') ? null : reason,
  }
  const fact = await factHash('policies', row)
  const changed = (before: Policy | undefined): LoggedChange<true> => ({
    id: row.change_id,
    revises: 'all',
    fact: 'policies',
    entries: [
      {
        kind: 'policy.set',
        subject: row.change_id,
        actor,
        reason: row.reason,
        created_at: row.created_at,
        fact,
        details: {
          policy_id: row.policy_id,
          changes: policyChangeTexts(before ?? DEFAULT_POLICY, ordered),
        },
      },
    ],
    write: guard => [insertRow('policy_history', row, guard)],
    done: true,
  })
  const said = canonicalJson(ordered)
  await writeLogged(ledger, LAST_POLICY, last =>
    last !== undefined && canonicalJson(last) === said ? { already: true } : changed(last),
  )
  return ordered
}
