import { badRequest } from '../../base/errors.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asText,
  ask,
  columns,
  field,
  firstRow,
  listed,
  mapped,
  orNull,
  rowsOfKeys,
} from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'

/** What decisions and diffs need of a release. */
export interface ReleaseFacts {
  readonly release_id: string
  readonly agent_id: string
  readonly version: string
  /** That it was registered for. */
  readonly environment: string
  readonly checksum: string
  readonly model: string
  readonly provider: string
  readonly pricing_version: string
}

/** What {@link toReleaseFacts} reads of a release `r`. */
export const RELEASE_COLUMNS = raw(`r.release_id, r.agent_id, r.version, r.environment, r.checksum, r.model,
  r.pricing_provider, r.pricing_version`)

/** A release by its id, which may be an expression. */
export function releaseQuery(releaseId: string | Statement): Query<ReleaseFacts | undefined> {
  return firstRow(
    sql`SELECT ${RELEASE_COLUMNS} FROM releases r WHERE r.release_id = ${releaseId}`,
    toReleaseFacts,
  )
}

const readPrices = field('pricing_json', orNull(asText))

interface PricedRelease {
  readonly release: ReleaseFacts
  /** Null where its price table is missing. */
  readonly pricingJson: string | null
}

/** A release with the JSON of its price table. */
export function pricedReleaseQuery(releaseId: string): Query<PricedRelease | undefined> {
  return mapped(pricedReleasesQuery([releaseId]), ([found]) => found)
}

/** The same of some releases, in their order. */
export function pricedReleasesQuery(releaseIds: readonly string[]): Query<(PricedRelease | undefined)[]> {
  const rows = allRows(
    sql`SELECT ${RELEASE_COLUMNS}, p.pricing_json
      FROM releases r LEFT JOIN pricing_tables p
        ON p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version
      WHERE r.release_id IN (${listed(releaseIds)})`,
    row => ({ release: toReleaseFacts(row), pricingJson: readPrices(row) }),
  )
  return mapped(rows, found =>
    releaseIds.map(id => found.find(({ release: { release_id } }) => release_id === id)),
  )
}

const readFacts = columns({
  release_id: asText,
  agent_id: asText,
  version: asText,
  environment: asText,
  checksum: asText,
  model: asText,
  pricing_provider: asText,
  pricing_version: asText,
})

export function toReleaseFacts(row: Row): ReleaseFacts {
  const { pricing_provider: provider, ...facts } = readFacts(row)
  return { ...facts, provider }
}

/** The release, or 400 `Unknown release: <id>`. */
export function knownRelease(release: ReleaseFacts | undefined, releaseId: string): ReleaseFacts {
  if (release === undefined) throw badRequest(unknownRelease(releaseId))
  return release
}

export function unknownRelease(releaseId: string, label = ''): string {
  return `Unknown ${label === '' ? '' : `${label} `}release: ${releaseId}`
}

/** Whose something is. */
interface Owner {
  readonly agent_id: string
  readonly environment: string
}

/** The agent of a release; undefined where there is none. */
export async function ownerOfRelease(db: Sql, releaseId: string): Promise<string | undefined> {
  const owner = firstRow(
    sql`SELECT agent_id FROM releases WHERE release_id = ${releaseId}`,
    field('agent_id', asText),
  )
  return ask(db, owner)
}

/** Above this many a memo of owners begins again, so that odd input can't fill the memory. */
const MOST_REMEMBERED = 10_000

/**
 * How long the agent of a release is believed, ms, as long as what a token is good for. A release never changes, but a
 * ledger that is restored to an earlier state may not have it any more.
 */
const BELIEVED_MS = 3000

/** The agents of those of the given releases that are registered, each read once in a while. */
export async function agentsOfReleases(
  { sql: db, memo: { owners: known }, now }: Pick<Ledger, 'sql' | 'memo' | 'now'>,
  releaseIds: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const age = now() - known.since
  // A clock that was set back tells nothing of the age.
  if (age < 0 || age >= BELIEVED_MS) {
    known.agents.clear()
    known.since = now()
  }
  const owners = known.agents
  const agents = new Map<string, string>()
  const unknown: string[] = []
  for (const id of new Set(releaseIds)) {
    const agent = owners.get(id)
    if (agent === undefined) unknown.push(id)
    else agents.set(id, agent)
  }
  const rows = await rowsOfKeys(
    db,
    unknown,
    ids => sql`SELECT release_id, agent_id FROM releases WHERE release_id IN (${ids})`,
    columns({ release_id: asText, agent_id: asText }),
  )
  if (owners.size > MOST_REMEMBERED) owners.clear()
  for (const { release_id, agent_id } of rows) {
    agents.set(release_id, agent_id)
    owners.set(release_id, agent_id)
  }
  return agents
}

export function ownerOfAction(db: Sql, actionId: string): Promise<Owner | undefined> {
  return ownerIn(db, sql`actions WHERE action_id = ${actionId}`)
}

export function ownerOfRequest(db: Sql, requestId: string): Promise<Owner | undefined> {
  return ownerIn(db, sql`promotion_requests WHERE request_id = ${requestId}`)
}

function ownerIn(db: Sql, from: Statement): Promise<Owner | undefined> {
  return ask(
    db,
    firstRow(
      sql`SELECT agent_id, environment FROM ${from}`,
      columns({ agent_id: asText, environment: asText }),
    ),
  )
}
