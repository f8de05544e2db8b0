import { badRequest, unprocessable } from '../../base/errors.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asText, columns, rowsOfKeys } from '../../sql/query.ts'
import type { Place, ReadCells } from './rules_read.ts'

/** A release that cells are of, and where it ran. */
export interface CellsRelease {
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
}

const RELEASE = columns({ release_id: asText, agent_id: asText, version: asText, checksum: asText })
type Release = ReturnType<typeof RELEASE>

/**
 * The release of each place. Throws 422, by line, for one that is not registered, is meant by two names, or is of another
 * agent than its cells.
 */
export async function releasesOf(db: Sql, { places, hours, variants }: ReadCells): Promise<CellsRelease[]> {
  const ids = [...new Set(places.flatMap(({ release_id }) => release_id ?? []))]
  const agents = [
    ...new Set(places.flatMap(place => (place.release_id === undefined ? place.agent_id! : []))),
  ]
  const byId = await rowsOfKeys(
    db,
    ids,
    some => sql`SELECT * FROM releases WHERE release_id IN (${some})`,
    RELEASE,
  )
  const byAgent = await rowsOfKeys(
    db,
    agents,
    some => sql`SELECT * FROM releases WHERE agent_id IN (${some}) ORDER BY seq DESC`,
    RELEASE,
  )
  const lineOf = new Map<number, number>()
  for (const { place, line } of hours) if (!lineOf.has(place)) lineOf.set(place, line)
  const wrong = (place: number, field: string, msg: string) =>
    unprocessable([{ loc: ['body', `line ${lineOf.get(place) ?? 2}`, field], msg, type: 'cell' }])
  const known = new Map(byId.map(release => [release.release_id, release]))
  const found = places.map((place, index) => {
    const { release_id: id, environment } = place
    const release = id === undefined ? ofVersion(place, byAgent) : known.get(id)
    if (release === undefined) throw wrong(index, 'release_id', `${id} is not registered`)
    if (typeof release === 'string') throw wrong(index, 'version', release)
    return { release_id: release.release_id, agent_id: release.agent_id, environment }
  })
  refuseTwice(found)
  for (const { place, rows } of hours) {
    for (const [, of] of [...rows.runs, ...rows.parts]) {
      const agent = variants[of as number]![0]
      const { agent_id: own, release_id } = found[place]!
      if (agent !== own)
        throw wrong(place, 'agent_id', `${release_id} is a release of ${own}, not of ${agent}`)
    }
  }
  return found
}

function ofVersion({ agent_id, version }: Place, releases: readonly Release[]): Release | string {
  const [newest, ...others] = releases.filter(each => each.agent_id === agent_id && each.version === version)
  if (newest === undefined) return `no release of ${agent_id} has version ${version}`
  if (others.every(({ checksum }) => checksum === newest.checksum)) return newest
  return `several releases of ${agent_id} have version ${version} and differ: send release_id`
}

function refuseTwice(found: readonly CellsRelease[]): void {
  const seen = new Set<string>()
  for (const { release_id, environment } of found) {
    const key = `${release_id}\0${environment}`
    if (seen.has(key))
      throw badRequest(
        `${release_id} in ${environment} is meant by its id and by a version: use one of them.`,
      )
    seen.add(key)
  }
}
