/** Longest names that are compared, and how many: the work grows with the square of the one and with the other. */
const MOST_CHARS = 64
const MOST_KNOWN = 200

/** Names of `known` that look like a slip of `name`, closest first: at most `most`. Long names are none. */
export function similarNames(name: string, known: Iterable<string>, most = 3): string[] {
  if (name.length > MOST_CHARS) return []
  const wanted = name.toLowerCase()
  return firstShort(known)
    .map(candidate => ({ candidate, distance: distanceTo(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

function firstShort(names: Iterable<string>): string[] {
  const short: string[] = []
  for (const name of names) {
    if (name.length <= MOST_CHARS) short.push(name)
    if (short.length === MOST_KNOWN) break
  }
  return short
}

/** Levenshtein distance; 1 where one name merely starts with the other. */
function distanceTo(a: string, b: string): number {
  if (a === b) return 0
  if (a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a))) return 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}
