/** A change that several answers may share. */
export interface Difference {
  readonly kind: string
  readonly was: string | undefined
  readonly now: string | undefined
  /** The questions whose answers differ by it. */
  readonly questions: readonly string[]
}

/** One answer, kept as the JSON of this. */
export type Entry = readonly [source: string, kind: string, question: string, answer: string]

/** Finds what is answered otherwise than it was; of the answers to one question, those most alike are compared. */
export function differences(was: ReadonlySet<string>, now: ReadonlySet<string>): Difference[] {
  const found = new Map<string, { kind: string; was?: string; now?: string; questions: Set<string> }>()
  const gone = byQuestion(without(was, now))
  const made = byQuestion(without(now, was))
  for (const key of new Set([...gone.keys(), ...made.keys()])) {
    const [source, kind, question] = JSON.parse(key) as Entry
    for (const pair of paired(gone.get(key) ?? [], made.get(key) ?? [])) {
      const changed = shortened(pair)
      const same = JSON.stringify([source, kind, changed])
      const difference = found.get(same) ?? { kind: `${kind} (${source})`, ...changed, questions: new Set() }
      difference.questions.add(question)
      found.set(same, difference)
    }
  }
  const all = [...found.values()].map(one => ({
    was: undefined,
    now: undefined,
    ...one,
    questions: [...one.questions],
  }))
  return all.toSorted((a, b) => b.questions.length - a.questions.length)
}

export function without(entries: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...entries].filter(entry => !others.has(entry)))
}

function byQuestion(entries: ReadonlySet<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const entry of entries) {
    const [source, kind, question, answer] = JSON.parse(entry) as Entry
    const key = JSON.stringify([source, kind, question])
    groups.set(key, [...(groups.get(key) ?? []), answer])
  }
  return groups
}

interface Pair {
  readonly was?: string
  readonly now?: string
}

function paired(gone: readonly string[], made: readonly string[]): Pair[] {
  const rest = new Set(gone)
  const pairs = made.map((now): Pair => {
    const [was] = [...rest].toSorted((a, b) => sameStart(b, now) - sameStart(a, now))
    if (was === undefined) return { now }
    rest.delete(was)
    return { was, now }
  })
  return [...pairs, ...[...rest].map(was => ({ was }))]
}

const AROUND = 30
const LONGEST = 300

/** What differs between two texts, with a little before and after it. */
function shortened({ was = '', now = '' }: Pair): Pair {
  const start = was === '' || now === '' ? 0 : sameStart(was, now)
  const most = Math.min(was.length, now.length) - start
  let end = 0
  while (end < most && was.at(-1 - end) === now.at(-1 - end)) end++
  const part = (text: string): string =>
    text.slice(Math.max(0, start - AROUND), text.length - Math.max(0, end - AROUND)).slice(0, LONGEST)
  return { ...(was === '' ? {} : { was: part(was) }), ...(now === '' ? {} : { now: part(now) }) }
}

function sameStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
