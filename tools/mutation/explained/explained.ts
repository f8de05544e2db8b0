import { LEDGER } from './ledger.ts'
import { POLICIES } from './policies.ts'
import { STATISTICS } from './statistics.ts'

/** Mutants that no test can kill, or none should, by what `prove -- mutation` calls them, below the reason. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'the protocol of a parsed URL ends with its only colon': [
    'src/rules/webhook_target.ts urlProblem: /^https?:$/ → /^https?:/',
  ],
  'the host of a parsed URL has brackets around all of it or none': [
    String.raw`src/rules/webhook_target.ts hostProblem: /^\[(.*)\]$/ → /\[(.*)\]$/`,
    String.raw`src/rules/webhook_target.ts hostProblem: /^\[(.*)\]$/ → /^\[(.*)\]/`,
  ],
  'differs for ::2 to ::ffff alone, which are assigned to nobody': [
    'src/rules/webhook_target.ts reachedThrough: parts[6] !== 0 → true',
  ],
  ...STATISTICS,
  ...LEDGER,
  ...POLICIES,
}

export const EXPLAINED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(REASONS).flatMap(([because, keys]) => keys.map(key => [key, because])),
)
