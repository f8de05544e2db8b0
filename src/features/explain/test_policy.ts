import type { InputPart } from '../../models/all/input.ts'
import { badRequest } from '../../base/errors.ts'
import { parseDateOrTimestamp } from '../../base/time.ts'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { PolicyTest } from './models.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Condition } from '../../ledger/assess/parts.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { type Supposed, suppose, supposedQuestion } from './rules_what_if.ts'
import { parseWindow } from '../../rules/window.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Scope } from '../../ledger/world/scope.ts'
import { factsOf } from './explain.ts'
import { conditionsOf } from '../../ledger/assess/current_state.ts'
import { listActions, refuseChanged } from '../../ledger/decide/trail.ts'

export interface PolicyTestInput extends InputPart<'PolicyTest', 'body'> {
  readonly scope: Scope
}

/** Actions that are read at once: their evidence is long. */
const AT_ONCE = 50

/**
 * What a policy would have decided on past actions, from their evidence, newest first; writes nothing. `nextTurn` lets
 * others go on. Throws 400 for an invalid `since`, 409 for an action that was changed in the database.
 */
export async function testPolicy(
  ledger: Ledger & { readonly nextTurn: () => Promise<void> | void },
  { policy, last, since, agent_id: agent, environment: env, after, scope }: PolicyTestInput,
): Promise<Omit<PolicyTest, 'limits' | 'warnings'>> {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : sinceMs(since, ledger.now())
  const total = { tested: 0, unknown: 0, changed: 0, without_evidence: 0 }
  const changes: PolicyTest['changes'] = []
  const conditions = await conditionsOf(ledger.features)
  let [left, next] = [last, after as number | null | undefined]
  while (left > 0 && next !== null) {
    const page = await listActions(ledger.sql, {
      agent,
      env,
      limit: Math.min(AT_ONCE, left),
      after: next ?? undefined,
      scope,
    })
    const actions = page.actions.filter(({ created_at }) => Date.parse(created_at) >= from)
    for (const action of actions) {
      const change = tried(refuseChanged(action), policy, ledger, conditions)
      total.tested += 1
      if (change === undefined) continue
      if (change === 'without_evidence') {
        total.without_evidence += 1
        continue
      }
      total[change.draft.passed === null ? 'unknown' : 'changed'] += 1
      changes.push(change)
    }
    left -= page.actions.length
    // Times never go back along the trail.
    next = actions.length < page.actions.length ? null : page.next_after
    await ledger.nextTurn()
  }
  return { policy_id: policy.policy_id, ...total, changes, next_after: next ?? null }
}

function sinceMs(since: string, now: number): number {
  const at = parseDateOrTimestamp(since)?.ms
  if (at !== undefined) return at
  const window = parseWindow(since, now)
  if (typeof window !== 'string') return window.since
  throw badRequest(
    `Invalid since ${JSON.stringify(since.slice(0, 40))}: use 30d, 24h or 30m, a date or a timestamp.`,
  )
}

export type ChangedDecision = PolicyTest['changes'][number]

/** How an action comes out otherwise; undefined where it doesn't. */
function tried(
  action: ActionDetail,
  document: Policy,
  { workspace }: Pick<Ledger, 'workspace'>,
  conditions: readonly Condition[],
): ChangedDecision | 'without_evidence' | undefined {
  if (action.evidence === null) return 'without_evidence'
  const evidence = action.evidence as Evidence
  const { policy, rules } = resolveOverrides(document, action)
  const scope = { policy_checksum: '', rules }
  const question = supposedQuestion(evidence, { policy, scope }, workspace.diff, {
    action: action.action,
    conditions,
  })
  const { passed, reasons, unknown } = suppose(evidence, action, question, conditions)
  if (passed === action.policy_passed) return undefined
  const draft = { passed, reasons: [...reasons], unknown: [...unknown] }
  const recorded = { passed: action.policy_passed, reasons: action.policy_reasons }
  return { ...factsOf(action), recorded, draft, why: whyOf(recorded, draft) }
}

function whyOf(recorded: ChangedDecision['recorded'], { passed, reasons, unknown }: Supposed): string[] {
  if (passed === null) return [...unknown]
  return passed ? recorded.reasons : [...reasons]
}
