import { UNSAFE, escaped, safe } from '../../base/shown.ts'

export { count, milliseconds, percent, quoted, safe, signed, usd } from '../../base/shown.ts'

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
