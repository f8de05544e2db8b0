import type { Feature } from '../feature.ts'
import { identifyBy } from './oidc_identify.ts'

/** People and programs that identity providers vouch for: their tokens, and sessions of those who sign in. */
export const identity: Feature = {
  name: 'identity',
  identify: identifyBy,
  upkeep: async () => (await import('./sessions.ts')).endOverdue,
}
