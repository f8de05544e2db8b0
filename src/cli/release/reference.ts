import { badRequest } from '../../base/errors.ts'
import type { ReleaseRecord } from '../../models/documents/release.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Io } from '../terminal/io.ts'
import { safe } from '../terminal/text.ts'

/** An id as services give them. */
const WHOLE_ID = /^rel_[0-9a-f]{12}$/

/** Shortest beginning of an id that is taken for it: `rel_` and two characters. */
const LEAST_CHARS = 6

const MOST_LISTED = 5

/**
 * The ids of releases that were typed as an id, the beginning of one, or a version. Asks for the list of releases only
 * where one isn't a whole id. What fits none is left as it is: the service says that it is unknown. Where several of one
 * agent fit, those that were registered for the environment of the command count. Throws 400 with the candidates where
 * several are left: the environment must not choose the agent.
 */
export async function releaseIds(
  typed: readonly string[],
  api: Api,
  io: Io,
  environment?: string,
): Promise<string[]> {
  if (typed.every(text => WHOLE_ID.test(text))) return [...typed]
  const { releases } = await callJson(api, 'GET /v1/releases')
  return typed.map(text => idOf(text, { releases, environment }, io))
}

export async function releaseId(typed: string, api: Api, io: Io, environment?: string): Promise<string> {
  const [id] = await releaseIds([typed], api, io, environment)
  return id!
}

interface Among {
  readonly releases: readonly ReleaseRecord[]
  readonly environment: string | undefined
}

function idOf(typed: string, { releases, environment }: Among, io: Io): string {
  if (releases.some(({ release_id }) => release_id === typed)) return typed
  const all = candidatesOf(typed, releases)
  const here = all.filter(release => release.environment === environment)
  const isOneAgent = new Set(all.map(({ agent_id }) => agent_id)).size === 1
  const found = isOneAgent && here.length > 0 ? here : all
  if (found.length > 1) throw badRequest(ambiguous(typed, found))
  if (found[0] === undefined) return typed
  io.err(`svc: ${safe(typed)} is ${safe(described(found[0]))}\n`)
  return found[0].release_id
}

/** A version has to be typed whole: 1.1 must not mean 1.10. */
function candidatesOf(typed: string, releases: readonly ReleaseRecord[]): ReleaseRecord[] {
  const versions = releases.filter(({ version }) => version === typed)
  if (versions.length > 0 || !typed.startsWith('rel_') || typed.length < LEAST_CHARS) return versions
  return releases.filter(({ release_id }) => release_id.startsWith(typed))
}

function ambiguous(typed: string, found: readonly ReleaseRecord[]): string {
  const listed = found.slice(0, MOST_LISTED).map(described)
  const more = found.length - listed.length
  const rest = more > 0 ? `, and ${more} more` : ''
  return `${typed} matches ${found.length} releases; name one by its id: ${listed.join(', ')}${rest}.`
}

function described({ release_id, agent_id, version, environment }: ReleaseRecord): string {
  return `${release_id} (${agent_id} ${version} for ${environment})`
}
