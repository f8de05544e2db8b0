/** A pattern is an exact name, or the beginning of names and one `*` behind it; `*` alone is every name. */
export function isPattern(text: string): boolean {
  const star = text.indexOf('*')
  return star < 0 || star === text.length - 1
}

export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** The names that both patterns match, as a pattern; undefined where there are none. */
export function common(a: string, b: string): string | undefined {
  if (!a.endsWith('*')) return matches(b, a) ? a : undefined
  if (!b.endsWith('*')) return matches(a, b) ? b : undefined
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  return matches(shorter, longer.slice(0, -1)) ? longer : undefined
}

/** Whether `inner` matches no name that `outer` doesn't. */
export function isWithin(inner: string, outer: string): boolean {
  return common(inner, outer) === inner
}
