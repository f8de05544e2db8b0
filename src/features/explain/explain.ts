import { ServiceError, badRequest } from '../../base/errors.ts'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Explanation } from './models.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { RULES_VERSION, type Evidence } from '../../rules/evidence.ts'
import { changeSentence, withNames } from '../../rules/change_sentence.ts'
import { isPassed, replayReasons } from '../../rules/judge.ts'
import { namesIn } from '../../ledger/assess/naming.ts'
import { conditionsOf } from '../../ledger/assess/current_state.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import { type Question, policyFrom, weighLimits } from './rules_weigh.ts'
import { type Supposed, suppose, supposedQuestion } from './rules_what_if.ts'
import { sql } from '../../sql/port.ts'
import { allRows, ask, asText, columns, field, firstRow, listed } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { policyIn } from '../../ledger/registry/policies.ts'
import { unchangedAction } from '../../ledger/decide/trail.ts'

/**
 * Decides an action again from its evidence alone: by the rules and the policy that it was decided by, or by another
 * policy. `which` is its action_id or audit_seq. Throws 404 for an unknown one, 400 for one without evidence or by rules
 * that are newer than this program.
 */
export async function explainAction(
  ledger: Pick<Ledger, 'sql' | 'workspace' | 'features'>,
  which: string,
  against?: Policy,
): Promise<Explanation> {
  const action = await unchangedAction(ledger.sql, await actionIdOf(ledger, which))
  const evidence = evidenceIn(action)
  const { policy, policy_scope: scope, evaluation } = evidence
  const conditions = await conditionsOf(ledger.features)
  const limitsBy = (question: Question): ExplainedLimit[] => [
    ...weighLimits(evidence, question),
    ...conditions.flatMap(({ explained: rows }) => rows(policyFrom(evidence, question.effective), action)),
  ]
  if (against === undefined) {
    const reasons = replayReasons(evidence, action, conditions)
    if (reasons === undefined) throw badRequest(newerRules(action, evidence))
    const question = {
      effective: { policy, scope },
      thresholds: evaluation?.thresholds ?? ledger.workspace.diff,
      statistics: evaluation?.statistics,
      unknown: new Map<string, string>(),
    }
    const replayed = { passed: isPassed(reasons), reasons, unknown: [] }
    const decided = { by: 'record', effective: question.effective, replayed } as const
    return explained(action, evidence, decided, limitsBy(question), await summaryOf(ledger, evidence))
  }
  const drafted = await policyIn(against, action)
  const question = supposedQuestion(evidence, drafted, ledger.workspace.diff, {
    action: action.action,
    conditions,
  })
  const replayed = suppose(evidence, action, question, conditions)
  const decided = { by: 'policy', effective: drafted, replayed } as const
  return explained(action, evidence, decided, limitsBy(question), await summaryOf(ledger, evidence))
}

/** What changed between the two releases, by their versions and the names of tenants and tasks. */
async function summaryOf(
  ledger: Pick<Ledger, 'sql' | 'features'>,
  { evaluation }: Evidence,
): Promise<string | undefined> {
  if (evaluation === null) return undefined
  const ids = [evaluation.candidate.release_id, evaluation.baseline.release_id]
  const found = sql`SELECT release_id, version FROM releases WHERE release_id IN (${listed(ids)})`
  const rows = await ask(ledger.sql, allRows(found, columns({ release_id: asText, version: asText })))
  const [candidate, baseline] = ids.map(id => rows.find(({ release_id }) => release_id === id)?.version ?? id)
  const sentence = changeSentence(candidate!, baseline!, evaluation.statistics)
  return withNames(sentence, await namesIn(ledger, [sentence]))
}

async function actionIdOf({ sql: db }: Pick<Ledger, 'sql'>, which: string): Promise<string> {
  if (!/^[1-9]\d{0,14}$/.test(which)) return which
  const found = sql`SELECT action_id FROM actions WHERE audit_seq = ${Number(which)}`
  const actionId = await ask(db, firstRow(found, field('action_id', asText)))
  if (actionId === undefined) throw new ServiceError(404, `Unknown action: there is no audit_seq ${which}`)
  return actionId
}

function evidenceIn({ action_id, evidence }: ActionDetail): Evidence {
  if (evidence !== null) return evidence as Evidence
  throw badRequest(`${action_id} has no evidence to decide on again: it is older than evidence.`)
}

function newerRules({ action_id }: ActionDetail, { rules_version }: Evidence): string {
  return (
    `${action_id} was decided by rules ${rules_version}, and this version knows those up to ${RULES_VERSION}: use a newer ` +
    'version.'
  )
}

function explained(
  action: ActionDetail,
  { window, window_used, evaluated_at, rules_version }: Evidence,
  {
    by,
    effective: { policy, scope },
    replayed,
  }: { by: Explanation['by']; effective: StoredPolicy; replayed: Supposed },
  limits: Explanation['limits'],
  summary: string | undefined,
): Explanation {
  const recorded = { passed: action.policy_passed, reasons: action.policy_reasons }
  const sameReasons = JSON.stringify(replayed.reasons) === JSON.stringify(recorded.reasons)
  return {
    ...factsOf(action),
    window,
    ...(window_used === undefined ? {} : { window_used }),
    evaluated_at,
    rules_version,
    policy_id: policy.policy_id,
    by,
    ...(scope === undefined ? {} : { policy_scope: { ...scope, policy } }),
    limits,
    ...(summary === undefined ? {} : { summary }),
    recorded,
    replayed: { ...replayed, reasons: [...replayed.reasons], unknown: [...replayed.unknown] },
    equal: replayed.passed === recorded.passed && (by === 'policy' || sameReasons),
  }
}

/** What an explanation and a trial say of an action. */
export function factsOf(action: ActionDetail) {
  const { action_id, audit_seq, release_id, agent_id, environment, baseline_release_id, created_at } = action
  return {
    action_id,
    audit_seq,
    action: action.action,
    release_id,
    agent_id,
    environment,
    baseline_release_id,
    created_at,
  }
}
