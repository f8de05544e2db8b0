// Controls, line and paragraph ends, what turns the direction of text and what can't be seen.
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const UNSAFE = /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069]/g

/**
 * Text that can't move the cursor, colour the terminal, end a line or show in another order than it has: such
 * characters are escaped.
 */
export function safe(text: string): string {
  return text.replaceAll(UNSAFE, escaped)
}

/** What a command itself prints of those: line ends, tabs, the colours of `painter` and the line of a progress. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const OWN = /^(?:[\n\t]|\u001B\[(?:[12]|22|3[123]|39)m|\r|\u001B\[K)$/

// oxlint-disable-next-line no-control-regex -- these are what it looks for
const PRINTED =
  /\u001B\[(?:\d{1,2}m|K)|[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069]/g

/**
 * All that a command prints, however it was put together: what a service answers can't move the cursor, name a window
 * or turn text, also where a command forgot to make it safe. JSON stands for the same value.
 */
export function printable(text: string): string {
  const isProgress = text.startsWith('\r')
  return text.replaceAll(PRINTED, (found, at: number) => {
    const isOwn = OWN.test(found) && (found !== '\r' || (isProgress && at === 0))
    return isOwn ? found : Array.from(found, char => (UNSAFE_ONE.test(char) ? escaped(char) : char)).join('')
  })
}

const UNSAFE_ONE = new RegExp(UNSAFE.source)

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** JSON text that is as safe, and stands for the same value. JSON itself lets all of these but U+0000-001F be. */
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

export function usd(value: number): string {
  const sign = value < 0 ? '-' : ''
  const amount = Math.abs(value)
  return `${sign}$${amount === 0 || amount >= 0.00001 ? amount.toFixed(6) : amount.toPrecision(3)}`
}

export function milliseconds(value: number | null): string {
  return value === null ? 'no data' : `${value.toFixed(Math.abs(value) < 100 ? 1 : 0)} ms`
}

export function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(Math.abs(fraction) < 0.001 && fraction !== 0 ? 3 : 1)} %`
}

/** The same with a sign, for changes. */
export function signed(value: number, format: (value: number) => string): string {
  return value > 0 ? `+${format(value)}` : format(value)
}

/** An integer, its thousands set apart. Intl would do it, but takes 10 ms to load. */
export function count(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** As it would be typed in a shell. */
export function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
