import { parseSync } from 'vite'

/** A node of the syntax tree (ESTree, with the nodes of TypeScript); offsets are those of the text. */
export interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string
  readonly start: number
  readonly end: number
}

export function parse(file: string, text: string): Node {
  return parseSync(file, text).program as unknown as Node
}

/** The nodes right below one, in the order of the text; types are none of them. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap(value => (Array.isArray(value) ? value : [value]) as unknown[])
    .filter(isNode)
    .filter(child => !isType(child))
    .toSorted((a, b) => a.start - b.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Expressions that only say a type, and so run. */
const RUNS: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function isType({ type }: Node): boolean {
  return type.startsWith('TS') && !RUNS.has(type)
}

/** What is declared by a node and gives what is in it a name. */
export function nameOf(node: Node): string | undefined {
  const named = (node.id ?? node.key) as Node | undefined
  const names = ['FunctionDeclaration', 'VariableDeclarator', 'MethodDefinition', 'ClassDeclaration']
  return names.includes(node.type) && named?.type.endsWith('Identifier') ? String(named.name) : undefined
}
