/** How often each comparison was asked for, by what it compares. */
export type Looks = Map<string, number>

const MOST_KEPT = 1000

/** Counts a look at a comparison and returns how many there were; the comparisons that were looked at last are kept. */
export function countLook(looks: Looks, comparison: readonly (string | null)[]): number {
  const key = comparison.map(part => part ?? '').join('\0')
  const count = (looks.get(key) ?? 0) + 1
  looks.delete(key)
  looks.set(key, count)
  if (looks.size > MOST_KEPT) looks.delete(looks.keys().next().value!)
  return count
}
