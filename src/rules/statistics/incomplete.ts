import type { StoredEvent } from '../../models/documents/stored_event.ts'

/**
 * What the name of a model ends in where sums count runs whose usage isn't all known: such a model has no price, so the
 * cost leaves these runs out, and errors and latency count them.
 */
const ENDING = ' (usage incomplete)'

/** The name by which sums know the model of an event. */
export function countedModel({ usage }: Pick<StoredEvent, 'usage'>, model: string): string {
  return usage.incomplete === true ? model + ENDING : model
}

export function isIncomplete(model: string): boolean {
  return model.endsWith(ENDING)
}

/** The name that events have for such a model. */
export function modelIn(incomplete: string): string {
  return incomplete.slice(0, -ENDING.length)
}

/** How many runs have a usage that isn't all known. */
export function incompleteRuns(
  variants: readonly { readonly model: string; readonly runs: number }[],
): number {
  return variants.reduce((sum, { model, runs }) => (isIncomplete(model) ? sum + runs : sum), 0)
}

/** Largest share of a side's runs without which its cost is still evidence. */
export const MOST_INCOMPLETE = 0.02
