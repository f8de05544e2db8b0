import { safe } from '../../base/shown.ts'

/**
 * A text of somebody else's in Markdown: a code span, in which nothing is a tag, a link, a mention or an image. What is
 * too long is cut. Not for a cell of a table, which a bar would end.
 */
export function code(text: string, mostChars = MOST_CHARS): string {
  const shown = safe(cut(text, mostChars))
  if (shown.trim() === '') return '(blank)'
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${shown}${pad}${fence}`
}

/** Names are at most 512 bytes elsewhere, but a version may be of any length. */
const MOST_CHARS = 80

function cut(text: string, most: number): string {
  const chars = Array.from(text.slice(0, 2 * most + 2))
  return chars.length <= most ? text : `${chars.slice(0, most).join('')}…`
}
