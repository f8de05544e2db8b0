import { aggregates } from '../features/aggregates/feature.ts'
import { chat } from '../features/chat/feature.ts'
import { conditions } from '../features/conditions/feature.ts'
import { identity } from '../features/identity/feature.ts'
import { live } from '../features/live/feature.ts'
import { proofs } from '../features/proofs/feature.ts'
import { retention } from '../features/retention/feature.ts'
import { retirements } from '../features/retirements/feature.ts'
import { rollouts } from '../features/rollouts/feature.ts'
import { scores } from '../features/scores/feature.ts'
import { segments } from '../features/segments/feature.ts'
import { capabilities } from '../features/capabilities/feature.ts'
import { firstTokenTailChanges, firstTokenTails, tailChanges, tails } from '../features/tails/feature.ts'
import { tools } from '../features/tools/feature.ts'
import { traces } from '../features/traces/feature.ts'
import { watch } from '../features/watch/feature.ts'
import type { Feature } from '../features/feature.ts'
import { places } from './places.ts'

/** All features of the program, in the order in which the core asks them. */
export const FEATURES: readonly Feature[] = [
  retention,
  traces,
  rollouts,
  watch,
  live,
  places,
  proofs,
  tails,
  tailChanges,
  firstTokenTails,
  firstTokenTailChanges,
  tools,
  scores,
  segments,
  conditions,
  capabilities,
  retirements,
  aggregates,
  chat,
  identity,
]
