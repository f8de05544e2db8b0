import { minuteText } from '../../base/text.ts'
import type { Io } from './io.ts'
import { safe, tabbed } from './text.ts'

/** How a column of a table is laid out. */
export interface Layout {
  /** Shown whole or not at all: an id without its end is of no use. */
  readonly whole?: boolean
  readonly right?: boolean
  /** Where there is too little room, the column of the highest rank is left out first. The default is its place. */
  readonly rank?: number
}

export interface Column<T> extends Layout {
  readonly heading: string
  readonly cell: (row: T) => string | number | null
  /** What a person is shown instead at a terminal. */
  readonly shown?: (row: T) => string
}

type Terminal = Pick<Io, 'outIsTty' | 'outColumns' | 'header'>

/** Records one to a line: a table that fits the terminal where somebody looks, tab-separated for programs. `mark` may colour a line. */
export function listing<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  io: Terminal,
  mark: (row: T, line: string) => string = (_, line) => line,
): string {
  if (!io.outIsTty) {
    const header = io.header === true ? tabbed(columns.map(({ heading }) => heading)) : ''
    return header + rows.map(row => tabbed(columns.map(({ cell }) => cell(row)))).join('')
  }
  if (rows.length === 0) return ''
  const [heading, ...lines] = table(columns, rows, io).split('\n')
  return [heading, ...rows.map((row, index) => mark(row, lines[index]!)), ''].join('\n')
}

/** Records below a heading, aligned; at a terminal no wider than that. */
export function table<T>(columns: readonly Column<T>[], rows: readonly T[], io: Terminal): string {
  const text = ({ cell, shown }: Column<T>, row: T): string =>
    safe(String((io.outIsTty ? shown?.(row) : undefined) ?? cell(row) ?? '-'))
  const body = rows.map(row => columns.map(column => text(column, row)))
  return aligned([columns.map(({ heading }) => heading), ...body], columns, io.outColumns)
}

const GAP = '  '

/** Narrowest that a column is cut to. */
const LEAST = 8

/** Lines of cells as columns, in `room` cells of a terminal. */
export function aligned(
  lines: readonly (readonly string[])[],
  layouts: readonly Layout[] = [],
  room = Infinity,
): string {
  const natural = lines[0]!.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[index]!)), 0),
  )
  const widths = fitted(natural, layouts, room)
  return lines
    .map(line => line.flatMap((cell, index) => padded(cell, widths[index], layouts[index]?.right)))
    .map(line => `${line.join(GAP).trimEnd()}\n`)
    .join('')
}

/** The width of each column so that they fit; undefined for one that is left out. */
function fitted(
  natural: readonly number[],
  layouts: readonly Layout[],
  room: number,
): (number | undefined)[] {
  const least = natural.map((width, index) =>
    layouts[index]?.whole === true ? width : Math.min(width, LEAST),
  )
  const rankOf = (index: number): number => layouts[index]?.rank ?? index
  let kept = [...natural.keys()].sort((a, b) => rankOf(a) - rankOf(b))
  const excess = (widths: readonly number[]): number =>
    kept.reduce((sum, index) => sum + widths[index]! + GAP.length, -GAP.length) - room
  while (excess(least) > 0 && kept.length > 1) kept = kept.slice(0, -1)
  const widths = [...natural]
  for (let more = excess(widths); more > 0; more--) {
    const [widest] = kept
      .filter(index => widths[index]! > least[index]!)
      .sort((a, b) => widths[b]! - widths[a]!)
    if (widest === undefined) break
    widths[widest]! -= 1
  }
  return widths.map((width, index) => (kept.includes(index) ? width : undefined))
}

function padded(text: string, width: number | undefined, right = false): string[] {
  if (width === undefined) return []
  const cut = cutTo(text, width)
  const gap = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return [right ? gap + cut : cut + gap]
}

function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  for (const char of text) {
    if (widthOf(cut + char) > width - 1) break
    cut += char
  }
  return `${cut}…`
}

/** Cells of a terminal that a text takes. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  // Characters of East Asian scripts and emoji, which take two.
  const wide =
    /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/gu
  return [...text.replaceAll(/\p{M}/gu, '')].length + (text.match(wide)?.length ?? 0)
}

/** When something happened: to the millisecond for programs, to the minute for people, both in UTC. */
export function timeColumn<T>(
  heading: string,
  time: (row: T) => string | null,
  more: Partial<Column<T>> = {},
): Column<T> {
  const shown = (row: T): string => {
    const at = time(row)
    return at === null ? '-' : minuteText(at)
  }
  return { heading: `${heading} (UTC)`, cell: time, shown, whole: true, ...more }
}
