import type { Feature } from '../feature.ts'
import { identifyBy } from './oidc_identify.ts'

/** Commands for tokens, and tokens of identity providers. */
export const tokens: Feature = { name: 'tokens', identify: identifyBy }
