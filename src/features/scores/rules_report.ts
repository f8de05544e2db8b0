import { canonicalJson } from '../../base/text.ts'
import type { CaseTry } from '../../models/documents/scores.ts'
import { PASS_RATE } from './rules_cases.ts'

/** One try of a case, as a tool writes it. What is not of the right type is left out. */
export interface Try {
  /** What tells its case from others, where that stays from one evaluation to the next. */
  readonly id?: unknown
  /** What the case was tried with: tells it from others where it has no id. */
  readonly input?: unknown
  /** Which try it is, from 1. Where no try of a case says so, they are numbered. */
  readonly epoch?: unknown
  readonly passed?: boolean | undefined
  readonly scores?: Iterable<readonly [name: string, score: unknown]>
  /** What has no outcome: a try that was skipped is left out. */
  readonly ended?: 'skipped' | 'in_error' | undefined
  readonly human_passed?: unknown
  readonly cluster?: unknown
  readonly tags?: unknown
  readonly duration_ms?: unknown
  readonly tokens?: unknown
  readonly cost_usd?: unknown
  readonly trace_id?: unknown
}

/** What a tool wrote of an evaluation. */
export interface ReportCases {
  readonly tries: readonly Try[]
  /** What to know of it besides. */
  readonly warnings?: readonly string[]
  /** When it ran, ISO-8601. */
  readonly evaluated_at?: string | undefined
  readonly judge_model?: string | undefined
  /** Whether scores of the format go from 0 to 1. */
  readonly areShares?: boolean
  /** Whether a try that is there twice is a fault: the format has a place for the epoch. */
  readonly namesEpochs?: boolean
}

/**
 * The report of a tool. Fields are paths in the whole or in its first row: behind a comma the column of a CSV, with a star at
 * the end all that begin so, with `&` several at once.
 */
export interface Format {
  readonly read: (text: string) => ReportCases
  /** Fields that this tool alone writes: one of them is enough. */
  readonly own: readonly string[]
  /** Fields that files of the tool have, and others too. */
  readonly common: readonly string[]
  /** How the tool writes such a file. */
  readonly by: string
}

/** The warning for a report without its cases. */
export const SUMMARY = 'it has no cases, only totals: each figure counts as one case, without an interval'

/** One try of a case, by the fields of the API. */
export interface ReportedCase {
  readonly id?: string | undefined
  readonly input?: unknown
  readonly epoch: number
  readonly scores: Readonly<Record<string, number>>
  readonly more: Pick<
    CaseTry,
    'human_passed' | 'cluster' | 'tags' | 'duration_ms' | 'tokens' | 'cost_usd' | 'trace_id'
  >
}

/** What a report of an evaluation says. */
export interface Report extends Pick<ReportCases, 'evaluated_at' | 'judge_model'> {
  readonly cases: readonly ReportedCase[]
  readonly warnings: readonly string[]
}

/**
 * What a tool wrote, by the names of the ledger. Throws RangeError where two names of scores become one, or a name none,
 * for a share outside 0 to 1, and for a try that is there twice.
 */
export function reportOf(reading: ReportCases): Report {
  const { tries, warnings = [], namesEpochs = false, areShares = false, ...said } = reading
  const counted = tries.filter(({ ended }) => ended !== 'skipped')
  const [nameOf, epochOf] = [namer(), counter(namesEpochs)]
  let missing = 0
  const cases = counted.map((one): ReportedCase => {
    const id = textOf(one.id)
    const input = id === undefined ? (one.input ?? undefined) : undefined
    const scores = [...(one.scores ?? [])].flatMap(([name, score]) => {
      const value = numberOf(score)
      if (value === undefined) missing += 1
      else if (areShares && (value < 0 || value > 1)) {
        throw new RangeError(`the score ${JSON.stringify(name)} is ${value}, and goes from 0 to 1`)
      }
      return value === undefined ? [] : [[nameOf(name), value] as const]
    })
    const passed = one.passed === undefined ? {} : { [nameOf(PASS_RATE)]: Number(one.passed) }
    return {
      id,
      input,
      epoch: epochOf(id, input, one.epoch ?? undefined),
      scores: { ...Object.fromEntries(scores), ...passed },
      more: extrasOf(one),
    }
  })
  const failed = counted.filter(({ ended }) => ended === 'in_error').length
  const skipped = tries.length - counted.length
  const counts = [
    ...(failed === 0 ? [] : [`${failed} ${failed === 1 ? 'try' : 'tries'} ended in an error`]),
    ...(skipped === 0
      ? []
      : [`${skipped} ${skipped === 1 ? 'case was' : 'cases were'} skipped, and left out`]),
    ...(missing === 0
      ? []
      : [
          `${missing} ${missing === 1 ? 'score is not a number, and is' : 'scores are not numbers, and are'} left out`,
        ]),
  ]
  return { ...said, cases, warnings: [...warnings, ...counts] }
}

