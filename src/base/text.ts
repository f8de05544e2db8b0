/** The place of a string in a value, of one of its keys, or of what is nested too deeply. */
export interface BadText {
  readonly path: (string | number)[]
  readonly message: string
}

const ESCAPED_TROUBLE = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Whether a JSON text can hold a NUL or a lone surrogate at all. Text decoded from UTF-8 can hold them only
 * as escapes, so most texts need no walk through their value.
 */
export function mayHoldBadText(json: string): boolean {
  return json.includes('\\u') && ESCAPED_TROUBLE.test(json)
}

/** Deepest nesting of a document: far more than any has, far less than overflows the stack. */
export const MAX_DEPTH = 64

/**
 * The first string or key with a NUL or a lone surrogate: no database keeps those faithfully. Or the first
 * value nested deeper than 64 levels: JSON can nest deeper than recursion can follow.
 */
export function findBadText(value: unknown, path: (string | number)[] = []): BadText | undefined {
  if (typeof value === 'string') {
    const message = badTextMessage(value)
    return message === undefined ? undefined : { path, message }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length >= MAX_DEPTH)
    return { path, message: `must not be nested more than ${MAX_DEPTH} levels deep` }
  const isArray = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, isArray ? Number(key) : key]
    const badKey = isArray ? undefined : badTextMessage(key)
    if (badKey !== undefined) return { path: here, message: badKey }
    const found = findBadText(item, here)
    if (found !== undefined) return found
  }
  return undefined
}

/** Most members of one array of a document. */
export const MAX_ITEMS = 10_000

function badTextMessage(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character'
  if (!text.isWellFormed()) return 'must be valid Unicode (it has half of a surrogate pair)'
  return undefined
}

/** Whether the UTF-8 form of a text has at most `max` bytes. */
export function fitsBytes(text: string, max: number): boolean {
  return text.length * 3 <= max || new TextEncoder().encode(text).length <= max
}

/**
 * Whether a text holds control or format characters (Unicode Cc, Cf), line separators or letters that show nothing, or
 * blanks around it, so that it may pass for another. Variation selectors are taken where they select anything. Half a
 * surrogate pair is no character: databases keep another text than the one that was hashed.
 */
export function isDisguised(text: string): boolean {
  if (PLAIN.test(text)) return false
  if (!text.isWellFormed()) return true
  // Made where they are needed: that looks all of these up in the tables of Unicode.
  const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|\u034F|\u17B4|\u17B5/u
  const uselessSelector =
    /(?<![\p{Extended_Pictographic}\p{Script=Han}\p{Script=Mongolian}])\p{Variation_Selector}/u
  return invisible.test(text) || uselessSelector.test(text) || text.trim() !== text
}

/** Of ASCII, without blanks around it. */
const PLAIN = /^(?:[!-~](?:[ -~]*[!-~])?)?$/

/** Whether two names may be one person's: they differ in case, in blanks, or in how Unicode writes them, at most. */
export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other)
}

function folded(name: string): string {
  const plain = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  return plain.replaceAll(/\s+/g, ' ').trim()
}

/** JSON with the fields of each object in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]))
}

/** Code point order, which is the byte order of UTF-8. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === length) return a.length - b.length
  // What differs may be the second half of a character.
  const start = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at
  return a.codePointAt(start)! - b.codePointAt(start)!
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff
}

/** Whether a text shows nothing at all. */
export function isBlank(text: string): boolean {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '') === ''
}

