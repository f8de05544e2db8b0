import type { InputPart } from '../../models/all/input.ts'
import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import type { Acknowledgement } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Row, type Sql, join, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asText,
  asTime,
  ask,
  columns,
  firstRow,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { requirePerson } from '../../ledger/decide/approvers.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { placeQuery, verifiedPointer } from '../../ledger/trail/pointers.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import type { Actor, Identity, Ledger } from '../../ledger/world/ledger.ts'
import { type Scope, placeInScope } from '../../ledger/world/scope.ts'
import { differenceOf, readPower } from './power.ts'

export interface AcknowledgementInput extends Omit<InputPart<'AcknowledgementsMake', 'body'>, 'actor'> {
  readonly actor: Actor
}

/**
 * Records that somebody accepts the capabilities of a release that the live one lacks in an environment. It counts for every
 * release with these capabilities, until the live release has other ones. Throws 400 if nothing is live or the release has no new
 * capabilities, and 403 for a caller whom `approvals.people_only` rules out.
 */
export async function acknowledge(ledger: Ledger, input: AcknowledgementInput): Promise<Acknowledgement> {
  const { release_id, environment, reason, actor } = input
  if (isBlank(reason)) throw badRequest('reason is required to acknowledge new capabilities')
  if (ledger.workspace.approvals?.people_only === true) {
    requirePerson(actor, 'acknowledge new capabilities')
  }
  refuseUndeclared(ledger, environment)
  const identity = actor.identity === undefined ? null : JSON.stringify(actor.identity)
  const agent = sql`(SELECT agent_id FROM releases WHERE release_id = ${release_id})`
  const query = together({
    place: placeQuery(agent, environment),
    candidate: firstRow(
      sql`SELECT agent_id, artifact_json FROM releases WHERE release_id = ${release_id}`,
      columns({ agent_id: asText, ...ARTIFACT }),
    ),
    live: firstRow(
      sql`SELECT r.artifact_json FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
        WHERE p.agent_id = ${agent} AND p.environment = ${environment}`,
      columns(ARTIFACT),
    ),
    own: allRows(
      sql`SELECT ${COLUMNS} FROM acknowledgements WHERE agent_id = ${agent} AND environment = ${environment}
        AND actor = ${actor.name} AND coalesce(claimed_actor, '') = ${actor.claimed ?? ''}
        AND coalesce(actor_identity, '') = ${identity ?? ''} ORDER BY seq DESC LIMIT ${MOST_READ}`,
      toAcknowledgement,
    ),
  })
  const id = ledger.newId('ack_')
  return writeLogged(ledger, query, async ({ place, candidate, live, own }) => {
    if (candidate === undefined) throw badRequest(unknownRelease(release_id, 'candidate'))
    const { agent_id } = candidate
    const baseline_release_id = liveIn(input, verifiedPointer(place)?.release_id, agent_id)
    const difference = await differenceOf(readPower(live!.artifact_json), readPower(candidate.artifact_json))
    if (difference === undefined || difference.widened === 0) {
      throw badRequest(
        `${release_id} has no new capabilities compared with ${baseline_release_id}, which is live in ${environment}: there is nothing to acknowledge.`,
      )
    }
    const { baseline_sha256, candidate_sha256, widened, changes, more_changes } = difference
    const same = own.find(
      one => one.baseline_sha256 === baseline_sha256 && one.candidate_sha256 === candidate_sha256,
    )
    if (same !== undefined) return { already: { ...same, reused: true } }
    const row = {
      acknowledgement_id: id,
      agent_id,
      environment,
      release_id,
      baseline_release_id,
      baseline_sha256,
      candidate_sha256,
      changes_json: JSON.stringify({ widened, changes, more_changes }),
      reason,
      actor: actor.name,
      actor_source: actor.source,
      claimed_actor: actor.claimed ?? null,
      actor_identity: identity,
      created_at: ledger.now(),
    }
    const holds = await holdsOf('acknowledgements', [row])
    return {
      id,
      // A promotion that was evaluated before it may pass now.
      revises: { agent: agent_id },
      entries: [
        {
          kind: 'capabilities.acknowledged',
          subject: id,
          actor,
          reason,
          created_at: row.created_at,
          fact: null,
          details: { release_id, agent_id, environment, baseline_release_id, widened, ...holding(holds) },
        },
      ],
      write: guard => [insertRow('acknowledgements', row, guard)],
      done: toAcknowledgement(row),
    }
  })
}

/** What is live. Throws 400 where nothing is, or something else than the caller saw. */
function liveIn(
  { environment, expected_baseline_release_id: expected }: AcknowledgementInput,
  live: string | undefined,
  agent: string,
): string {
  if (live === undefined) {
    throw badRequest(
      `Nothing of ${agent} is live in ${environment}: a first promotion is not compared and needs no acknowledgement.`,
    )
  }
  if (expected === undefined || expected === live) return live
  throw badRequest(
    `Live for ${agent} in ${environment} is ${live}; you compared with ${expected}. Nothing was recorded: check the difference again.`,
  )
}

export interface AcknowledgementListing extends InputPart<'AcknowledgementsList', 'query'> {
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
const MOST_READ = 200

const ARTIFACT = { artifact_json: asJson<Release> } as const

/** Named, because a newer server may have added others. */
const COLUMNS = sql`acknowledgement_id, agent_id, environment, release_id, baseline_release_id, baseline_sha256,
  candidate_sha256, changes_json, reason, actor, claimed_actor, actor_identity, created_at`

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
  claimed_actor: orNull(asText),
  actor_identity: orNull(asJson<Identity>),
  created_at: asTime,
})

function toAcknowledgement(row: Row): Acknowledgement {
  const {
    changes_json: changes,
    reason,
    actor,
    claimed_actor,
    actor_identity,
    created_at,
    ...named
  } = ROW(row)
  return {
    ...named,
    ...changes,
    reason,
    actor,
    ...(claimed_actor === null ? {} : { claimed_actor }),
    ...(actor_identity === null ? {} : { actor_identity }),
    created_at,
  }
}
