const MOST_KEPT = 1000

/** Puts a value into a map of which the keys that were put there last are kept. */
export function keepLatest<T>(map: Map<string, T>, key: string, value: T, most = MOST_KEPT): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
