/** What changed for who builds upon the package. */
export interface Difference {
  /** What stops working: removed, narrowed, or newly required. */
  readonly major: readonly string[]
  readonly minor: readonly string[]
}

/** Kinds of what users send: no more may be required than before. Of what they get, no less may come. */
const SENT = new Set(['command', 'request', 'file'])

interface Line {
  readonly isSent: boolean
  readonly tokens: ReadonlyMap<string, { readonly isAlways: boolean; readonly types: readonly string[] }>
}

/** Compares descriptions, as `describe` makes them. */
export function compare(before: readonly string[], now: readonly string[]): Difference {
  const [old, present] = [read(before), read(now)]
  const [major, minor]: [string[], string[]] = [[], []]
  for (const [name, line] of old) {
    const found = present.get(name)
    if (found === undefined) major.push(`${name} is gone`)
    else compareLine(name, line, found, { major, minor })
  }
  for (const name of present.keys()) if (!old.has(name)) minor.push(`${name} is new`)
  return { major, minor }
}

function compareLine(
  name: string,
  { isSent, tokens }: Line,
  present: Line,
  { major, minor }: { readonly major: string[]; readonly minor: string[] },
): void {
  for (const [field, before] of tokens) {
    const now = present.tokens.get(field)
    const place = `${name} ${field}`
    if (now === undefined) {
      major.push(`${place} is gone`)
      continue
    }
    if (now.isAlways !== before.isAlways) {
      const isWorse = now.isAlways === isSent
      ;(isWorse ? major : minor).push(`${place} is ${now.isAlways ? 'always there' : 'optional'} now`)
    }
    for (const type of before.types.filter(each => !now.types.includes(each))) {
      ;(isSent ? major : minor).push(`${place} is never ${type} any more`)
    }
    for (const type of now.types.filter(each => !before.types.includes(each))) {
      // New values of a list are announced as such; another type breaks who reads it.
      ;(isSent || type.startsWith('"') ? minor : major).push(`${place} may be ${type} now`)
    }
  }
  for (const [field, { isAlways }] of present.tokens) {
    if (tokens.has(field)) continue
    // What is required within a new field breaks nobody who leaves that out.
    const [, holder = ''] = /^(.+)(?:\[\]|\{\}|\.[^.[{]+)$/.exec(field) ?? []
    const isUsedByNew = present.tokens.has(holder) && !tokens.has(holder)
    const isRequired = isSent && isAlways && !isUsedByNew
    ;(isRequired ? major : minor).push(`${name} ${field} is ${isRequired ? 'required' : 'new'}`)
  }
}

function read(lines: readonly string[]): Map<string, Line> {
  return new Map(
    lines.map(text => {
      const [, kind, name, rest] = /^(\w+) (.+?):(?: (.*))?$/.exec(text)!
      const tokens = (rest ?? '')
        .split(' ')
        .filter(Boolean)
        .map(token => {
          const at = token.indexOf(':')
          const field = token.slice(0, at)
          const types = token.slice(at + 1).split('|')
          return [field.replace(/!$/, ''), { isAlways: field.endsWith('!'), types }] as const
        })
      return [`${kind} ${name}`, { isSent: SENT.has(kind!), tokens: new Map(tokens) }] as const
    }),
  )
}

/** The least version that may follow one, or undefined where the change asks for no other. */
export function leastVersion(released: string, { major, minor }: Difference): string | undefined {
  const [first = 0, second = 0] = released.split('.').map(Number)
  if (major.length > 0) return `${first + 1}.0.0`
  return minor.length > 0 ? `${first}.${second + 1}.0` : undefined
}

/** Whether a version comes before another; both are `1.2.3`. */
export function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map(text => text.split('.').map(Number))
  const at = a!.findIndex((number, index) => number !== b![index])
  return at !== -1 && a![at]! < b![at]!
}
