import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import type { Acknowledgement } from '../../models/answers/surface.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import { allRows, asJson, asText, asTime, ask, columns, firstRow, together } from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { placeQuery, verifiedPointer } from '../../ledger/trail/pointers.ts'
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
  const query = together({
    place: placeQuery(sql`${agent}`, environment),
    candidate: firstRow(sql`SELECT artifact_json FROM releases WHERE release_id = ${release_id}`, ARTIFACT),
    live: firstRow(
      sql`SELECT r.artifact_json FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
        WHERE p.agent_id = ${agent} AND p.environment = ${environment}`,
      ARTIFACT,
    ),
    own: allRows(
      sql`SELECT ${COLUMNS} FROM acknowledgements WHERE agent_id = ${agent} AND environment = ${environment}
        AND actor = ${actor.name} ORDER BY seq DESC LIMIT ${MOST_LOOKED_AT}`,
      toAcknowledgement,
    ),
  })
  const id = ledger.newId('ack_')
  const written = firstRow(
    sql`SELECT ${COLUMNS} FROM acknowledgements WHERE acknowledgement_id = ${id}`,
    toAcknowledgement,
  )
  return writeLogged(ledger, query, async ({ place, candidate, live, own }) => {
    const baselineId = liveIn(input, verifiedPointer(place)?.release_id, agent)
    const difference = differenceOf(
      await readPower(live!.artifact_json),
      await readPower(candidate!.artifact_json),
    )
    if (difference === undefined || difference.widened === 0) {
      throw badRequest(
        `${release_id} may do no more than ${baselineId}, which is live in ${environment}: there is nothing to acknowledge.`,
      )
    }
    const { baseline_sha256, candidate_sha256, widened, changes, more_changes } = difference
    const same = own.find(
      one => one.baseline_sha256 === baseline_sha256 && one.candidate_sha256 === candidate_sha256,
    )
    if (same !== undefined) return { already: { ...same, reused: true } }
    const row = {
      acknowledgement_id: id,
      agent_id: agent,
      environment,
      release_id,
      baseline_release_id: baselineId,
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
      write: guard => firstRow(insertStatement(row, guard), toAcknowledgement),
      recorded: () => ask(ledger.sql, written),
    }
  })
}

function insertStatement(row: NewRow, guard: Statement): Statement {
  return sql`INSERT INTO acknowledgements (acknowledgement_id, agent_id, environment, release_id, baseline_release_id,
      baseline_sha256, candidate_sha256, changes_json, reason, actor, actor_source, claimed_actor, created_at)
    SELECT ${row.acknowledgement_id}, ${row.agent_id}, ${row.environment}, ${row.release_id},
      ${row.baseline_release_id}, ${row.baseline_sha256}, ${row.candidate_sha256}, ${row.changes_json}, ${row.reason},
      ${row.actor}, ${row.actor_source}, CAST(${row.claimed_actor} AS TEXT), CAST(${row.created_at} AS BIGINT)
    WHERE ${guard} RETURNING ${COLUMNS}`
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
  const release = firstRow(
    sql`SELECT agent_id FROM releases WHERE release_id = ${releaseId}`,
    columns({ agent_id: asText }),
  )
  const found = await ask(db, release)
  if (found === undefined) throw badRequest(unknownRelease(releaseId, 'candidate'))
  return found.agent_id
}

/** What is live. Throws 400 where nothing is, or something else than the caller saw. */
function liveIn(
  { environment, expected_baseline_release_id: expected }: AcknowledgementInput,
  live: string | undefined,
  agent: string,
): string {
  if (live === undefined) {
    throw badRequest(
      `Nothing of ${agent} is live in ${environment}: a first promotion is compared with nothing and needs no acknowledgement.`,
    )
  }
  if (expected === undefined || expected === live) return live
  throw badRequest(
    `Live for ${agent} in ${environment} is ${live}; you compared with ${expected}. Nothing was recorded: look at the difference again.`,
  )
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
  const listed = sql`SELECT ${COLUMNS} FROM acknowledgements WHERE ${join(conditions, ' AND ')}
    ORDER BY seq DESC LIMIT ${limit}`
  return ask(db, allRows(listed, toAcknowledgement))
}

/** Acknowledgements of one person in one place that are looked through for the same one. */
const MOST_LOOKED_AT = 200

const ARTIFACT = columns({ artifact_json: asJson<Release> })

/** Named, because a newer server may have added others. */
const COLUMNS = sql`acknowledgement_id, agent_id, environment, release_id, baseline_release_id, baseline_sha256,
  candidate_sha256, changes_json, reason, actor, created_at`

const ROW = columns({
  acknowledgement_id: asText,
  agent_id: asText,
  environment: asText,
  release_id: asText,
  baseline_release_id: asText,
  baseline_sha256: asText,
  candidate_sha256: asText,
  changes_json: asJson<Pick<Acknowledgement, 'widened' | 'changes' | 'more_changes'>>,
  reason: asText,
  actor: asText,
  created_at: asTime,
})

function toAcknowledgement(row: Row): Acknowledgement {
  const { changes_json: changes, reason, actor, created_at, ...named } = ROW(row)
  return { ...named, ...changes, reason, actor, created_at }
}
