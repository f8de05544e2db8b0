import { parseWindow } from '../../src/rules/window.ts'

/** A span in ms; null where none is given. */
export function spanOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const window = parseWindow(text, 0)
  return typeof window === 'string' ? 0 : -window.since
}
