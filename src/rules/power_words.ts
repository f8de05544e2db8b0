import type { PowerDifference } from '../models/answers/capabilities.ts'

/** Lines that a text or report has room for; those that widen come first. */
const MOST_LINES = 20

/** How two releases differ in power: a heading, and a line for each change, `+` where the candidate has a new capability. */
export function powerWords({ widened, changes, more_changes, unreadable = [] }: PowerDifference): {
  readonly heading: string
  readonly lines: readonly string[]
} {
  const listed = [
    ...unreadable.map(text => `+ ${text}`),
    ...changes.map(one => `${one.widens ? '+' : SIGNS[one.change]} ${one.words}`),
  ]
  const left = Math.max(0, listed.length - MOST_LINES) + more_changes
  return {
    heading: headingOf(widened, listed),
    lines: [...listed.slice(0, MOST_LINES), ...(left === 0 ? [] : [`and ${left} more`])],
  }
}

function headingOf(widened: number, listed: readonly string[]): string {
  if (widened > 0) return 'some are new'
  return listed.some(text => text.startsWith('~')) ? 'changed, none is new' : 'none is new'
}

const SIGNS = { added: '~', widened: '+', changed: '~', narrowed: '-', removed: '-' } as const
