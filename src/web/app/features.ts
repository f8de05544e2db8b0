import { aggregates } from '../../features/aggregates/page/behind.tsx'
import { deliveries } from '../../features/deliveries/page/deliveries.tsx'
import { explain } from '../../features/explain/page/feature.ts'
import { explore } from '../../features/explore/page/feature.ts'
import { groups } from '../../features/groups/page/feature.ts'
import { retirements } from '../../features/retirements/page/retiring.tsx'
import { rollouts } from '../../features/rollouts/page/feature.tsx'
import { capabilities } from '../../features/capabilities/page/feature.ts'
import { evaluations } from '../../features/scores/page/feature.ts'
import { identity } from '../../features/identity/page/identity.tsx'
import { tails } from '../../features/tails/page/feature.ts'
import { tokens } from '../../features/tokens/page/feature.ts'
import { watch } from '../../features/watch/page/feature.ts'
import type { PageFeature } from '../components/panels.tsx'

/** What features add to the web UI, in the order in which it is shown. */
export const FEATURES: readonly PageFeature[] = [
  rollouts,
  watch,
  retirements,
  capabilities,
  evaluations,
  explore,
  groups,
  tails,
  deliveries,
  aggregates,
  explain,
  identity,
  tokens,
]
