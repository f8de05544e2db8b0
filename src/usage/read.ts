import { type TokenCounts, UsageError, totalTokens } from './counts.ts'
import { type Kind, kindOf } from './names.ts'
import { type KnownRule, type Rule, type Source, ruleOf } from './sources.ts'

type NamedCount = readonly [name: string, value: unknown]
type Numbers = Partial<Record<Kind, number>>

/**
 * The tokens that the numbers of a source say, by their names; null and undefined count as absent. Throws UsageError where
 * one is missing, no whole number of 0 or more, or contradicts another one under the source's rule, and where all are 0.
 */
export function readUsage(source: Source, named: Iterable<NamedCount>): TokenCounts {
  const numbers = numbersOf(named)
  const counts = countsOf(numbers, ruleOf(source), source)
  if (totalTokens(counts) > 0) return counts
  throw new UsageError('no tokens are reported at all')
}

/**
 * The number of each kind. `details.` are the provider's own, whose input and output may mean something else; these and
 * those of text count where there is no other.
 */
function numbersOf(named: Iterable<NamedCount>): Numbers {
  const numbers: Numbers = {}
  const details: Numbers = {}
  for (const [name, value] of named) {
    const kind = value == null ? undefined : kindOf(name)
    if (kind === undefined || kind === 'part') continue
    if (WEAK.test(name)) {
      if (!OWN_MEANING.has(kind) && Number.isSafeInteger(value)) details[kind] ||= value as number
      continue
    }
    const count = wholeOf(kind, value)
    const known = numbers[kind]
    if (known && count && known !== count) {
      throw new UsageError(`two numbers of the ${TITLES[kind]} tokens differ: ${known} and ${count}`)
    }
    numbers[kind] = known || count
  }
  return { ...details, ...numbers }
}

export const WEAK = /^details|text/i
const OWN_MEANING: ReadonlySet<Kind> = new Set(['input', 'plain', 'tool', 'output'])

export const TITLES: Readonly<Record<Kind, string>> = {
  input: 'input',
  plain: 'uncached input',
  tool: 'tool input',
  read: 'cached input',
  written: 'cache write',
  '5m': '5 min cache write',
  '1h': '1 h cache write',
  output: 'output',
  reasoning: 'reasoning',
  total: 'total',
}

function wholeOf(kind: Kind, value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(number) && (number as number) >= 0) return number as number
  throw new UsageError(
    `the ${TITLES[kind]} tokens must be a whole number of 0 or more (they are ${JSON.stringify(value)})`,
  )
}

function countsOf(numbers: Numbers, rule: KnownRule, { scope }: Source): TokenCounts {
  const { plain, read = 0, '5m': minutes = 0, '1h': hour = 0, reasoning = 0 } = numbers
  const written = numbers.written || minutes + hour
  const known: TokenTotals = {
    input: required('input', plain ?? numbers.input) + (numbers.tool ?? 0),
    cache: read + written,
    output: required('output', numbers.output),
    reasoning,
    // Many write 0 for a total that they don't know.
    total: numbers.total || undefined,
  }
  const isContradicted =
    minutes + hour > written ||
    (plain !== undefined && ![undefined, plain, plain + known.cache].includes(numbers.input))
  const readings = isContradicted
    ? []
    : readingsOf(known, plain === undefined ? rule : { ...rule, input: ['plain'] })
  if (readings.length === 0)
    throw new UsageError(`the token counts contradict each other: ${listed(numbers)}`)
  if (readings.length > 1 || isGuess(known, rule, plain !== undefined)) {
    throw new UsageError(
      `what the token counts of ${scope || 'an unnamed scope'} hold is not known: ${listed(numbers)}: ` +
        'report gen_ai.usage.uncached_input_tokens and gen_ai.usage.total_tokens',
    )
  }
  const [{ all, output }] = readings as [ReasoningReading]
  return {
    input_tokens: all - read,
    cached_input_tokens: read,
    cache_write_input_tokens: written,
    output_tokens: output,
  }
}

interface TokenTotals {
  readonly input: number
  readonly cache: number
  readonly output: number
  readonly reasoning: number
  readonly total: number | undefined
}

/** All input, from a cache or not, and all output. */
interface ReasoningReading {
  readonly all: number
  readonly output: number
}

/** What the numbers may say by a rule: without a total that tells, the first of its readings. */
function readingsOf({ input, cache, output, reasoning, total }: TokenTotals, rule: Rule): ReasoningReading[] {
  const inputs = rule.input.flatMap(is => (is === 'plain' ? [input + cache] : input >= cache ? [input] : []))
  const [first] = rule.output
  const outputs = rule.output.flatMap(is => {
    if (is === 'within') return reasoning <= output ? [output] : []
    return is === 'apart' && (total !== undefined || is === first) ? [output + reasoning] : []
  })
  const readings = outputs.flatMap(spent => inputs.map(all => ({ all, output: spent })))
  if (total === undefined) return readings.slice(0, 1)
  // A source that leaves the cache out of its input may leave it out of its total.
  const isWithout = (all: number): boolean => inputs.length === 1 && all > input
  const agreeing = readings.filter(
    ({ all, output: spent }) => total === all + spent || (isWithout(all) && total === input + spent),
  )
  const different = agreeing.filter(
    (one, index) =>
      agreeing.findIndex(({ all, output: spent }) => all === one.all && spent === one.output) === index,
  )
  if (different.length > 0 || !rule.output.includes('rest')) return different
  return inputs
    .filter(all => total - all >= output)
    .slice(0, 1)
    .map(all => ({ all, output: total - all }))
}

/** Whether the source's own way decides, which isn't known, and neither the total nor another number does. */
function isGuess(
  { input, cache, output, reasoning, total }: TokenTotals,
  { isInputOpen, isOutputOpen }: KnownRule,
  isPlain: boolean,
): boolean {
  const holdsAll = total !== undefined && [output, output + reasoning].includes(total - input - cache)
  const isInput = isInputOpen && !isPlain && cache > 0 && cache <= input && !holdsAll
  return isInput || (isOutputOpen && reasoning > 0 && reasoning <= output && total === undefined)
}

function required(kind: Kind, count: number | undefined): number {
  if (count !== undefined) return count
  throw new UsageError(`the ${TITLES[kind]} tokens are not reported`)
}

function listed(numbers: Numbers): string {
  return Object.entries(numbers)
    .map(([kind, count]) => `${count} ${TITLES[kind as Kind]}`)
    .join(', ')
}
