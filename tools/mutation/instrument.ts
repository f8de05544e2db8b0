import type { Mutant } from './mutants.ts'
import { type Node, childrenOf, parse } from './syntax.ts'

/** A mutant with the number that switches it on. */
export interface Numbered extends Pick<Mutant, 'start' | 'end' | 'instead' | 'kind'> {
  readonly id: number
}

/** Is in the text of a file that has mutants, and says whether one is switched on. */
const SWITCH = 'mutantIsOn'

interface Place {
  readonly start: number
  readonly end: number
  readonly mutants: readonly Numbered[]
}

/** The text of a file with all these mutants in it, each behind its switch. Lines stay where they are. */
export function instrumented(file: string, text: string, mutants: readonly Numbered[]): string {
  const starts = new Set(statementStarts(parse(file, text)))
  return `const ${SWITCH} = globalThis.${SWITCH};${rendered(0, text.length, placesOf(mutants))}`

  function rendered(start: number, end: number, places: readonly Place[]): string {
    const [parts, rest] = [[] as string[], [...places]]
    let at = start
    while (rest.length > 0) {
      const place = rest.shift()!
      const inside: Place[] = []
      while (rest.length > 0 && rest[0]!.end <= place.end) inside.push(rest.shift()!)
      // Without it a statement that comes to begin with a bracket would go on with the line before.
      const separator = starts.delete(place.start) ? ';' : ''
      parts.push(text.slice(at, place.start), separator, switched(place, inside))
      at = place.end
    }
    return `${parts.join('')}${text.slice(at, end)}`
  }

  function switched({ start, end, mutants: here }: Place, inside: readonly Place[]): string {
    if (here[0]!.kind === 'statements') {
      const [open, close] = text[start] === '{' ? [1, 1] : [0, 0]
      const body = rendered(start + open, end - close, inside)
      return `{if(!${SWITCH}(${here[0]!.id})){${body}}}`
    }
    const others = here.map(({ id, instead }) => `${SWITCH}(${id})?(${instead}):`)
    return `(${others.join('')}(${rendered(start, end, inside)}))`
  }
}

function placesOf(mutants: readonly Numbered[]): readonly Place[] {
  const byPlace = Map.groupBy(mutants, ({ start, end, kind }) => `${start} ${end} ${kind}`)
  return [...byPlace.values()]
    .map(here => ({ start: here[0]!.start, end: here[0]!.end, mutants: here }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b))
}

/** Statements hold the expression that is all of them. */
function rank({ mutants }: Place): number {
  return mutants[0]!.kind === 'statements' ? 0 : 1
}

/** Where statements begin that are an expression, and no branch of another. */
function statementStarts(node: Node): readonly number[] {
  const isList = node.type === 'Program' || node.type === 'BlockStatement' || node.type === 'SwitchCase'
  return childrenOf(node).flatMap(child => [
    ...(isList && child.type === 'ExpressionStatement' ? [child.start] : []),
    ...statementStarts(child),
  ])
}
