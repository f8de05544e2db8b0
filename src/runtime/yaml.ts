import { badRequest } from '../base/errors.ts'
import { JSON_BOUNDS, TOO_DEEP } from '../base/json_pieces.ts'

/** Largest document in bytes: far above what people write. */
export const MAX_YAML_BYTES = 1_000_000

/**
 * Reads one YAML 1.2 document as a JSON value. Throws 400 with `name`, line and column, or
 * the path of what JSON can't hold: a date or a set by tag, NaN, an integer past 2^53. A text of more than
 * {@link MAX_YAML_BYTES} characters is refused before it is parsed.
 */
export async function parseYaml(text: string, name: string): Promise<unknown> {
  if (text.length > MAX_YAML_BYTES) throw badRequest(tooLarge(name))
  const plain = plainMap(text)
  if (plain !== undefined) return plain
  const { LineCounter, isScalar, parseDocument, visit } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...LINEAR, intAsBigInt: true, lineCounter })
  const [problem] = document.errors
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0])
    throw badRequest(`${name}, line ${line}, column ${col}: ${PROBLEMS[problem.code] ?? problem.message}`)
  }
  visit(document, {
    Map: function refuseRepeatedKeys(_key, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          const { line, col } = lineCounter.linePos(key.range![0])
          throw badRequest(`${name}, line ${line}, column ${col}: Map keys must be unique`)
        }
        seen.add(key.value)
      }
    },
  })
  try {
    return toJson(document.toJS({ maxAliasCount: 100 }), '', { left: MAX_YAML_VALUES })
  } catch (error) {
    throw badRequest(`${name}: ${(error as Error).message}`, error)
  }
}

/**
 * The parser's own search for repeated keys compares each with all before it, and its pretty errors copy the line of each
 * error, of which one line may have as many as characters.
 */
const LINEAR = { prettyErrors: false, stringKeys: true, uniqueKeys: false } as const

/** Longest text that is looked at for being plain, characters. */
const MOST_PLAIN = 2000
const PLAIN_LINE = /^([a-z][a-z0-9_]*): ([a-z][a-z0-9_-]*|(?:0|[1-9]\d{0,8})(?:\.\d{1,8})?)$/

/**
 * A document of nothing but comments and lines `key: value`, whose value is a number, `true`, `false` or a word: what that
 * means is beyond doubt, and loading the parser takes longer than such a command. Undefined for all else.
 */
export function plainMap(text: string): Readonly<Record<string, string | number | boolean>> | undefined {
  if (text.length > MOST_PLAIN) return undefined
  const map = new Map<string, string | number | boolean>()
  for (const line of text.split('\n')) {
    if (line === '' || /^#[ -~]*$/.test(line)) continue
    const [, key, value] = PLAIN_LINE.exec(line) ?? []
    if (key === undefined || value === undefined || map.has(key)) return undefined
    if (key in WORDS || value === 'null') return undefined
    map.set(key, WORDS[value] ?? (/^\d/.test(value) ? Number(value) : value))
  }
  return map.size === 0 ? undefined : Object.fromEntries(map)
}

const WORDS: Readonly<Record<string, boolean | null>> = Object.assign(Object.create(null), {
  true: true,
  false: false,
  null: null,
})

/** A JSON value as YAML, below a comment. */
export async function yamlText(value: unknown, comment: string): Promise<string> {
  const { Document } = await import('yaml')
  const document = new Document(value, { aliasDuplicateObjects: false })
  document.commentBefore = comment
  return document.toString({ lineWidth: 0 })
}

/** The line of a path in a valid document, or of the nearest parent that the document has. */
export async function linesOf(
  text: string,
): Promise<(path: readonly (string | number)[]) => number | undefined> {
  const { LineCounter, isMap, isNode, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...LINEAR, lineCounter })
  return function lineOf(path) {
    for (let length = path.length; length > 0; length--) {
      const [parent, key] = [document.getIn(path.slice(0, length - 1), true), path[length - 1]]
      const pair = isMap(parent)
        ? parent.items.find(item => isNode(item.key) && item.key.toJSON() === key)
        : undefined
      const node = pair?.key ?? document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range != null) return lineCounter.linePos(node.range[0]).line
    }
    return undefined
  }
}

/** Says that a file is too large to be one of the documents that people write. */
export function tooLarge(name: string, most = MAX_YAML_BYTES): string {
  return `${name} is larger than ${Math.floor(most / 1e6)} MB; a document may have ${most.toLocaleString('en-US')} bytes at most.`
}

/** Of what the parser says in words of its own API or of Node's. */
const PROBLEMS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'there is more than one document in the file',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  BLOCK_AS_IMPLICIT_KEY: 'this line is indented further than the one above it allows',
  BAD_INDENT: 'the indentation of this line matches none above it',
}

/** Most of what a text may expand to by its aliases: values, and characters of texts. */
const MAX_YAML_VALUES = 4 * MAX_YAML_BYTES

function toJson(value: unknown, path: string, budget: { left: number }, depth = 1): unknown {
  budget.left -= typeof value === 'string' ? value.length + 1 : 1
  if (budget.left < 0) throw new Error('its aliases make it too large; write out what is meant')
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return Number(value)
    throw new Error(
      `${path} is a larger integer than can be stored exactly; put quotes around it to keep it as text`,
    )
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${path} must be a finite number`)
  if (typeof value !== 'object' || value === null) return value
  if (depth > JSON_BOUNDS.depth) throw new Error(`it ${TOO_DEEP}`)
  if (Array.isArray(value))
    return value.map((item, index) => toJson(item, `${path}[${index}]`, budget, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    throw new Error(`${path} has a type that JSON can't express; put quotes around it to keep it as text`)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      toJson(item, path === '' ? key : `${path}.${key}`, budget, depth + 1),
    ]),
  )
}
