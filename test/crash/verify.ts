import { FEATURES } from '../../src/entry/features.ts'
import { expect } from 'vitest'
import type { ActionDetail } from '../../src/models/answers/action.ts'
import { examine } from '../../src/ledger/doctor/doctor.ts'
import { EVERYTHING } from '../../src/ledger/world/scope.ts'
import { listActions } from '../../src/ledger/decide/trail.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import type { Sql } from '../../src/sql/port.ts'

/** Every action, oldest first. */
async function allActions(sql: Sql): Promise<ActionDetail[]> {
  const actions: ActionDetail[] = []
  let after: number | undefined
  do {
    const page = await listActions(sql, { limit: 500, after, scope: EVERYTHING })
    actions.push(...page.actions)
    after = page.next_after ?? undefined
  } while (after !== undefined)
  return actions.toReversed()
}

/**
 * What must hold of any ledger after any history: the trail is contiguous and chained, each decision was made
 * against the pointer that the one before it left, and rollups and counters equal the rows.
 */
export async function expectSound(sql: Sql): Promise<ActionDetail[]> {
  const report = await examine(sql, {
    features: FEATURES,
    migrations: loadMigrations(sql),
    deep: true,
  })
  expect(report.checks.filter(check => !check.ok)).toEqual([])
  const actions = await allActions(sql)
  expect(actions.map(action => action.audit_seq)).toEqual(actions.map((_, index) => index + 1))
  const pointers = new Map<string, string>()
  for (const action of actions) {
    const key = `${action.agent_id} ${action.environment}`
    expect(action.baseline_release_id, `audit_seq ${action.audit_seq}`).toBe(pointers.get(key) ?? null)
    if (action.policy_passed) pointers.set(key, action.release_id)
  }
  return actions
}
