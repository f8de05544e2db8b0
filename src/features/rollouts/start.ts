import { sha256 } from '../../base/bytes.ts'
import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { StartedRollout } from './models.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asRow,
  firstRow,
  hasRow,
  onlyRow,
  together,
  insertRow,
} from '../../sql/query.ts'
import {
  type IdempotencyKey,
  type KeepResult,
  type Repeatable,
  repeatable,
} from '../../ledger/trail/idempotency.ts'
import type { NewEntry } from '../../ledger/trail/chain.ts'
import { updateBound } from '../../ledger/trail/bound_rows.ts'
import { type LoggedChange, entryAlone, writeJudged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import {
  type Plan,
  type RolloutInput,
  firstStepProblem,
  isOpenText,
  openStatement,
  plannedAnswer,
  prepareRollout,
} from './prepare.ts'
import {
  COLUMNS,
  type ChangedBy,
  type Frozen,
  CHECK_MS,
  NEWEST_EVENT,
  type StartedBy,
  markStatement,
  plannedDetails,
  rolloutEntry,
  announced,
} from './rows.ts'

/** Begins a rollout, or says what it would be. Refused where the workspace demands approval; a dry run is not. */
export async function startRollout(
  ledger: Ledger,
  input: RolloutInput & { readonly dry_run?: boolean },
  key?: IdempotencyKey,
): Promise<Repeatable<StartedRollout | BlockedRollout>> {
  if (ledger.workspace.promotion_requires_approval && input.dry_run !== true) {
    throw badRequest(
      'This workspace requires approval (promotion_requires_approval): request the rollout with ' +
        'POST /v1/rollouts/request or `svc release rollout request`, then have it confirmed.',
    )
  }
  return repeatable<StartedRollout | BlockedRollout>(ledger.sql, key, async keep => {
    if (input.dry_run === true) {
      const plan = await prepareRollout(ledger, input)
      const reasons = reasonsOf(ledger, plan)
      if (reasons.length > 0) return { blocked: reasons }
      refuseFirstStep(ledger, plan)
      return plannedAnswer(plan, null)
    }
    const rolloutId = ledger.newId('rol_')
    const begun = await beginRollout(ledger, input, {
      rolloutId,
      startedBy: startedBy(input.actor),
      keep,
      along: async plan => ({
        entries: [],
        statements: guard => keep(plannedAnswer(plan, rolloutId), ledger.now(), guard),
      }),
    })
    return 'blocked' in begun ? begun : plannedAnswer(begun, rolloutId)
  })
}

/** Why a rollout may not begin now. */
export interface BlockedRollout {
  readonly blocked: readonly string[]
}

/** What is kept of who begins a rollout next to the name. */
export function startedBy({ source, claimed, identity }: Actor): StartedBy {
  return {
    source,
    ...(claimed === undefined ? {} : { claimed }),
    ...(identity === undefined ? {} : { identity }),
  }
}

/** What begins with a rollout. */
interface Beginning<R> {
  readonly rolloutId: string
  readonly startedBy: StartedBy
  /** Keeps the answer for the caller's key where the rollout is blocked. */
  readonly keep: KeepResult<BlockedRollout>
  /** More to read, and what is written besides: a request that is settled. Throws to give up. */
  readonly reads?: Query<R>
  readonly along: (
    plan: Plan,
    read: R | undefined,
    clock: Clock,
    row: Row,
  ) => Promise<{
    readonly entries: readonly NewEntry[]
    readonly statements: (guard: Statement) => readonly Statement[]
  }>
}

/**
 * Begins what the ledger says at that moment: a plan that was made under another policy, say, is made again. What blocks it,
 * such as a freeze or what the candidate is proven to break, is recorded. Throws 400 where its first step is too large, or
 * another is open.
 */
export async function beginRollout<R>(
  ledger: Ledger,
  input: RolloutInput,
  beginning: Beginning<R>,
): Promise<Plan | BlockedRollout> {
  const { reads, along } = beginning
  const { sql: db } = ledger
  const changeId = ledger.newId('rlc_')
  const planned = async (): Promise<Plan> => {
    const plan = await prepareRollout(ledger, input)
    if (reasonsOf(ledger, plan).length === 0) refuseFirstStep(ledger, plan)
    return plan
  }
  let begun: Plan | BlockedRollout | undefined
  await writeJudged(
    ledger,
    planned,
    plan =>
      together({
        isLive: isLiveQuery(plan),
        open: firstRow(openStatement(plan.agent_id, plan.environment), asRow),
        holding: allRows(
          sql`SELECT ${COLUMNS} FROM rollouts WHERE agent_id = ${plan.agent_id} AND environment = ${plan.environment}
            AND state = 'completed' AND hold_until > ${db.clock}`,
          asRow,
        ),
        mark: onlyRow(
          sql`SELECT assignment_key, ${NEWEST_EVENT} AS newest_event FROM rollout_mark WHERE id = 1`,
          asRow,
        ),
        read: reads,
      }),
    async (plan, { isLive, open, holding, mark, read }, clock): Promise<LoggedChange<true>> => {
      const reasons = reasonsOf(ledger, plan)
      const { agent_id, environment } = plan
      if (reasons.length > 0) {
        const blocked: BlockedRollout = { blocked: reasons }
        begun = blocked
        const { candidate_release_id, baseline_release_id, reason } = plan
        const details = { agent_id, environment, candidate_release_id, baseline_release_id, reasons }
        const entry = { kind: 'rollout.refused', actor: input.actor, reason, details } as const
        return entryAlone(ledger, entry, (at, guard) => beginning.keep(blocked, at, guard))
      }
      begun = plan
      const { now } = clock
      if (open !== undefined) throw badRequest(isOpenText(open, agent_id, environment))
      requireLive(plan, isLive)
      const row = newRow(plan, input.actor.name, beginning, now, Number(mark.newest_event))
      const changed: ChangedBy = { actor: input.actor, reason: plan.reason, at: now }
      // A new rollout takes the place of what another one holds back.
      const freed = holding.map(other => ({ ...other, hold_until: now }))
      const { entries, statements } = await along(plan, read, clock, row)
      // The workspace's assignment key is made with its first rollout.
      const key = mark.assignment_key === '' ? newKey(ledger) : String(mark.assignment_key)
      const entry = await rolloutEntry('rollout.started', row, changed, {
        others: freed,
        more: { ...plannedDetails(row), assignment_key_sha256: await sha256(key) },
      })
      return {
        id: changeId,
        revises: 'none',
        entries: [...entries, entry],
        write: guard => [
          insertRow('rollouts', row, guard),
          ...freed.map(other => updateBound('rollouts', other, ['hold_until'], guard)),
          sql`UPDATE rollout_mark SET assignment_key = ${key} WHERE id = 1 AND ${guard}`,
          markStatement(changeId, guard),
          announced('rollout.started', row, changeId, changed, guard, db.clock),
          ...statements(guard),
        ],
        done: true,
      }
    },
  )
  ledger.outboxFilled()
  return begun!
}

/** Whether what a plan begins from is live. */
export function isLiveQuery({ agent_id, environment, baseline_release_id }: Plan): Query<boolean> {
  return hasRow(sql`SELECT 1 AS live FROM promoted_pointers
    WHERE agent_id = ${agent_id} AND environment = ${environment} AND release_id = ${baseline_release_id}`)
}

export function requireLive({ agent_id, environment }: Plan, isLive: boolean): void {
  if (isLive) return
  throw badRequest(`The live release of ${agent_id} in ${environment} has just changed; try again.`)
}

function reasonsOf({ now }: Ledger, { blockedAt, broken }: Plan): readonly string[] {
  return [...blockedAt(isoTime(now())), ...broken]
}

function refuseFirstStep({ workspace }: Ledger, plan: Plan): void {
  const problem = firstStepProblem(plan, workspace)
  if (problem !== undefined) throw badRequest(problem)
}

function newRow(
  { steps, hold, limits, absolute, values, ...plan }: Plan,
  actor: string,
  { rolloutId, startedBy: by }: Pick<Beginning<never>, 'rolloutId' | 'startedBy'>,
  now: number,
  after_event: number,
): Row {
  const frozen: Frozen = { guard: limits, absolute, values }
  return {
    rollout_id: rolloutId,
    agent_id: plan.agent_id,
    environment: plan.environment,
    candidate_release_id: plan.candidate_release_id,
    baseline_release_id: plan.baseline_release_id,
    state: 'running',
    unit: plan.by,
    steps_json: JSON.stringify(
      steps.map(({ share, for: time }, index) => ({
        share,
        for: time,
        started_at: index === 0 ? isoTime(now) : null,
        ended_at: null,
        after_event: index === 0 ? after_event : null,
      })),
    ),
    step: 0,
    limits_json: JSON.stringify(frozen),
    reason: plan.reason,
    started_by: actor,
    started_by_json: JSON.stringify(by),
    started_at: now,
    ends_at: now + plan.lasts_ms,
    hold_json: hold === undefined ? null : JSON.stringify({ share: hold.share, for: hold.for }),
    hold_until: null,
    ended_at: null,
    because: null,
    changed_by: actor,
    action_id: null,
    attempts: 0,
    checks: 0,
    due_at: now + CHECK_MS,
    check_json: null,
  }
}

function newKey({ newId }: Ledger): string {
  return Array.from({ length: 5 }, () => newId('')).join('')
}
