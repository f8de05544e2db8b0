import { ServiceError } from '../../base/errors.ts'
import { MINUTE_MS, isoTime } from '../../base/time.ts'
import type { Assessment, Proposal } from '../../ledger/assess/assess.ts'
import { decideWithRetries, recordDecision } from '../../ledger/decide/record.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import type { Watch } from './models.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import type { Trigger } from '../feature.ts'
import { KEPT_CHECKS, type CheckFacts, type Rollback, rollbackOf } from './rows.ts'
import type { Watched } from './rules_readings.ts'
import { type Retry, afterBlock, blockOf, blockedCause, isGivenUp, isRetryDue } from './rules_retry.ts'
import { type WatchVerdict, watchVerdict } from './rules_verdict.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { type Query, among, hasRow, write } from '../../sql/query.ts'
import type { Clock } from '../../rules/clock.ts'
import type { Head } from '../../ledger/trail/chain.ts'
import { type LoggedChange, writeLogged } from '../../ledger/trail/write_logged.ts'
import { LeaseLost, type CheckAll, Outdated, checkDue, checkForAWhile } from '../../ledger/world/due.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { CHECK_MS, watchEntry } from './begin.ts'
import { type Claimed, DUE, isClaimed, toClaimed } from './claim.ts'
import { type CheckResult, checkWatch } from './check_watch.ts'

/** Checks every watch that is due, as {@link checkDue} says. */
export const checkWatches: CheckAll = (ledger, until) =>
  checkDue(ledger, DUE, (within, leased) => tick(within, toClaimed(leased)), until)

async function tick(ledger: Ledger, watch: Claimed): Promise<void> {
  const check = await checkWatch(ledger, watch)
  if (watch.retry !== null) {
    await tryAgain(ledger, watch, watch.retry, check)
    return
  }
  if (check.live?.release_id !== watch.release_id) {
    await end(ledger, watch, check, replaced(check))
    return
  }
  const verdict = watchVerdict(check.facts.metrics, {
    min_runs: watch.min_runs,
    isOver: isOver(watch),
    stale: check.stale,
  })
  const { mayRollBack, ...said } = verdict
  const conclusion: Conclusion = { ...said, rollback: null, by: null, retry: null }
  if (verdict.state === 'watching') {
    await write(ledger.sql, checkQuery(watch, check.facts, conclusion, ledger.sql.clock))
  } else if (verdict.state === 'regressed' && watch.auto_rollback && mayRollBack) {
    await attempt(ledger, watch, check, verdict)
  } else {
    await end(ledger, watch, check, conclusion)
  }
}

/** Checks a rollback that was blocked. What is no longer proven to be worse is not rolled back for now. */
async function tryAgain(ledger: Ledger, watch: Claimed, retry: Retry, check: CheckResult): Promise<void> {
  if (check.live?.release_id !== watch.release_id || isGivenUp(retry, watch.now, watch.ends_at)) {
    const { watch_id, lease } = watch
    await ledger.sql.batch([
      sql`UPDATE watches SET retry_json = NULL WHERE watch_id = ${watch_id} AND lease = ${lease}`,
    ])
    return
  }
  const verdict = watchVerdict(check.facts.metrics, { min_runs: watch.min_runs, isOver: false })
  if (verdict.state === 'regressed' && verdict.mayRollBack) await attempt(ledger, watch, check, verdict)
}

/** Rolls back, or notes why that could not even be evaluated. */
async function attempt(
  ledger: Ledger,
  watch: Claimed,
  check: CheckResult,
  verdict: WatchVerdict,
): Promise<void> {
  const problem = await rollBack(ledger, watch, check, verdict)
  if (problem === undefined) return
  const block = blockOf([problem])
  if (watch.retry !== null && !isRetryDue(watch.retry, block, watch.now)) return
  await end(ledger, watch, check, {
    ...verdict,
    rollback: { action_id: null, passed: false, reasons: [problem], ...attemptsOf(watch) },
    by: null,
    retry: afterBlock(watch.retry, block, watch.now),
  })
}

/** A clock that was set back makes no watch longer: it has as many checks as it has minutes. */
function isOver({ now, started_at, ends_at, checks }: Claimed): boolean {
  return now >= ends_at || checks + 1 >= Math.ceil((ends_at - started_at) / CHECK_MS)
}

/** Decisions end watches themselves; this is for those of a server that knows of none yet. */
function replaced({ live }: CheckResult): Conclusion {
  return {
    state: live?.action === 'rollback' ? 'rolled_back' : 'superseded',
    because: `${live?.release_id ?? 'nothing'} is live now`,
    regressions: [],
    rollback: null,
    by: 'another release',
    retry: null,
  }
}

