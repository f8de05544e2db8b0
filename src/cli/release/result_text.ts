import type { Result } from '../../models/documents/policy.ts'
import { type Io, painter } from '../terminal/io.ts'

const WORDS = {
  passed: ['green', 'PASS'],
  first: ['green', 'FIRST PROMOTION'],
  forced: ['red', 'FORCED'],
  not_yet: ['red', 'NOT YET: TOO LITTLE EVIDENCE'],
  blocked: ['red', 'BLOCK'],
} as const

/** How a decision came out, as the first word of a text. */
export function resultText(result: Result, io: Io): string {
  const [colour, word] = WORDS[result]
  return painter(io)(colour, word)
}
