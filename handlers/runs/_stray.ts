import { badRequest } from '../../src/base/errors.ts'
import { MINUTE_MS, isoTime } from '../../src/base/time.ts'
import type { Called } from '../../src/http/context.ts'
import { agentsOfReleases } from '../../src/ledger/owners.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { runName } from './_events.ts'
import { mayReadAll } from './_scope.ts'

/** Most releases of which each slip is told one by one. */
const MOST_NAMED = 20

/** How far clocks may differ, milliseconds, before a time that lies ahead is taken for one of another zone. */
const MOST_AHEAD_MS = 10 * MINUTE_MS

/**
 * What is odd about sound events as they meet the ledger, a sentence for each: no release of that id, a release of another
 * agent, a time that lies ahead. Throws 400 for the first two where the workspace is strict; clocks differ, so a time is
 * only told of.
 */
export async function strayEvents(context: Called, events: readonly StoredEvent[]): Promise<string[]> {
  const releases = new Set(events.map(event => event.release_id))
  const agents = await agentsOfReleases(context, releases)
  const missing = [...releases].filter(id => !agents.has(id))
  const slips = [...unregisteredTexts(missing), ...foreignTexts(events, agents, context)]
  if (slips.length > 0 && context.workspace.strict) {
    throw badRequest(`Invalid RunEvent: ${slips[0]} (this workspace is strict). Nothing was stored.`)
  }
  return [...slips, ...aheadText(events, context.now())]
}

function unregisteredTexts(missing: readonly string[]): readonly string[] {
  const texts = missing
    .slice(0, MOST_NAMED)
    .map(id => `release ${JSON.stringify(id)} is not registered: its events are kept, but no diff shows them`)
  const more = missing.length - MOST_NAMED
  return more > 0 ? [...texts, `${more} further releases are not registered either`] : texts
}

/** Of events that name another agent than their release is of: a diff refuses runs of two agents on one side. */
function foreignTexts(
  events: readonly StoredEvent[],
  agents: ReadonlyMap<string, string>,
  { caller }: Called,
): readonly string[] {
  const foreign = events.filter(({ release_id, agent_id }) => {
    const owner = agents.get(release_id)
    return owner !== undefined && owner !== agent_id
  })
  const groups = Map.groupBy(foreign, ({ release_id, agent_id }) => JSON.stringify([release_id, agent_id]))
  return [...groups.values()].slice(0, MOST_NAMED).map(group => {
    const [first] = group
    const { release_id, agent_id } = first!
    const owner = mayReadAll(caller) ? JSON.stringify(agents.get(release_id)!.slice(0, 80)) : 'another agent'
    const which = `${count(group)} ${group.length === 1 ? 'names' : 'name'} agent ${JSON.stringify(agent_id.slice(0, 80))}`
    return (
      `release ${JSON.stringify(release_id)} is of ${owner}, but ${which} (first: run_id ${runName(first!)}): ` +
      'a diff refuses a window that has both'
    )
  })
}

function aheadText(events: readonly StoredEvent[], now: number): readonly string[] {
  // Stored times are UTC in one form, so their texts compare as they do.
  const latest = isoTime(now + MOST_AHEAD_MS)
  const ahead = events.filter(({ timestamp }) => timestamp > latest)
  if (ahead.length === 0) return []
  const [first] = ahead
  const which = `${count(ahead)} ${ahead.length === 1 ? 'lies' : 'lie'} ahead of the service's clock`
  return [
    `${which} (first: run_id ${runName(first!)} at ${first!.timestamp}): no window holds a run before its time; is it of another zone?`,
  ]
}

function count({ length }: readonly StoredEvent[]): string {
  return `${length} ${length === 1 ? 'event' : 'events'}`
}
