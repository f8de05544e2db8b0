import { USUAL_WINDOW } from '../../rules/window.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import type { Comparing } from '../reads.ts'
import { type Params, href, param } from '../route.ts'

interface Placed {
  readonly agent_id: string
  readonly environment: string
}

/** The link to the page of an agent in an environment; `more` names what is compared there, or the sheet on top of it. */
export const placeLink = ({ agent_id, environment }: Placed, more: Params = {}): string =>
  href('place', { agent: agent_id, env: environment, ...more })

/** What the page of a place compares, and whether that is what the service judges by itself. */
export interface Comparison extends Comparing {
  /** Whether it is what is next against what is live, now, over all runs. */
  readonly isOwn: boolean
}

/** What is next against what is live, else what is live against what it replaced, unless the address names others. */
export function comparisonOf({ environment, live, candidate, window }: PlaceAnswer): Comparison {
  const [newer, older] =
    candidate === null ? [live?.release_id, live?.before] : [candidate.release_id, live?.release_id]
  const own = { candidate: newer ?? '', baseline: older ?? '' }
  const chosen = {
    candidate: param('candidate') || own.candidate,
    baseline: param('baseline') || own.baseline,
    window: param('window') || (window ?? USUAL_WINDOW),
    tenant: param('tenant'),
    task: param('task'),
    until: param('until'),
  }
  const isOwn =
    chosen.candidate === own.candidate &&
    chosen.baseline === own.baseline &&
    `${chosen.tenant}${chosen.task}${chosen.until}` === ''
  return { environment, ...chosen, isOwn }
}
