import { TOO_DEEP, nestsDeeper } from '../../base/json_pieces.ts'
import type { Fields } from '../../models/checks.ts'

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A list of objects; throws RangeError where there is none, which says what the file should have been. */
export function listOf(value: unknown, what: string): readonly Fields[] {
  if (Array.isArray(value)) return value.map(fieldsOf)
  throw new RangeError(`it has no ${what}`)
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** JSON, in which what Python writes for no number is null. Throws SyntaxError. */
export function parsedJson(text: string): unknown {
  if (nestsDeeper(text)) throw new SyntaxError(`it ${TOO_DEEP}`)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    let isQuoted = false
    const mended = text.replaceAll(QUOTE_OR_NO_NUMBER, token => {
      if (token === '"') isQuoted = !isQuoted
      return isQuoted || /^["\\]/.test(token) ? token : 'null'
    })
    if (mended === text) throw error
    return JSON.parse(mended) as unknown
  }
}

const QUOTE_OR_NO_NUMBER = /\\[^]|"|-?\b(?:NaN|Infinity)\b/g

/** Rows of JSON lines, of one JSON text, or of a CSV. Throws SyntaxError that names the line. */
export function rowsOf(text: string): readonly Fields[] {
  return /^\s*[{[]/.test(text) ? jsonLines(text) : csvRows(text)
}

/** Lines of JSON objects, or one JSON text. Throws SyntaxError that names the line. */
export function jsonLines(text: string): Fields[] {
  // One that is spread over lines: its first line alone is no JSON.
  const first = text.trimStart().split('\n', 1)[0]!.trim()
  if (first === '{' || first.startsWith('[')) return [parsedJson(text)].flat().map(fieldsOf)
  return text.split('\n').flatMap((line, index): Fields | readonly Fields[] => {
    if (line.trim() === '') return []
    try {
      return fieldsOf(parsedJson(line))
    } catch (error) {
      throw new SyntaxError(`line ${index + 1}: ${(error as Error).message}`, { cause: error })
    }
  })
}

/** A cell of a CSV (RFC 4180), in quotes or not, and what ends it. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y

/** The rows of a CSV with a header, by its columns. Throws SyntaxError that names the line. */
export function csvRows(text: string): Record<string, string>[] {
  const [header, ...records] = csvRecords(text.replace(/^\uFEFF/, ''))
  if (header === undefined) throw new SyntaxError('it is empty: the first line has to name the columns')
  const columns = header.cells.map(name => name.trim())
  const seen = new Set<string>()
  const twice = columns.find(name => name !== '' && seen.size === seen.add(name).size)
  if (twice !== undefined) throw new SyntaxError(`line 1: two columns are named ${JSON.stringify(twice)}`)
  return records.map(({ cells, line }) => {
    if (cells.length !== columns.length) {
      throw new SyntaxError(`line ${line}: it has ${cells.length} cells, and the header ${columns.length}`)
    }
    return Object.fromEntries(columns.map((name, index) => [name, cells[index]!]))
  })
}

function csvRecords(text: string): { readonly cells: string[]; readonly line: number }[] {
  const records: { cells: string[]; line: number }[] = []
  let [cells, line, begins]: [string[], number, number] = [[], 1, 1]
  for (CELL.lastIndex = 0; CELL.lastIndex < text.length;) {
    const found = CELL.exec(text)
    if (found === null) throw new SyntaxError(`line ${line}: a quote does not end, or is inside a cell`)
    const [whole, quoted, plain, ended] = found
    cells.push(quoted?.replaceAll('""', '"') ?? plain!)
    line += whole.split(/\r?\n|\r/).length - 1
    if (ended === ',' && CELL.lastIndex < text.length) continue
    if (ended === ',') cells.push('')
    if (cells.length > 1 || cells[0] !== '') records.push({ cells, line: begins })
    ;[cells, begins] = [[], line]
  }
  return records
}

/** A tag of XML. */
export interface Tag {
  readonly name: string
  readonly kind: 'start' | 'end' | 'empty'
  readonly attributes: () => Readonly<Record<string, string>>
}

/**
 * A comment, text as it is, a declaration, or a tag: values of its attributes may hold what ends one. No part of it can
 * give what it matched to the next, so that a file without an end is refused in one pass.
 */
const TAG =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<(?!!--|!\[CDATA\[|\?)(\/?)([^\s/>]*)(?=[\s/>])([^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*)>/y

/** The tags of XML, in one pass. Throws SyntaxError where one does not end. */
export function xmlTags(text: string): Tag[] {
  const tags: Tag[] = []
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', TAG.lastIndex)) {
    TAG.lastIndex = at
    const found = TAG.exec(text)
    if (found === null) throw new SyntaxError('a bracket does not end: the file is cut off')
    const [, slash, name, rest] = found
    if (name === undefined) continue
    const kind = slash === '/' ? 'end' : rest!.endsWith('/') ? 'empty' : 'start'
    tags.push({ name, kind, attributes: () => attributesOf(rest!) })
  }
  return tags
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  return Object.fromEntries(
    found.map(([, name, double, single]) => [name!, unescaped(double ?? single ?? '')]),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10_ff_ff && code > 0 ? String.fromCodePoint(code) : whole
    },
  )
}
