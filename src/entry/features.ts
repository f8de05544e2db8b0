import type { Features } from '../ledger/world/ledger.ts'

export { identifyBy } from '../features/identity/oidc_identify.ts'

/** What features add to the core, by the part that it is, in the order in which the core uses them. */
export const FEATURES: Features = {
  checks: [
    async () => (await import('../features/retention/check.ts')).CHECKS,
    async () => (await import('../features/traces/check.ts')).CHECKS,
    async () => (await import('../features/rollouts/check.ts')).CHECKS,
    async () => (await import('../features/watch/claim.ts')).CHECKS,
    async () => (await import('../features/proofs/digests.ts')).CHECKS,
    async () => (await import('../features/scores/check.ts')).CHECKS,
    async () => (await import('../features/segments/sums.ts')).CHECKS,
    async () => (await import('../features/capabilities/notices.ts')).CHECKS,
    async () => (await import('../features/retirements/check.ts')).CHECKS,
    async () => (await import('../features/aggregates/check.ts')).CHECKS,
  ],
  upkeep: [
    async () => (await import('../features/traces/kept_spans.ts')).keepSpans,
    async () => (await import('../features/rollouts/tick.ts')).forgetUnits,
    async () => (await import('../features/live/findings.ts')).noteFindings,
    // So that the board has answers. It imports several features, which no feature may.
    async () => (await import('../../handlers/deploys/_places.ts')).keepPlaces,
    async () => (await import('../features/proofs/digests.ts')).digestEvents,
    async () => (await import('../features/scores/receive.ts')).forgetUploads,
    async () => (await import('../features/segments/sums.ts')).upkeep,
    async () => (await import('../features/capabilities/notices.ts')).reportUndeclared,
    async () => (await import('../features/identity/sessions.ts')).endOverdue,
  ],
  trigger: [
    async () => (await import('../features/rollouts/tick.ts')).trigger,
    async () => (await import('../features/watch/tick.ts')).trigger,
    async () => (await import('../features/proofs/trigger.ts')).trigger,
  ],
  metrics: [
    async () => (await import('../features/traces/check.ts')).families,
    async () => (await import('../features/live/findings.ts')).families,
    async () => (await import('../features/aggregates/check.ts')).families,
  ],
  sums: [async () => (await import('../features/segments/sums.ts')).sums],
  measure: [
    async () => (await import('../features/tails/tails.ts')).measure,
    async () => (await import('../features/tails/tails.ts')).changes,
    async () => (await import('../features/tails/tails.ts')).firstTokens,
    async () => (await import('../features/tails/tails.ts')).firstTokenChanges,
    async () => (await import('../features/tools/tools.ts')).measure,
    async () => (await import('../features/scores/sides.ts')).measure,
    async () => (await import('../features/segments/measure.ts')).measure,
  ],
  naming: [
    async () => (await import('../features/scores/sides.ts')).naming,
    async () => (await import('../features/segments/read.ts')).naming,
  ],
  condition: [
    async () => (await import('../features/conditions/condition.ts')).CONDITION,
    async () => (await import('../features/capabilities/condition.ts')).CONDITION,
    async () => (await import('../features/retirements/known.ts')).CONDITION,
    async () => (await import('../features/aggregates/fed.ts')).CONDITION,
  ],
  concerns: [
    async () => (await import('../features/rollouts/rows.ts')).CONCERNS,
    async () => (await import('../features/watch/claim.ts')).BASELINES,
  ],
  ingest: [
    async () => (await import('../features/rollouts/counting.ts')).counting,
    async () => (await import('../features/capabilities/ran.ts')).keepUndeclared,
  ],
  fed: [async () => (await import('../features/aggregates/fed.ts')).fed],
  rebuild: [
    async () => (await import('../features/capabilities/again.ts')).rebuildRan,
    async () => (await import('../features/aggregates/rebuild.ts')).rebuild,
  ],
  decision: [
    async () => (await import('../features/rollouts/change.ts')).decision,
    async () => (await import('../features/watch/begin.ts')).decision,
  ],
  removal: [
    async () => (await import('../features/watch/claim.ts')).removal,
    async () => (await import('../features/scores/removal.ts')).removal,
    async () => (await import('../features/aggregates/store.ts')).removal,
  ],
  split: [async () => (await import('../features/rollouts/split.ts')).split],
  holdbackArms: [async () => (await import('../features/rollouts/split.ts')).holdbackArms],
  formats: [async () => (await import('../features/chat/rules_body.ts')).FORMATS],
}