/**
 * Ends a watch. Like every governed change it moves the head: a rollback that another process is about to write on the
 * same watch finds its guard lost. Throws {@link LeaseLost}, and {@link Outdated} where prices, say, changed since the check.
 */
async function end(
  ledger: Ledger,
  watch: Claimed,
  check: CheckResult,
  conclusion: Conclusion,
): Promise<void> {
  const { facts } = check
  const { watch_id } = watch
  const { state, because } = conclusion
  const kind = watch.retry === null ? 'watch.ended' : 'watch.retried'
  const id = ledger.newId('wen_')
  const change = async (claimed: boolean, _clock: Clock, head: Head): Promise<LoggedChange<true>> => {
    if (!claimed) throw new LeaseLost()
    if (check.revision !== head.revision) throw new Outdated()
    const row = concludedRow(watch, conclusion)
    return {
      id,
      revises: 'none',
      entries: [await watchEntry(kind, row, WATCH_ACTOR, because, ledger.now())],
      write: guard => checkQuery(watch, facts, conclusion, ledger.sql.clock, guard).statements,
      done: true,
    }
  }
  await writeLogged(ledger, isClaimed(watch), change)
  if (watch.retry === null) ledger.log('info', 'a watch ended', { watch_id, state, because })
  ledger.outboxFilled()
}

export const trigger: Trigger = { first: ledger => checkForAWhile(ledger, 'watches', checkWatches) }

/**
 * Rolls back to the baseline by the way of every rollback. The decision, the end of the watch and the announcements of both
 * are one batch, guarded by the end of the audit chain; the claim is read in the same snapshot as that. So of any number
 * of processes one decides, once. One that was blocked before is recorded again only where it is due
 * ({@link isRetryDue}). Returns why it could not even be evaluated, or undefined where it could. Throws
 * {@link LeaseLost} and {@link Outdated}.
 */
async function rollBack(
  ledger: Ledger,
  watch: Claimed,
  { facts, revision }: CheckResult,
  verdict: WatchVerdict,
): Promise<string | undefined> {
  // The window that would be measured begins by the one clock and ends by the other.
  const { apart, doubt } = await readClock(ledger)
  const problem = apart ?? doubt
  if (problem !== undefined) return problem
  const proposal: Proposal = {
    action: 'rollback',
    release_id: watch.baseline_release_id,
    environment: watch.environment,
    window: `${Math.floor((ledger.now() - watch.baseline_since) / MINUTE_MS) + 1}m`,
    reason: `watch ${watch.watch_id}: ${verdict.because}`,
    actor: WATCH_ACTOR,
    exclude_unusable: policy => policy.watch?.on_unusable === 'exclude',
  }
  const stillClaimed = {
    query: isClaimed(watch),
    check: (claimed: boolean) => {
      if (!claimed) throw new LeaseLost()
    },
  }
  try {
    await decideWithRetries<unknown, boolean>(ledger, proposal, decision, stillClaimed)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error.message
    throw error
  }

  async function decision(assessed: Assessment, within: Ledger): Promise<unknown> {
    if (assessed.baseline?.release_id !== watch.release_id) throw new LeaseLost()
    if (assessed.head.revision !== revision) throw new Outdated()
    const block = assessed.verdict.passed ? null : blockOf(assessed.verdict.reasons)
    if (watch.retry !== null && !isRetryDue(watch.retry, block, watch.now)) return NOT_YET
    const check = { number: watch.checks + 1, at: isoTime(watch.now), ...facts }
    const evidence = { ...assessed.evidence, watch: { watch_id: watch.watch_id, check } }
    const { passed, reasons } = assessed.verdict
    const concluded = (action_id: string): Conclusion => ({
      ...verdict,
      state: passed ? 'rolled_back' : 'regressed',
      rollback: { action_id, passed, reasons: [...reasons], ...attemptsOf(watch) },
      by: null,
      retry: block === null ? null : afterBlock(watch.retry, block, watch.now),
    })
    return recordDecision(
      within,
      proposal,
      { ...assessed, evidence },
      {
        keep: () => [],
        statements: (action_id, _at, guard) =>
          checkQuery(watch, facts, concluded(action_id), ledger.sql.clock, guard).statements,
        holds: action_id => holdsOf('watches', [concludedRow(watch, concluded(action_id))]),
      },
    )
  }
}

/** What an assessment is answered with that is not recorded. */
const NOT_YET = 'not yet'

/** How many attempts there are with this one; left out where it is the first. */
function attemptsOf({ retry }: Claimed): { readonly attempts?: number } {
  return retry === null ? {} : { attempts: retry.attempts + 1 }
}

