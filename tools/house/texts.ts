import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** A text of the program that somebody reads, as it is written: what a template fills in is `…`. */
interface Text {
  readonly path: string
  readonly text: string
}

/** Where texts are: not what is generated, and not what is only for machines. */
const SOURCES = '{src,handlers}/**/*.{ts,tsx}'
const NOT_READ =
  /^src\/(?:sql\/|models\/(?:api_schemas|all)|sdk\/(?:types|routes)\.ts|web\/styles)|\/shapes?(?:\/|\.ts)|_prices\.ts$/

type Node = Readonly<Record<string, unknown>> & { readonly type: string }

/** Where the table of texts is: text, the files that have it, and who has read it. */
export const TABLE = 'tools/house/texts.tsv'

/** The table as it has to be: each text once, by the first of its files; who read it is kept while a text stays as it is. */
export function textTable(before: string): string {
  const read = new Map(
    before
      .split('\n')
      .map(line => line.split('\t'))
      .map(([text, , by]) => [text!, by ?? '']),
  )
  const found = new Map<string, string>()
  for (const { path, text } of allTexts()) if (!found.has(text)) found.set(text, path)
  const lines = Array.from(found, ([text, path]) => `${text}\t${path}\t${read.get(text) ?? ''}`)
  return `${['text\tfirst in\tread by', ...lines].join('\n')}\n`
}

/** All texts, in order of path and line. */
function allTexts(): readonly Text[] {
  return globSync(SOURCES, { cwd: ROOT_PATH })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => !NOT_READ.test(path))
    .toSorted()
    .flatMap(path => {
      const source = readFileSync(join(ROOT_PATH, path), 'utf8')
      return source.startsWith('// Generated') ? [] : textsOf(path, source)
    })
}

export function textsOf(path: string, source: string): readonly Text[] {
  const { program } = parseSync(path, source)
  const found = new Set<string>()
  visit(program as unknown as Node, undefined, found)
  return Array.from(found, text => ({ path, text }))
}

function visit(node: Node, parent: Node | undefined, found: Set<string>): void {
  if (isForMachines(node, parent)) return
  const text = isPart(node, parent) ? undefined : textIn(node)
  if (text !== undefined) {
    const plain = text.replaceAll(/\s+/g, ' ').trim()
    if (isRead(plain)) found.add(plain)
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && 'type' in child) visit(child as Node, node, found)
    }
  }
}

/** Imports, types, SQL and names of keys are not read by people. */
function isForMachines(node: Node, parent: Node | undefined): boolean {
  if (/^(?:Import|ExportAll|TS(?!As|Satisfies|NonNull))/.test(node.type)) return true
  const tag = node.type === 'TaggedTemplateExpression' ? (node.tag as Node) : undefined
  if (tag !== undefined && tag.name !== 'html') return true
  return parent?.type === 'BinaryExpression' && node.type === 'Literal' && parent.operator !== '+'
}

/** A part of an addition is no text of its own. */
function isPart(node: Node, parent: Node | undefined): boolean {
  return parent?.type === 'BinaryExpression' && parent.operator === '+' && textIn(node) !== undefined
}

/** The text of a node: of parts that are added up, all of them. */
function textIn(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'JSXText') return String(node.value)
  if (node.type === 'TemplateLiteral') {
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [textIn(node.left as Node), textIn(node.right as Node)]
    return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`
  }
  return undefined
}

const NO_PROSE =
  /^(?:svc [a-z]|'[a-z_]+' \||[ML][\d…]|<!doctype)|\b(?:SELECT|CAST|JOIN|EXISTS|CASE WHEN|ON CONFLICT)\b|\b(?:sum|coalesce|octet_length)\(|default-src/

/** Whether it is a text and no name, path, command, class or piece of markup. */
function isRead(text: string): boolean {
  if (NO_PROSE.test(text)) return false
  const words = text.match(/(?<![\w/.$-])[A-Za-z][a-z']*(?![\w/=$-])/g) ?? []
  return words.length >= 3 || (words.length >= 2 && /^[A-Z]|[.:?]$/.test(text))
}
