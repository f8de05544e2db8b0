/** How often each comparison was asked for, by what it compares. */
export type Looks = Map<string, number>

/** Counts a look at a comparison and returns how many there were; the comparisons that were looked at last are kept. */
export function countLook(looks: Looks, comparison: readonly (string | null)[]): number {
  const key = comparison.map(part => part ?? '').join('\0')
  const count = (looks.get(key) ?? 0) + 1
  keepLatest(looks, key, count)
  return count
}

const MOST_KEPT = 1000

/** Puts a value into a map of which the keys that were put there last are kept. */
function keepLatest<T>(map: Map<string, T>, key: string, value: T, most = MOST_KEPT): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
