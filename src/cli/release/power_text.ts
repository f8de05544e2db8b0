import type { PowerDifference } from '../../models/answers/capabilities.ts'
import { powerWords } from '../../rules/power_words.ts'
import { safe } from '../terminal/text.ts'

/** How two releases differ in power, for people; empty where they don't. */
export function powerLines(difference: PowerDifference | undefined): string {
  if (difference === undefined) return ''
  const { heading, lines } = powerWords(difference)
  const { acknowledged } = difference
  const by = acknowledged === undefined ? '' : `, acknowledged by ${acknowledged.actor}`
  return [`capability  ${safe(heading + by)}\n`, ...lines.map(line => `  ${safe(line)}\n`)].join('')
}