/** Names of scores as the ledger takes them, by how the tool writes them. */
function namer(): (text: string) => string {
  const [names, writtenAs] = [new Map<string, string>(), new Map<string, string>()]
  return function nameOf(text) {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = text
      .toLowerCase()
      .replaceAll(/[^a-z0-9_.-]+/g, '_')
      .replace(/^[_.-]+/, '')
      .slice(0, 64)
      .replace(/_+$/, '')
    if (name === '') throw new RangeError(`the score ${JSON.stringify(text)} has no name of a-z and 0-9`)
    const other = writtenAs.get(name)
    if (other !== undefined) {
      throw new RangeError(
        `${JSON.stringify(other)} and ${JSON.stringify(text)} would both be the score ${name}`,
      )
    }
    names.set(text, name)
    writtenAs.set(name, text)
    return name
  }
}

/** Which try of its case a try is. */
function counter(namesEpochs: boolean) {
  const tried = new Map<string, Set<number>>()
  return function epochOf(id: string | undefined, input: unknown, given: unknown): number {
    if (id === undefined && input === undefined) return 1
    const shown = id === undefined ? 'a case with the same input' : `case ${JSON.stringify(id)}`
    const key = id === undefined ? `input ${canonicalText(input)}` : `id ${id}`
    const epochs = tried.get(key) ?? new Set()
    tried.set(key, epochs)
    const epoch = given === undefined ? (namesEpochs ? 1 : epochs.size + 1) : Number(given)
    if (!Number.isInteger(epoch) || epoch < 1) {
      throw new RangeError(`the epoch of ${shown} is ${JSON.stringify(given)}; count from 1`)
    }
    if (epochs.has(epoch)) {
      throw new RangeError(
        `${shown} is twice in epoch ${epoch}: give each case its own id, and each try its own epoch`,
      )
    }
    epochs.add(epoch)
    return epoch
  }
}

function extrasOf({ human_passed, cluster, tags, ...more }: Try): ReportedCase['more'] {
  const words = Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string' && tag !== '') : []
  const extras = {
    human_passed: typeof human_passed === 'boolean' ? human_passed : undefined,
    cluster: textOf(cluster),
    tags: words.length === 0 ? undefined : words.slice(0, 20).map(tag => String(tag).slice(0, 64)),
    duration_ms: amountOf(more.duration_ms),
    tokens: amountOf(more.tokens),
    cost_usd: amountOf(more.cost_usd),
    trace_id: textOf(more.trace_id),
  }
  return Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined))
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** A score: a number, or a truth value; in a CSV as text, as pandas writes them too. */
export function numberOf(score: unknown): number | undefined {
  const value = typeof score === 'string' ? parsedScore(score.trim()) : score
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function parsedScore(word: string): number | boolean | undefined {
  if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  return word === '' ? undefined : Number(word)
}

/** A number that is not negative, scaled; undefined for anything else. */
function amountOf(value: unknown, scale = 1): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && Number.isFinite(number)
    ? Number((number * scale).toPrecision(12))
    : undefined
}

/** What several amounts come to; undefined where none is one. */
export function sumOf(values: readonly unknown[], scale = 1): number | undefined {
  const amounts = values.flatMap(value => amountOf(value) ?? [])
  return amounts.length === 0
    ? undefined
    : amountOf(
        amounts.reduce((a, b) => a + b, 0),
        scale,
      )
}

/** The same text for equal inputs: a text as it is, anything else as JSON with its fields in order. */
export function canonicalText(input: unknown): string {
  return typeof input === 'string' ? input : canonicalJson(input)
}

/** Which score says that a try passed, and from which value on. */
export interface PassRule {
  readonly score: string
  readonly least: number
}

const RULE = /^\s*([a-z0-9][a-z0-9_.-]*)\s*(?:>=\s*(-?\d+(?:\.\d+)?)\s*)?$/

/** Reads `faithfulness>=0.8`, or a name alone, which asks for 1. Undefined for what is neither. */
export function passRuleOf(text: string): PassRule | undefined {
  const [, score, least = '1'] = RULE.exec(text) ?? []
  return score === undefined ? undefined : { score, least: Number(least) }
}

/** The cases with what the rule says of each; a case without that score did not pass. Throws RangeError where none has it. */
export function passedBy(cases: readonly ReportedCase[], { score, least }: PassRule): ReportedCase[] {
  if (!cases.some(({ scores }) => scores[score] !== undefined)) {
    const names = [...new Set(cases.flatMap(({ scores }) => Object.keys(scores)))]
    throw new RangeError(`no case has the score ${score}; there are ${names.sort().join(', ') || 'none'}`)
  }
  return cases.map(each => {
    const passed = (each.scores[score] ?? Number.NEGATIVE_INFINITY) >= least
    return { ...each, scores: { ...each.scores, [PASS_RATE]: Number(passed) } }
  })
}
