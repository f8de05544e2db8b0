import { type Fields, fieldsOf } from './rules_report.ts'

/** JSON, in which what Python writes for no number is null. Throws SyntaxError. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const mended = text.replaceAll(STRING_OR_NO_NUMBER, (_, quoted: string | undefined) => quoted ?? 'null')
    if (mended === text) throw error
    return JSON.parse(mended) as unknown
  }
}

const STRING_OR_NO_NUMBER = /("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g

/** Lines of JSON objects, or one JSON text. Throws SyntaxError that names the line. */
export function jsonLines(text: string): Fields[] {
  const lines = text.split('\n').map((line, index) => [line.trim(), index + 1] as const)
  const filled = lines.filter(([line]) => line !== '')
  const values = isOneText(text)
    ? [parsedJson(text)].flat()
    : filled.map(([line, number]) => parsedLine(line, number))
  return values.map(fieldsOf)
}

/** One that is spread over lines: its first line alone is no JSON. */
function isOneText(text: string): boolean {
  const first = text.trimStart().split('\n', 1)[0]!.trim()
  return first === '{' || first.startsWith('[')
}

function parsedLine(line: string, number: number): unknown {
  try {
    return parsedJson(line)
  } catch (error) {
    throw new SyntaxError(`line ${number}: ${(error as Error).message}`, { cause: error })
  }
}

/** The rows of a CSV with a header (RFC 4180), by its columns. Throws SyntaxError that names the line. */
export function csvRows(text: string): Record<string, string>[] {
  const [header, ...records] = csvRecords(text.replace(/^\uFEFF/, ''))
  if (header === undefined) throw new SyntaxError('it is empty: the first line has to name the columns')
  const columns = header.cells.map(name => name.trim())
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) < index)
  if (twice !== undefined) throw new SyntaxError(`line 1: two columns are named ${JSON.stringify(twice)}`)
  return records.map(({ cells, line }) => {
    if (cells.length !== columns.length) {
      throw new SyntaxError(`line ${line}: it has ${cells.length} cells, and the header ${columns.length}`)
    }
    return Object.fromEntries(columns.map((name, index) => [name, cells[index]!]))
  })
}

interface CsvRecord {
  readonly cells: string[]
  /** Where it begins. */
  readonly line: number
}

function csvRecords(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  for (let [at, line] = [0, 1]; at < text.length;) {
    const cells: string[] = []
    const begins = line
    for (let ended = ','; ended === ',';) {
      const end = endOfCell(text, at)
      ended = /^(?:,|\r?\n|\r)?/.exec(text.slice(end, end + 2))![0]
      if (end < 0 || (ended === '' && end < text.length)) {
        throw new SyntaxError(`line ${line}: a quote does not end, or stands within a cell`)
      }
      const cell = text.slice(at, end)
      cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
      line += cell.split('\n').length - 1 + Number(ended !== ',')
      at = end + ended.length
    }
    if (cells.length > 1 || cells[0] !== '') records.push({ cells, line: begins })
  }
  return records
}

const CELL_END = /[",\r\n]/g

/** Where a cell ends: one in quotes, which may hold line ends, behind the last of them. -1 for quotes that don't end. */
function endOfCell(text: string, start: number): number {
  if (text[start] !== '"') {
    CELL_END.lastIndex = start
    return CELL_END.exec(text)?.index ?? text.length
  }
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  return quote < 0 ? -1 : quote + 1
}
