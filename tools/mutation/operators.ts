import type { Node } from './syntax.ts'

/** What stands in place of a node in a mutant, and which part of the text that is where it isn't the whole. */
export interface Change {
  readonly instead: string
  readonly start?: number
  readonly end?: number
}

type Operator = (node: Node, textOf: (node: Node) => string, parent: Node) => readonly Change[]

/**
 * The operators of Stryker's `mutator`, by type of node. Two are narrower: texts with a blank in them are words for
 * people and stay, and of a regular expression only its anchors and its negation change.
 */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  BinaryExpression: (node, textOf) => {
    const [left, right, operator] = [node.left as Node, node.right as Node, String(node.operator)]
    if (isText(left) || isText(right))
      return COMPARISONS[operator] === undefined ? [] : compared(node, textOf)
    const arithmetic = ARITHMETIC[operator]
    if (arithmetic === undefined) return compared(node, textOf)
    return all(`${textOf(left)} ${arithmetic} ${textOf(right)}`)
  },
  LogicalExpression: (node, textOf) => {
    const [left, right, operator] = [node.left as Node, node.right as Node, String(node.operator)]
    const first = left.type === 'LogicalExpression' ? `(${textOf(left)})` : textOf(left)
    const other = `${first} ${operator === '&&' ? '||' : '&&'} ${textOf(right)}`
    return operator === '??' ? all(other) : all(other, 'true', 'false')
  },
  IfStatement: ({ test }) => whole(test as Node, 'true', 'false'),
  ConditionalExpression: ({ test }) => whole(test as Node, 'true', 'false'),
  WhileStatement: ({ test }) => whole(test as Node, 'false'),
  DoWhileStatement: ({ test }) => whole(test as Node, 'false'),
  ForStatement: ({ test }) => (test === null ? [] : whole(test as Node, 'false')),
  ArrowFunctionExpression: ({ body, expression }, textOf) =>
    expression === true && textOf(body as Node) !== 'undefined' ? whole(body as Node, 'undefined') : [],
  BlockStatement: ({ body }) => ((body as Node[]).length === 0 ? [] : all('{}')),
  SwitchCase: ({ consequent }) => {
    const statements = consequent as Node[]
    return statements.length === 0
      ? []
      : [{ instead: '{}', start: statements[0]!.start, end: statements.at(-1)!.end }]
  },
  Literal: literal,
  TemplateLiteral: ({ quasis }, _, parent) => {
    const isWords = (quasis as Node[]).some(({ value }) => (value as { raw: string }).raw.includes(' '))
    return parent.type === 'TaggedTemplateExpression' || isWords ? [] : all('``')
  },
  ArrayExpression: ({ elements }) => all((elements as Node[]).length === 0 ? "['mutated']" : '[]'),
  ObjectExpression: ({ properties }) => ((properties as Node[]).length === 0 ? [] : all('{}')),
  UnaryExpression: ({ operator, argument }, textOf) => {
    const other = ({ '-': '+', '+': '-', '!': '', '~': '' } as const)[String(operator)]
    return other === undefined ? [] : all(`${other}${textOf(argument as Node)}`)
  },
  UpdateExpression: ({ operator, prefix, argument }, textOf) => {
    const [other, target] = [operator === '++' ? '--' : '++', textOf(argument as Node)]
    return all(prefix === true ? `${other}${target}` : `${target}${other}`)
  },
  AssignmentExpression: ({ operator, left, right }, textOf) => {
    const other = ASSIGNMENTS[String(operator)]
    return other === undefined ? [] : all(`${textOf(left as Node)} ${other} ${textOf(right as Node)}`)
  },
  ChainExpression: (node, textOf) =>
    linksOf(node.expression as Node).map(link => withoutLink(node, link, textOf)),
  CallExpression: (node, textOf) => {
    const callee = node.callee as Node
    if (callee.type !== 'MemberExpression' || callee.computed === true || isInChain(node)) return []
    const [object, property] = [callee.object as Node, callee.property as Node]
    const method = String(property.name)
    if (REMOVED.has(method)) return all(textOf(object))
    const other = METHODS.get(method)
    const rest = (end: number): string => textOf(node).slice(end - node.start)
    return other === undefined ? [] : all(`${textOf(object)}.${other}${rest(property.end)}`)
  },
}

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
}

const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }

const ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '%=': '*=',
  '??=': '&&=',
  '||=': '&&=',
  '&&=': '||=',
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toUpperCase', 'toLowerCase'],
  ['toLowerCase', 'toUpperCase'],
  ['trimStart', 'trimEnd'],
  ['trimEnd', 'trimStart'],
])

/** Calls that a mutant leaves out: what they are called on is left. */
const REMOVED: ReadonlySet<string> = new Set([
  'filter',
  'reverse',
  'toReversed',
  'slice',
  'sort',
  'toSorted',
  'substring',
  'charAt',
  'trim',
])

function all(...replacements: readonly string[]): readonly Change[] {
  return replacements.map(instead => ({ instead }))
}

function whole({ start, end }: Node, ...replacements: readonly string[]): readonly Change[] {
  return replacements.map(instead => ({ instead, start, end }))
}

function compared(node: Node, textOf: (node: Node) => string): readonly Change[] {
  const others = COMPARISONS[String(node.operator)]
  if (others === undefined) return []
  const [left, right] = [textOf(node.left as Node), textOf(node.right as Node)]
  return all(...others.map(other => `${left} ${other} ${right}`), 'true', 'false')
}

function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

function literal({ value, regex }: Node): readonly Change[] {
  if (typeof value === 'boolean') return all(String(!value))
  if (typeof value === 'string') return value.includes(' ') ? [] : all(value === '' ? "'mutated'" : "''")
  return regex === undefined || regex === null ? [] : expressions(regex as { pattern: string; flags: string })
}

function expressions({ pattern, flags }: { pattern: string; flags: string }): readonly Change[] {
  const changed = [
    pattern.replace(/^\^/, ''),
    pattern.replace(/(?<!\\)\$$/, ''),
    pattern.replace('[^', '['),
  ].filter(each => each !== pattern && each !== '')
  return all(...changed.map(each => `/${each}/${flags}`))
}

/** Members and calls of a chain that are only looked up where there is something. */
function linksOf(node: Node): readonly Node[] {
  const below = (node.object ?? node.callee ?? node.expression) as Node | undefined
  return [...(below === undefined ? [] : linksOf(below)), ...(node.optional === true ? [node] : [])]
}

function withoutLink(chain: Node, link: Node, textOf: (node: Node) => string): Change {
  const below = (link.object ?? link.callee) as Node
  const text = textOf(chain)
  const at = text.indexOf('?.', below.end - chain.start)
  const dot = link.type === 'MemberExpression' && link.computed !== true ? '.' : ''
  return { instead: `${text.slice(0, at)}${dot}${text.slice(at + 2)}` }
}

function isInChain(node: Node): boolean {
  return linksOf(node).length > 0
}
