import { firstFew } from '../../base/text.ts'
import { fetchRelease } from '../release/release.ts'
import type { Api } from '../service/api.ts'
import type { Io } from '../terminal/io.ts'
import { safe } from '../terminal/text.ts'

/** What was looked for, and not found. */
export interface Searched {
  readonly environment: string
  readonly window: string
  /** Whether for some tenants, tasks or traces only. */
  readonly isNarrowed: boolean
}

/**
 * Says of a release without runs where it has some: the environment may have been left out, or mistyped. What the service
 * won't tell (a diff is open to all) stays unsaid.
 */
export async function noteWhereRunsAre(
  release_id: string,
  searched: Searched,
  api: Api,
  io: Io,
): Promise<void> {
  const places = await placesOf(release_id, api)
  if (places !== undefined) io.err(`svc: ${safe(whereRunsAre(release_id, places, searched))}\n`)
}

/** Says of releases that ran in other environments only where they did: one of the names may be mistyped. */
export async function noteOtherPlaces(
  release_ids: Iterable<string>,
  environment: string,
  api: Api,
  io: Io,
): Promise<void> {
  for (const release_id of new Set(release_ids)) {
    const places = (await placesOf(release_id, api)) ?? []
    if (places.length === 0 || places.includes(environment)) continue
    io.err(`svc: ${safe(elsewhereText(release_id, places, environment))}\n`)
  }
}

/** Where a release has runs; undefined where the service won't tell, or is of a version that doesn't. */
async function placesOf(release_id: string, api: Api): Promise<readonly string[] | undefined> {
  const release = await fetchRelease(api, release_id, { run_environments: true }).catch(() => undefined)
  return release?.run_environments
}

function elsewhereText(release_id: string, places: readonly string[], environment: string): string {
  return `${release_id} has no runs in ${environment}, but in ${firstFew(places)}; say so with --env`
}

function whereRunsAre(
  release_id: string,
  places: readonly string[],
  { environment, window, isNarrowed }: Searched,
): string {
  if (places.length === 0) return `${release_id} has no runs yet, in any environment`
  if (!places.includes(environment)) return elsewhereText(release_id, places, environment)
  return isNarrowed
    ? `${release_id} has runs in ${environment}, but none that match in the last ${window}`
    : `${release_id} has runs in ${environment}, but none of the last ${window}; take a longer --window`
}