/** Names for a sentence: the first three, and how many more there are. */
export function firstFew(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

/** The value of a JSON text, or undefined where it is not valid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Bytes from `start` to before `end` as lowercase hex. */
export function hex(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = ''
  for (let at = start; at < end; at++) text += HEX[bytes[at]!]!
  return text
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A pattern is an exact name, or the beginning of names and one `*` behind it; `*` alone is every name. */
export function isPattern(text: string): boolean {
  const star = text.indexOf('*')
  return star < 0 || star === text.length - 1
}

export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** The names that both patterns match, as a pattern; undefined where there are none. */
export function common(a: string, b: string): string | undefined {
  if (!a.endsWith('*')) return matches(b, a) ? a : undefined
  if (!b.endsWith('*')) return matches(a, b) ? b : undefined
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  return matches(shorter, longer.slice(0, -1)) ? longer : undefined
}

/** Whether `inner` matches no name that `outer` doesn't. */
export function isWithin(inner: string, outer: string): boolean {
  return common(inner, outer) === inner
}

/** A text without the slashes at its end, in linear time. */
export function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** What the URL of a database begins with: of PostgreSQL, or of remote libSQL. */
export const DATABASE_URL = /^(?:postgres(?:ql)?|libsql|https?):\/\//

/** The same for a sentence. */
export const DATABASE_URLS = 'a postgresql:// or postgres:// DSN, or a libsql://, https:// or http:// URL'

/** Longest names that are compared, and how many: the work grows with the square of the one and with the other. */
const MOST_CHARS = 64
const MOST_KNOWN = 200

/** Names of `known` that look like a slip of `name`, closest first, then shortest: at most `most`. Long names are none. */
export function similarNames(name: string, known: Iterable<string>, most = 3): string[] {
  return ranked(name, known)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Those of {@link similarNames} that are equally close, as a text such as `max_cost_usd or max_cost_pct`; undefined where there is none. */
export function nearestNames(name: string, known: Iterable<string>): string | undefined {
  const [first, ...others] = ranked(name, known)
  if (first === undefined) return undefined
  const equals = others.slice(0, 2).filter(({ distance }) => distance === first.distance)
  return oneOf([first, ...equals].map(({ candidate }) => candidate))
}

/** `text, json or markdown`: names of which one is meant. */
export function oneOf(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ')
}

function ranked(name: string, known: Iterable<string>) {
  if (name.length > MOST_CHARS) return []
  const wanted = name.toLowerCase()
  return firstShort(known)
    .map(candidate => ({ candidate, distance: distanceTo(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.ceil(candidate.length / 3)))
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        a.candidate.length - b.candidate.length ||
        (a.candidate < b.candidate ? -1 : 1),
    )
}

function firstShort(names: Iterable<string>): string[] {
  const short: string[] = []
  for (const name of names) {
    if (name.length <= MOST_CHARS) short.push(name)
    if (short.length === MOST_KNOWN) break
  }
  return short
}

/** Levenshtein distance; 1 where one name merely starts with the other. */
function distanceTo(a: string, b: string): number {
  if (a === b) return 0
  if (a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a))) return 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}

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

/** US dollars: of small amounts six digits behind the point, and of the smallest what they begin with. */
export function usd(value: number): string {
  const amount = Math.abs(value)
  const digits = amount >= 1 ? 2 : amount >= 0.1 ? 4 : 6
  const text = amount === 0 || amount >= 0.00001 ? amount.toFixed(digits) : amount.toPrecision(3)
  return `${value < 0 ? '-' : ''}$${grouped(text)}`
}

export function milliseconds(value: number | null): string {
  if (value === null) return 'no data'
  return `${grouped(value.toFixed(Math.abs(value) < 100 && !Number.isInteger(value) ? 1 : 0))} ms`
}

export function percent(fraction: number): string {
  const size = Math.abs(fraction)
  return `${grouped((fraction * 100).toFixed(size >= 1 ? 0 : size < 0.001 && size > 0 ? 3 : 1))} %`
}

/** A fraction as people write shares. */
export function shareText(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`
}

/** The difference of two shares, in percentage points. */
export function points(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} points`
}

/** The same with a sign, for changes; none where no other digit than 0 is left. */
export function signed(value: number, format: (value: number) => string): string {
  const text = format(value)
  if (showsZero(text)) return text.replace('-', '')
  return value > 0 ? `+${text}` : text
}

/** Whether a text shows no other digit than 0. */
function showsZero(text: string): boolean {
  return !/[1-9]/.test(text)
}

/**
 * A cell of a CSV (RFC 4180), in quotes where it has a special character. A spreadsheet would take a text that begins like a
 * formula for one, so that gets an apostrophe.
 */
export function csvField(text: string, special = /[",\r\n]/): string {
  const shown = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return special.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}

/** A number, its thousands set apart. */
export function count(value: number): string {
  return grouped(String(value))
}

/** A number with its noun: `1 file`, `12 files`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Digits before the point with commas between thousands. Intl would do it, but takes 10 ms to load. */
export function grouped(digits: string): string {
  const [whole, fraction] = digits.split('.')
  const set = whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? set : `${set}.${fraction}`
}

/** As it would be typed in a shell. */
export function quoted(word: string): string {
  return /^[\w./:-][\w./:=-]*$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** How long something takes, about: `about 40 min`, `about 10 h`, `about 3 days`. */
export function hoursText(hours: number): string {
  return aboutText(hours, Math.ceil, hours < 1)
}

/** How long something lasted, about: in minutes up to two hours, then in whole hours or days, whichever is nearest. */
export function lastedText(hours: number): string {
  return aboutText(hours, Math.round, hours < 2)
}

function aboutText(hours: number, rounded: (value: number) => number, isShort: boolean): string {
  if (isShort) return `about ${Math.max(1, rounded(60 * hours))} min`
  return hours < 48 ? `about ${rounded(hours)} h` : `about ${rounded(hours / 24)} days`
}

/** How little a share is: `only 12 % of`, `hardly any of`, `none of`. */
export function littleOf(share: number): string {
  if (share === 0) return 'none of'
  return share < 0.01 ? 'hardly any of' : `only ${Math.floor(100 * share)} % of`
}

/** An ISO time to the minute, without its zone. */
export function minuteText(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}