/** The result of a check, as it is written and announced. */
interface Conclusion {
  readonly state: Watch['state']
  readonly because: string | null
  readonly regressions: readonly Watched[]
  readonly rollback: Rollback | null
  /** The retries of a blocked rollback; null where there is none. */
  readonly retry: Retry | null
  /** Who ended it; null where the watch itself did. */
  readonly by: string | null
}

/** The row of a watch as a check leaves it. A rollback that is blocked once more leaves when and why the watch ended. */
function concludedRow({ row, now, retry }: Claimed, { state, because, by, rollback }: Conclusion): Row {
  const isBlockedAgain = retry !== null && state === 'regressed'
  return {
    ...row,
    state,
    ended_at: state === 'watching' ? null : isBlockedAgain ? row.ended_at! : now,
    ended_because: isBlockedAgain ? row.ended_because! : because,
    ended_by: by,
    rollback_json: rollback === null ? null : JSON.stringify(rollback),
  }
}

/**
 * Writes a check, and the end of the watch where it is one. `guard` says whether a decision of the same batch was written;
 * without one it is the claim that has to. Says whether it did.
 */
function checkQuery(
  watch: Claimed,
  facts: CheckFacts,
  conclusion: Conclusion,
  clock: Statement,
  guard?: Statement,
): Query<boolean> {
  const { watch_id, lease, checks } = watch
  const { state, retry } = conclusion
  const row = concludedRow(watch, conclusion)
  const mayWrite = guard ?? sql`state = 'watching' AND lease = ${lease} AND checks = ${checks}`
  const isWritten = sql`watch_id = ${watch_id} AND lease = ${lease} AND state = ${state} AND checks > ${checks}`
  const isNoted = sql`EXISTS (SELECT 1 FROM watches WHERE ${isWritten})`
  const noted =
    hasRow(sql`UPDATE watches SET checks = CAST(${checks + 1} AS BIGINT), due_at = ${clock} + ${CHECK_MS}, state = ${state}, lease = ${lease},
        ended_at = CAST(${row.ended_at!} AS BIGINT), ended_because = ${row.ended_because!}, ended_by = ${row.ended_by!},
        rollback_json = ${row.rollback_json!}, retry_json = ${retry === null ? null : JSON.stringify(retry)}
      WHERE watch_id = ${watch_id} AND ${mayWrite} RETURNING watch_id`)
  return among([], noted, [
    sql`INSERT INTO watch_checks (watch_id, number, at, check_json)
      SELECT watch_id, checks, CAST(${watch.now} AS BIGINT), ${JSON.stringify(facts)} FROM watches
      WHERE ${isWritten} ON CONFLICT (watch_id, number) DO NOTHING`,
    sql`DELETE FROM watch_checks WHERE watch_id = ${watch_id} AND number <= ${checks + 1 - KEPT_CHECKS}`,
    ...announcementsOf(watch, facts, conclusion).map(announcement => toOutbox(announcement, isNoted, clock)),
  ])
}

const EVENTS: Readonly<Partial<Record<Watch['state'], WebhookEvent>>> = {
  passed: 'watch.passed',
  inconclusive: 'watch.inconclusive',
  regressed: 'watch.regressed',
  rolled_back: 'watch.regressed',
}

/** Announcements of the end of a watch; for one that a decision ended, the decision's own announce it. */
function announcementsOf(
  watch: Claimed,
  facts: CheckFacts,
  { state, because, regressions, rollback, by, retry }: Conclusion,
): Parameters<typeof toOutbox>[0][] {
  const event = EVENTS[state]
  if (event === undefined || by !== null) return []
  const { watch_id, agent_id, environment, release_id, baseline_release_id, auto_rollback, min_runs } = watch
  const data = {
    watch_id,
    agent_id,
    environment,
    release_id,
    baseline_release_id,
    actor: WATCH_ACTOR.name,
    reason: because,
    state,
    regressions,
    auto_rollback,
    min_runs,
    rollback: rollbackOf(rollback, retry),
    check: { number: watch.checks + 1, at: isoTime(watch.now), ...facts },
  }
  const message = { event, cause: watch_id, createdAt: watch.now, data }
  const isBlocked = rollback !== null && !rollback.passed
  const blocked = {
    ...message,
    event: 'watch.rollback_blocked',
    cause: blockedCause(watch_id, rollback?.attempts),
  } as const
  // The regression was announced with the first attempt.
  return [...(watch.retry === null ? [message] : []), ...(isBlocked ? [blocked] : [])]
}

/** Who rolls back where a watch does. */
const WATCH_ACTOR = { name: 'watch', source: 'watch' } as const
