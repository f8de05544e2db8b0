import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Acknowledgement, PowerDifference } from '../../models/answers/surface.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Row, type Sql, type Statement, join, rowsOf, sql } from '../../sql/port.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { agreedPointer, placeQuery } from '../../ledger/trail/pointers.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { type Scope, placeInScope } from '../../ledger/world/scope.ts'
import { differenceOf, readPower } from './power.ts'

export interface AcknowledgementInput {
  /** The release that may do more. */
  readonly release_id: string
  readonly environment: string
  readonly reason: string
  /** What the caller compared it with; refused where something else is live by now. */
  readonly expected_baseline_release_id?: string | undefined
  readonly actor: Actor
}

/**
 * Notes that somebody has seen and accepts what a release may do beyond the one that is live in an environment. It holds for
 * this very difference: for every release with this surface, as long as one with that surface is live. Throws 400 where
 * nothing is live, or the release may do no more.
 */
export async function acknowledge(ledger: Ledger, input: AcknowledgementInput): Promise<Acknowledgement> {
  const { release_id, environment, reason, actor } = input
  if (isBlank(reason)) throw badRequest('reason is required to acknowledge what a release may do')
  refuseUndeclared(ledger, environment)
  const agent = await agentOf(ledger.sql, release_id)
  const place = placeQuery(agent, environment)
  const reads = [
    ...place.statements,
    sql`SELECT artifact_json FROM releases WHERE release_id = ${release_id}`,
    sql`SELECT r.artifact_json FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
      WHERE p.agent_id = ${agent} AND p.environment = ${environment}`,
    sql`SELECT * FROM acknowledgements WHERE agent_id = ${agent} AND environment = ${environment}
      AND actor = ${actor.name} ORDER BY seq DESC LIMIT 200`,
  ]
  const id = ledger.newId('ack_')
  const found = sql`SELECT * FROM acknowledgements WHERE acknowledgement_id = ${id}`
  return writeLogged<Acknowledgement>(ledger, reads, async results => {
    const { pointer, chosen } = place.read(results.slice(0, place.statements.length))
    const [candidate, live, own] = results.slice(place.statements.length)
    const baselineId = agreedPointer(pointer, chosen)
    refuseOther(input, baselineId, agent)
    const difference = await differenceIn(live!.rows[0]!, candidate!.rows[0]!)
    if (difference === undefined || difference.widened === 0) {
      throw badRequest(
        `${release_id} may do no more than ${baselineId}, which is live in ${environment}: there is nothing to acknowledge.`,
      )
    }
    const { baseline_sha256, candidate_sha256, widened, changes, more_changes } = difference
    const same = own!.rows.find(
      row => row.baseline_sha256 === baseline_sha256 && row.candidate_sha256 === candidate_sha256,
    )
    if (same !== undefined) return { already: { ...toAcknowledgement(same), reused: true } }
    const row = {
      acknowledgement_id: id,
      agent_id: agent,
      environment,
      release_id,
      baseline_release_id: baselineId!,
      baseline_sha256,
      candidate_sha256,
      changes_json: JSON.stringify({ widened, changes, more_changes }),
      reason,
      actor: actor.name,
      actor_source: actor.source,
      claimed_actor: actor.claimed ?? null,
      created_at: ledger.now(),
    }
    const holds = await holdsOf('acknowledgements', [row])
    return {
      id,
      // A promotion that was evaluated before it may pass now.
      revises: true,
      entries: [
        {
          kind: 'surface.acknowledged',
          subject: id,
          actor,
          reason,
          created_at: row.created_at,
          fact: null,
          details: {
            release_id,
            agent_id: agent,
            environment,
            baseline_release_id: baselineId,
            widened,
            ...holding(holds),
          },
        },
      ],
      statements: guard => [insertStatement(row, guard)],
      read: ([inserted]) => inserted!.rows.map(toAcknowledgement)[0],
      recorded: async () => (await rowsOf(ledger.sql, found)).map(toAcknowledgement)[0],
    }
  })
}

function insertStatement(row: NewRow, guard: Statement): Statement {
  return sql`INSERT INTO acknowledgements (acknowledgement_id, agent_id, environment, release_id, baseline_release_id,
      baseline_sha256, candidate_sha256, changes_json, reason, actor, actor_source, claimed_actor, created_at)
    SELECT ${row.acknowledgement_id}, ${row.agent_id}, ${row.environment}, ${row.release_id},
      ${row.baseline_release_id}, ${row.baseline_sha256}, ${row.candidate_sha256}, ${row.changes_json}, ${row.reason},
      ${row.actor}, ${row.actor_source}, CAST(${row.claimed_actor} AS TEXT), CAST(${row.created_at} AS BIGINT)
    WHERE ${guard} RETURNING *`
}

interface NewRow {
  readonly acknowledgement_id: string
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly baseline_release_id: string
  readonly baseline_sha256: string
  readonly candidate_sha256: string
  readonly changes_json: string
  readonly reason: string
  readonly actor: string
  readonly actor_source: string
  readonly claimed_actor: string | null
  readonly created_at: number
}

async function agentOf(db: Sql, releaseId: string): Promise<string> {
  const [row] = await rowsOf(db, sql`SELECT agent_id FROM releases WHERE release_id = ${releaseId}`)
  if (row === undefined) throw badRequest(unknownRelease(releaseId, 'candidate'))
  return String(row.agent_id)
}

/** Throws 400 where nothing is live, or something else than the caller saw. */
function refuseOther(
  { environment, expected_baseline_release_id: expected }: AcknowledgementInput,
  live: string | null,
  agent: string,
): void {
  if (live === null) {
    throw badRequest(
      `Nothing of ${agent} is live in ${environment}: a first promotion is compared with nothing and needs no acknowledgement.`,
    )
  }
  if (expected === undefined || expected === live) return
  throw badRequest(
    `Live for ${agent} in ${environment} is ${live}; you compared with ${expected}. Nothing was recorded: look at the difference again.`,
  )
}

async function differenceIn(baseline: Row, candidate: Row): Promise<PowerDifference | undefined> {
  const power = ({ artifact_json }: Row) => readPower(JSON.parse(String(artifact_json)) as Release)
  return differenceOf(await power(baseline), await power(candidate))
}

export interface AcknowledgementListing {
  readonly agent?: string | undefined
  readonly env?: string | undefined
  readonly limit: number
  readonly scope: Scope
}

/** Acknowledgements, newest first. */
export async function listAcknowledgements(
  db: Sql,
  { agent, env, limit, scope }: AcknowledgementListing,
): Promise<Acknowledgement[]> {
  const conditions = [
    placeInScope(scope),
    ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
    ...(env === undefined ? [] : [sql`environment = ${env}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT * FROM acknowledgements WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(toAcknowledgement)
}

function toAcknowledgement(row: Row): Acknowledgement {
  const text = (column: string): string => String(row[column])
  return {
    acknowledgement_id: text('acknowledgement_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    release_id: text('release_id'),
    baseline_release_id: text('baseline_release_id'),
    baseline_sha256: text('baseline_sha256'),
    candidate_sha256: text('candidate_sha256'),
    ...(JSON.parse(text('changes_json')) as Pick<Acknowledgement, 'widened' | 'changes' | 'more_changes'>),
    reason: text('reason'),
    actor: text('actor'),
    created_at: isoTime(Number(row.created_at)),
  }
}
