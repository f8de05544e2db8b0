export interface HeaderRule {
  /** A path, or the start of one before a `*`. */
  readonly pattern: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads src/web/public/_headers: a path at the start of a line, and below it, indented, the headers of what it matches. */
export function parseHeaders(text: string): HeaderRule[] {
  return text
    .split(/\n(?=\S)/)
    .filter(block => block.trim() !== '')
    .map(block => {
      const [pattern, ...lines] = block.split('\n').map(line => line.trim())
      const pairs = lines.filter(line => line !== '').map(line => /^([^:]+):\s*(.*)$/.exec(line)!)
      return {
        pattern: pattern!,
        headers: Object.fromEntries(pairs.map(([, name, value]) => [name!.toLowerCase(), value!])),
      }
    })
}

export function headersFor(path: string, rules: readonly HeaderRule[]): Record<string, string> {
  const matching = rules.filter(({ pattern }) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  )
  return Object.assign({}, ...matching.map(({ headers }) => headers)) as Record<string, string>
}
