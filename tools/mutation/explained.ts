/** Mutants that no test can kill, or none should, by what `prove -- mutation` calls them, below the reason. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'what every object inherits is no text, number or flag, and so fits no pattern either': [
    'src/rules/access/identity.ts ruleFor: Object.hasOwn(claims, name) → true',
  ],
  'the protocol of a parsed URL ends with its only colon': [
    'src/rules/access/webhook_target.ts urlProblem: /^https?:$/ → /^https?:/',
  ],
  'the host of a parsed URL has brackets around all of it or none': [
    String.raw`src/rules/access/webhook_target.ts hostProblem: /^\[(.*)\]$/ → /\[(.*)\]$/`,
    String.raw`src/rules/access/webhook_target.ts hostProblem: /^\[(.*)\]$/ → /^\[(.*)\]/`,
  ],
  'differs for ::2 to ::ffff alone, which are assigned to nobody': [
    'src/rules/access/webhook_target.ts reachedThrough: parts[6] !== 0 → true',
  ],
  'without a doubt of the samples the interval has ends': [
    'src/rules/statistics/decide.ts ofNothing: difference?.low != null → true',
    'src/rules/statistics/decide.ts ofNothing: difference?.low → difference.low',
    'src/rules/statistics/metric.ts doubtOfSamples: statistics.difference?.low → statistics.difference.low',
    'src/rules/statistics/metric.ts claimOf: difference?.low != null → true',
    'src/rules/statistics/metric.ts claimOf: difference?.low → difference.low',
    'src/rules/statistics/metric.ts claimOf: difference?.high != null → true',
    'src/rules/statistics/metric.ts claimOf: difference?.high → difference.high',
  ],
  'what is neither `pass` nor `estimate` blocks': [
    "src/rules/statistics/decide.ts decideFloor: 'block' → ''",
    "src/rules/statistics/decide.ts decideDrop: 'block' → ''",
  ],
}

/** The reason of each, by what it is called. */
export const EXPLAINED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(REASONS).flatMap(([because, keys]) => keys.map(key => [key, because])),
)
