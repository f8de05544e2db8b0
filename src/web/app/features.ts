import { deliveries } from '../../features/deliveries/page/deliveries.tsx'
import { explain } from '../../features/explain/page/feature.ts'
import { explore } from '../../features/explore/page/feature.ts'
import { identity } from '../../features/identity/page/identity.tsx'
import { tokens } from '../../features/tokens/page/feature.ts'
import type { PageFeature } from '../components/panels.tsx'

/** What features add to the web UI, in the order in which it is shown. */
export const FEATURES: readonly PageFeature[] = [explore, deliveries, explain, identity, tokens]
