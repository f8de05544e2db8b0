import { UNSAFE, escaped, safe } from '../../base/text.ts'

export { count, counted, milliseconds, percent, points, quoted, safe, signed, usd } from '../../base/text.ts'

/** What a command itself prints of those: line ends, tabs, the colours of `painter` and the line of a progress. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const OWN = /^(?:[\n\t]|\u001B\[(?:[12]|22|3[123]|39)m|\r|\u001B\[K)$/

const PRINTED =
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  /\u001B\[(?:\d{1,2}m|K)|[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069]/g

/**
 * All that a command prints, however it was put together: what a service answers can't move the cursor, name a window
 * or turn text, also where a command forgot to make it safe. The JSON has the same value.
 */
export function printable(text: string): string {
  const isProgress = text.startsWith('\r')
  return text.replaceAll(PRINTED, (found, at: number) => {
    const isOwn = OWN.test(found) && (found !== '\r' || (isProgress && at === 0))
    return isOwn ? found : Array.from(found, char => (UNSAFE_ONE.test(char) ? escaped(char) : char)).join('')
  })
}

const UNSAFE_ONE = new RegExp(UNSAFE.source)

/** JSON text that is as safe, and has the same value. JSON itself lets all of these but U+0000-001F be. */
export function safeJson(json: string): string {
  return json.replaceAll(UNSAFE, char => (char < ' ' ? char : escaped(char)))
}

/** A tab-separated line. */
export function tabbed(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell => safe(String(cell ?? '-'))).join('\t')}\n`
}

/** A value as indented JSON with a final line end. */
export function pretty(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`
}

/** Text with two blanks in front of each line that isn't empty. */
export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
