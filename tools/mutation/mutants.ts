import { type Change, OPERATORS } from './operators.ts'
import { type Node, childrenOf, nameOf, parse } from './syntax.ts'

/** One change of one place of a file. */
export interface Mutant {
  readonly file: string
  readonly line: number
  /** The function or constant that it is in. */
  readonly within: string
  /** Offsets of what it changes. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly instead: string
  /** Statements are left out; an expression is another. */
  readonly kind: 'statements' | 'expression'
  /** Says which mutant it is as long as the function stays as it is, wherever it stands in the file. */
  readonly key: string
}

/** All mutants of a file, in the order of the text. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const found: Omit<Mutant, 'key'>[] = []
  visit(parse(file, text), undefined, '')
  const different = new Map(found.map(each => [`${each.start} ${each.end} ${each.instead}`, each]))
  return withKeys([...different.values()].toSorted((a, b) => a.start - b.start || b.end - a.end))

  function visit(node: Node, parent: Node | undefined, within: string): void {
    if (SOURCES.has(node.type)) return
    const name = within === '' || node.type === 'FunctionDeclaration' ? nameOf(node) : undefined
    const inside = name ?? within
    for (const change of changesOf(node, parent)) found.push(mutant(node, change, inside))
    const key = isFixedKey(node) ? node.key : undefined
    for (const child of childrenOf(node)) if (child !== key) visit(child, node, inside)
  }

  function changesOf(node: Node, parent: Node | undefined): readonly Change[] {
    if (parent === undefined || typeof parent.directive === 'string') return []
    if (node.type === 'BlockStatement' && /\bsuper\(/.test(textOf(node))) return []
    return OPERATORS[node.type]?.(node, textOf, parent) ?? []
  }

  function textOf({ start, end }: Node): string {
    return text.slice(start, end)
  }

  function mutant(node: Node, change: Change, within: string): Omit<Mutant, 'key'> {
    const { instead, start = node.start, end = node.end } = change
    const line = text.slice(0, start).split('\n').length
    return { file, line, within, start, end, text: text.slice(start, end), instead, kind: kindOf(node) }
  }
}

/** Names of files, and what another file is given. */
const SOURCES: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
])

function isFixedKey({ key, computed }: Node): boolean {
  return key !== undefined && computed !== true
}

function kindOf({ type }: Node): Mutant['kind'] {
  return type === 'BlockStatement' || type === 'SwitchCase' ? 'statements' : 'expression'
}

const SHOWN_CHARS = 90

function withKeys(found: readonly Omit<Mutant, 'key'>[]): readonly Mutant[] {
  const times = new Map<string, number>()
  return found.map(each => {
    const key = `${each.file} ${each.within}: ${shown(each.text)} → ${shown(each.instead)}`
    const time = (times.get(key) ?? 0) + 1
    times.set(key, time)
    return { ...each, key: time === 1 ? key : `${key} (${time})` }
  })
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1)}…`
}
