import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { DecisionPart } from '../../ledger/assess/parts.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { Rollout } from './models.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import type { Clock } from '../../rules/clock.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asRow, firstRow } from '../../sql/query.ts'
import type { Head } from '../../ledger/trail/chain.ts'
import { type LoggedChange as Governed, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import type { Scope } from '../../ledger/world/scope.ts'
import { isOpen, splitText } from './rules_sentence.ts'
import {
  COLUMNS,
  type ChangedBy,
  OPEN,
  changeStatements,
  parsedOf,
  rolloutEntry,
  rolloutStatement,
  showRollout,
  toRollout,
  announced,
  unknownRollout,
} from './rows.ts'

/** A change of a rollout that is logged and announced under one name. */
export type ChangeKind = Extract<WebhookEvent, `rollout.${string}`>

interface RolloutChange extends Omit<ChangedBy, 'at'> {
  readonly kind: ChangeKind
  /** The row as it is from then on. */
  readonly row: Row
}

/**
 * Changes a rollout in one batch with its entry in the log and its announcement. `changeOf` gets the row as `found`
 * reads it, undefined where that has none, and throws to give up.
 */
export async function changeRollout(
  ledger: Ledger,
  found: Statement,
  changeOf: (row: Row | undefined, clock: Clock, head: Head) => RolloutChange,
): Promise<void> {
  const changeId = ledger.newId('rlc_')
  const { sql: db } = ledger
  const governed = async (read: Row | undefined, clock: Clock, head: Head): Promise<Governed<true>> => {
    const { kind, row, ...by } = changeOf(read, clock, head)
    const changed = { ...by, at: clock.now }
    return {
      id: changeId,
      revises: 'none',
      entries: [await rolloutEntry(kind, row, changed)],
      write: guard => [
        ...changeStatements(row, changeId, guard),
        announced(kind, row, changeId, changed, guard, db.clock),
      ],
      done: true,
    }
  }
  await writeLogged(ledger, firstRow(found, asRow), governed)
  ledger.outboxFilled()
}

/** A row whose rollout has ended. */
export function endedRow(
  row: Row,
  state: Rollout['state'],
  because: string | null,
  by: string,
  now: number,
): Row {
  return { ...row, state, because, changed_by: by, ended_at: now, steps_json: stepsEnded(row, now) }
}

/** The steps with the one that it is at ended. */
export function stepsEnded(row: Row, now: number): string {
  const { steps } = parsedOf(row)
  return JSON.stringify(
    steps.map((step, index) => (index === Number(row.step) ? { ...step, ended_at: isoTime(now) } : step)),
  )
}

interface Requested {
  readonly rollout_id: string
  readonly reason: string
  readonly actor: Actor
  /** What is out of it is unknown. */
  readonly scope: Scope
}

/** Stops a rollout where it is: the split stays, and the guard goes on; nothing advances. */
export function pauseRollout(ledger: Ledger, requested: Requested): Promise<Rollout> {
  return change(ledger, requested, 'pause', ['running'], (row, { reason, actor }) => ({
    kind: 'rollout.paused',
    row: { ...row, state: 'paused', because: `paused: ${reason}`, changed_by: actor.name },
  }))
}

/** Goes on with a paused rollout. */
export function resumeRollout(ledger: Ledger, requested: Requested): Promise<Rollout> {
  return change(ledger, requested, 'resume', ['paused'], (row, { actor }) => ({
    kind: 'rollout.resumed',
    row: { ...row, state: 'running', because: null, changed_by: actor.name },
  }))
}

/** Ends the split: all units get what is live within the lease. After completion it ends the holdback. */
export function abortRollout(ledger: Ledger, requested: Requested): Promise<Rollout> {
  return change(ledger, requested, 'abort', ['running', 'paused', 'held'], (row, { reason, actor }, now) => ({
    kind: 'rollout.aborted',
    row:
      row.state === 'completed'
        ? { ...row, hold_until: now, because: `the hold was ended: ${reason}`, changed_by: actor.name }
        : endedRow(row, 'aborted', `aborted: ${reason}`, actor.name, now),
  }))
}

async function change(
  ledger: Ledger,
  requested: Requested,
  verb: string,
  from: readonly string[],
  changeOf: (row: Row, requested: Requested, now: number) => Pick<RolloutChange, 'kind' | 'row'>,
): Promise<Rollout> {
  const { rollout_id, reason, actor, scope } = requested
  if (isBlank(reason)) throw badRequest(`reason is required to ${verb} a rollout`)
  await changeRollout(ledger, rolloutStatement(ledger.sql, rollout_id, scope), (row, { now }) => {
    if (row === undefined) throw unknownRollout(rollout_id)
    const isOnHold = row.state === 'completed' && Number(row.hold_until ?? 0) > now
    if (!from.includes(isOnHold ? 'held' : String(row.state))) {
      throw badRequest(`Rollout ${rollout_id} is ${row.state}: you can't ${verb} it.`)
    }
    return { ...changeOf(row, requested, now), actor, reason }
  })
  return showRollout(ledger.sql, rollout_id, scope)
}

/** Another release that goes live, by promotion or rollback, ends the rollout there, and what one holds back. */
export const decision: DecisionPart<Row[]> = {
  name: 'rollouts',
  reads: ({ release_id, environment }) =>
    allRows(
      sql`SELECT ${COLUMNS}, ${version('candidate')}, ${version('baseline')} FROM rollouts
      WHERE agent_id = (SELECT agent_id FROM releases WHERE release_id = ${release_id})
        AND environment = ${environment}
        AND (${OPEN} OR (state = 'completed' AND hold_until IS NOT NULL))`,
      asRow,
    ),
  contribute: async ({ record, now, newId }, found) => {
    const { action, action_id, release_id, actor, baseline_release_id } = record
    const isMoved = hasMoved(record) && baseline_release_id !== release_id
    const completes = (record.evidence as { rollout?: { rollout_id: string } }).rollout?.rollout_id
    const because = `${release_id} went live (${action}, ${action_id})`
    const ended = !isMoved
      ? []
      : found
          .filter(row => row.rollout_id !== completes)
          .filter(row => row.state !== 'completed' || Number(row.hold_until) > now)
          .map(row =>
            row.state === 'completed'
              ? { ...row, hold_until: now, because: `the hold ended: ${because}`, changed_by: actor }
              : endedRow(row, 'superseded', because, actor, now),
          )
    if (ended.length === 0) return undefined
    const changeId = newId('rlc_')
    return {
      holds: await holdsOf('rollouts', ended),
      statements: guard => ended.flatMap(row => changeStatements(row, changeId, guard)),
      answer: {},
    }
  },
  unmoved: (found, now) =>
    found
      .map(row => ({ row, rollout: toRollout({ ...row, now }) }))
      .filter(({ rollout }) => rollout.share !== null)
      .map(({ row, rollout }) => goesOnText(rollout, versionIn(row))),
}

function version(side: 'candidate' | 'baseline'): Statement {
  return sql`(SELECT version FROM releases WHERE release_id = rollouts.${raw(`${side}_release_id`)}) AS ${raw(`${side}_version`)}`
}

/** How releases of a row are called. */
function versionIn(row: Row): (releaseId: string) => string {
  return id => String(row[id === row.candidate_release_id ? 'candidate_version' : 'baseline_version'])
}

/** That a rollout still splits although what is live stays, and what ends it. */
function goesOnText(rollout: Rollout, name: (releaseId: string) => string): string {
  const { rollout_id, state } = rollout
  const does = state === 'paused' ? 'is paused and its split stays' : 'goes on'
  const ends = `until \`svc release rollout abort ${rollout_id} --reason WHY\``
  return isOpen(rollout)
    ? `Rollout ${rollout_id} ${does}: ${splitText(rollout, name)} ${ends}.`
    : `Rollout ${rollout_id} holds back: ${splitText(rollout, name)}, or ${ends}.`
}
