import type { Gate } from '../../src/models/deploys/gate.ts'
import { key, optional, window } from '../../src/http/endpoint/fields.ts'

export const placeFields = {
  agent_id: key('The agent.'),
  environment: key('The environment.'),
} as const

export const gateFields = {
  release_id: optional(
    key(
      'The release that wants to pass. The newest one that was registered for the environment unless given.',
    ),
  ),
  window: window('Events to judge by, counted back from now', { example: '24h' }),
  baseline_release_id: optional(key('What it is compared with. The promoted release unless given.')),
} as const

/** Tells the verdict to who doesn't read the answer; no cache may keep it. */
export function verdictHeaders({ verdict }: Gate): Record<string, string> {
  return { 'x-service-verdict': verdict, 'cache-control': 'no-store' }
}
