import type { InputPart } from '../../models/all/input.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { DAY_MS, durationMs } from '../../base/time.ts'
import type { Watch } from './models.ts'
import { DEFAULT_MIN_RUNS } from './rules_verdict.ts'
import { LEAST_DAYS, LEAST_DAY_RUNS } from '../../rules/statistics/same_hours.ts'
import { type Foreseen, watchLimits } from './rules_readings.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { type Row, type Sql, sql } from '../../sql/port.ts'
import {
  asJson,
  asNumber,
  asRow,
  asText,
  ask,
  columns,
  firstRow,
  hasRow,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { MOVED } from '../../ledger/trail/pointers.ts'
import { type Head, headQuery } from '../../ledger/trail/chain.ts'
import { writeJudged, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../../ledger/registry/policies.ts'
import { releaseQuery } from '../../ledger/registry/release_facts.ts'
import type { Scope } from '../../ledger/world/scope.ts'
import {
  type NewWatch,
  endRetries,
  endWatch,
  insertWatch,
  newWatchRow,
  retriedQuery,
  runningQuery,
  watchEntry,
  wholeMinute,
} from './begin.ts'
import { baselineRuns, foreseenBy } from './check_watch.ts'
import { unknownWatch, watchQuery } from './rows.ts'

export interface WatchInput extends Omit<InputPart<'WatchesStart', 'body'>, 'actor'> {
  readonly actor: Actor
}

const DEFAULT_FOR = '2h'
const LONGEST_MS = 30 * DAY_MS

/** Fewest runs of the baseline that a watch compares with. */
const LEAST_BASELINE_RUNS = 200

/**
 * Watches what is live, from now on. Throws 400 where nothing is, where there is nothing to compare it with, and 409
 * where a watch runs there already.
 */
export async function startWatch(
  ledger: Ledger,
  input: WatchInput,
): Promise<Watch & { readonly can_find: Foreseen | null; readonly warnings?: string[] }> {
  const { sql: db, newId } = ledger
  const { agent_id, environment } = input
  const id = newId('wch_')
  const queryOf = ({ live: { release_id } }: Subject) =>
    together({
      isLive: hasRow(sql`SELECT 1 AS live FROM promoted_pointers
        WHERE agent_id = ${agent_id} AND environment = ${environment} AND release_id = ${release_id}`),
      running: runningQuery(agent_id, environment),
      retried: retriedQuery(agent_id, environment),
    })
  const found: { ended?: string | undefined; watch?: NewWatch } = {}
  const judge = () => readSubject(db, input)
  await writeJudged(ledger, judge, queryOf, async (subject, { isLive, running, retried }, { now }) => {
    found.ended = retried
    const watch = newWatch(input, subject, id)
    found.watch = watch
    if (!isLive || running !== undefined) throw await refusal(db, input)
    const begun = newWatchRow(watch, now)
    return {
      id: watch.watch_id,
      revises: 'none',
      entries: [await watchEntry('watch.started', begun, input.actor, null, ledger.now())],
      write: guard => [insertWatch(watch, guard, now), endRetries(watch, guard)],
      done: true,
    }
  })
  const { ended } = found
  const watch = found.watch!
  const begun = (await ask(db, watchQuery(watch.watch_id)))!
  const can_find = (await foreseenBy(ledger, watch, Date.parse(begun.started_at))) ?? null
  const warnings = [
    ...(ended === undefined
      ? []
      : [`the rollback of ${ended} is not tried again: this watch decides by its own checks`]),
    ...(can_find === null
      ? newBaselineWarnings(watch, await baselineRuns(db, watch))
      : Object.values(can_find).every(rise => rise === null || rise > POOR_RISE)
        ? [
            `by its end this watch could find no rise below ${100 * POOR_RISE} %: let it last longer, or send it more ` +
              'traffic',
          ]
        : []),
  ]
  return { ...begun, can_find, ...(warnings.length === 0 ? {} : { warnings }) }
}

/** A watch that finds nothing below it guards little. */
const POOR_RISE = 0.5

function newBaselineWarnings({ baseline_release_id }: NewWatch, runs: number): string[] {
  const days =
    `the baseline ${baseline_release_id} has fewer than ${LEAST_DAYS} earlier days with ${LEAST_DAY_RUNS} runs in these ` +
    'hours: a rise of cost or latency is announced, and not rolled back'
  return runs >= LEAST_BASELINE_RUNS
    ? [days]
    : [days, `it has ${runs} runs in all: a watch compares with ${LEAST_BASELINE_RUNS} or more`]
}

interface Subject {
  readonly head: Head
  readonly policy: Policy
  readonly live: LiveRelease
  readonly baseline_release_id: string
}

const readLive = columns({
  release_id: asText,
  action_id: asText,
  baseline_release_id: orNull(asText),
  record_json: orNull(asJson<{ readonly evidence?: Evidence }>),
  created_at: asNumber,
})

/** The live release, the decision that made it so, and its evidence. */
type LiveRelease = ReturnType<typeof readLive>

async function readSubject(db: Sql, { agent_id, environment, against }: WatchInput): Promise<Subject> {
  const { head, policy, live, other } = await ask(
    db,
    together({
      head: headQuery(db.clock, sql`${agent_id}`),
      policy: ACTIVE_POLICY,
      live: firstRow(
        sql`SELECT p.release_id, a.action_id, a.baseline_release_id, a.record_json, a.created_at
          FROM promoted_pointers p JOIN actions a ON a.audit_seq = (
            SELECT max(b.audit_seq) FROM actions b
            WHERE b.agent_id = p.agent_id AND b.environment = p.environment
              AND b.release_id = p.release_id AND ${MOVED}
              AND (b.baseline_release_id IS NULL OR b.baseline_release_id <> b.release_id))
          WHERE p.agent_id = ${agent_id} AND p.environment = ${environment}`,
        readLive,
      ),
      other: releaseQuery(against ?? ''),
    }),
  )
  if (live === undefined) throw badRequest(`Nothing of ${agent_id} is live in ${environment}.`)
  const baseline = against ?? live.baseline_release_id
  if (baseline === null) {
    throw badRequest(
      `${live.release_id} is the first release of ${agent_id} in ${environment}: name the release to compare it with (--against RELEASE_ID).`,
    )
  }
  // A release of another agent is treated as unknown.
  if (against !== undefined && other?.agent_id !== agent_id) {
    throw badRequest(`${against} is not a release of ${agent_id}.`)
  }
  if (baseline === live.release_id)
    throw badRequest(`${baseline} is the live release: it can't be its own baseline.`)
  const effective = await policyIn(policy, { agent_id, environment })
  return { head, policy: effective.policy, live, baseline_release_id: baseline }
}

function newWatch(input: WatchInput, { policy, live, baseline_release_id }: Subject, id: string): NewWatch {
  const text = input.for ?? policy.watch?.for ?? DEFAULT_FOR
  const lasts_ms = durationMs(text)
  if (lasts_ms === undefined || lasts_ms > LONGEST_MS) {
    throw badRequest(
      `Invalid time ${JSON.stringify(text)}: use a number and m, h or d, up to 30d, such as 2h.`,
    )
  }
  const since = live.record_json?.evidence?.window.since
  return {
    watch_id: id,
    agent_id: input.agent_id,
    environment: input.environment,
    release_id: live.release_id,
    baseline_release_id,
    action_id: live.action_id,
    auto_rollback: input.auto_rollback ?? policy.watch?.auto_rollback ?? false,
    min_runs: input.min_runs ?? policy.watch?.min_runs ?? DEFAULT_MIN_RUNS,
    limits: watchLimits(policy),
    // Decisions of before there was evidence say no window.
    baseline_since: wholeMinute(since === undefined ? live.created_at - DAY_MS : Date.parse(since)),
    lasts_ms,
    started_by: input.actor.name,
  }
}

/** Why none was begun. */
async function refusal(db: Sql, { agent_id, environment }: WatchInput): Promise<ServiceError> {
  const running = await ask(db, runningQuery(agent_id, environment))
  return new ServiceError(
    409,
    running === undefined
      ? `The live release of ${agent_id} in ${environment} has just changed; try again.`
      : `${running} watches ${agent_id} in ${environment} already; ` +
          `follow it with \`svc release watch ${agent_id} --env ${environment} --follow\`, or end it with ` +
          `\`svc release cancel ${running} --reason WHY\`.`,
  )
}

interface Cancellation {
  readonly watch_id: string
  readonly reason: string
  readonly actor: Actor
  /** What is out of it is unknown. */
  readonly scope: Scope
}

/** Ends a watch that runs, for a reason of the operator. Throws 404 for an unknown one, 400 for one that has ended. */
export async function cancelWatch(
  ledger: Ledger,
  { watch_id, reason, actor, scope }: Cancellation,
): Promise<Watch> {
  if (isBlank(reason)) throw badRequest('reason is required to cancel a watch')
  const { sql: db } = ledger
  if ((await ask(db, watchQuery(watch_id, scope))) === undefined) throw unknownWatch(watch_id)
  let because = `cancelled: ${reason}`
  const wanted = sql`SELECT * FROM watches WHERE watch_id = ${watch_id}`
  const id = ledger.newId('cnl_')
  await writeLogged(ledger, onlyRow(wanted, asRow), async (before, { now }) => {
    if (before.state !== 'watching' && before.retry_json === null) {
      throw badRequest(`Watch ${watch_id} has ended already: ${before.state}.`)
    }
    // Why it regressed stays: only its rollback is given up.
    if (before.state !== 'watching')
      because = `${before.ended_because}; its rollback was cancelled: ${reason}`
    const row: Row = {
      ...before,
      ...(before.state === 'watching' ? { state: 'inconclusive', ended_at: now } : {}),
      ended_because: because,
      ended_by: actor.name,
    }
    return {
      id,
      revises: 'none',
      entries: [await watchEntry('watch.ended', row, actor, reason, ledger.now())],
      write: guard => [endWatch(row, guard)],
      done: true,
    }
  })
  return (await ask(db, watchQuery(watch_id)))!
}
