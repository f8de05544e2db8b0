// Controls, line and paragraph ends, what turns the direction of text and what can't be seen.
// oxlint-disable-next-line no-control-regex -- these are what it looks for
export const UNSAFE = /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069]/g

/**
 * Text that can't move the cursor, colour the terminal, end a line or show in another order than it has: such
 * characters are escaped.
 */
export function safe(text: string): string {
  return text.replaceAll(UNSAFE, escaped)
}

/** A character as JSON writes it. */
export function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
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

/** The difference of two shares, in percentage points. */
export function points(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} points`
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
  return /^[\w./:-][\w./:=-]*$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** How long something takes, about: `about 40 min`, `about 10 h`, `about 3 days`. */
export function hoursText(hours: number): string {
  if (hours < 1) return `about ${Math.max(1, Math.ceil(60 * hours))} min`
  return hours < 48 ? `about ${Math.ceil(hours)} h` : `about ${Math.ceil(hours / 24)} days`
}

/** An ISO time to the minute, without its zone. */
export function minuteText(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}
