import { parseSync } from 'vite'

/** Something that tsc finds wrong at a place of a file. */
export interface Complaint {
  readonly path: string
  /** From 1, as is the column. */
  readonly line: number
  readonly column: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** A test, a contract or a method that doesn't compile is of what is gone: the text without it, and what was taken. */
export function pruned(
  path: string,
  text: string,
  complaints: readonly Complaint[],
): { readonly rest: string; readonly taken: readonly string[] } {
  const { program } = parseSync(path, text)
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const cuts = complaints.map(({ line, column }) =>
    cutAround(chainTo(program as unknown as Node, starts[line - 1]! + column - 1), text),
  )
  const outer = cuts.filter(
    (cut, at) =>
      !cuts.some(
        (other, index) =>
          index !== at &&
          other.start <= cut.start &&
          other.end >= cut.end &&
          (other.start < cut.start || other.end > cut.end || index < at),
      ),
  )
  let rest = text
  for (const { start, end } of outer.toSorted((a, b) => b.start - a.start))
    rest = rest.slice(0, start) + rest.slice(end)
  return {
    rest,
    taken: outer.map(({ start, end }) => text.slice(start, end).trim().split('\n')[0]!.slice(0, 100)),
  }
}

/** The nodes around an offset, the outermost first. */
function chainTo(root: Node, offset: number): readonly Node[] {
  const chain: Node[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each)
    else if (isNode(value) && value.start <= offset && offset <= value.end) {
      if (offset < value.end || value.start === value.end) {
        chain.push(value)
        for (const child of Object.values(value)) visit(child)
      }
    }
  }
  visit(root)
  return chain
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The smallest part that can go alone: a test, a member of a class, an item of a list, a name of an import, or a statement. */
function cutAround(chain: readonly Node[], text: string): { start: number; end: number } {
  const at = chain.findLastIndex((node, index) => {
    const parent = chain[index - 1]
    if (['MethodDefinition', 'PropertyDefinition', 'ImportSpecifier', 'ExportSpecifier'].includes(node.type))
      return true
    if (node.type === 'ExpressionStatement')
      return /^(?:test|it|describe)\b/.test(text.slice(node.start, node.end))
    return parent?.type === 'Program' || parent?.type === 'ExportNamedDeclaration'
  })
  const node = chain[at]!
  const parent = chain[at - 1]
  let { start, end } = parent?.type === 'ExportNamedDeclaration' ? parent : node
  const before = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, start))
  if (before !== null && node.type !== 'ImportSpecifier') start = before.index
  if (text[end] === ',') end++
  return { start, end }
}
