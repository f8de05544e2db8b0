/** 1 for a try that passed and 0 for others: its mean is the rate. */
export const PASS_RATE = 'pass_rate'

/** One try of a case as a report has it. */
export interface ReportedCase {
  /** What tells it from others, where the report has something that stays from one evaluation to the next. */
  readonly id?: string | undefined
  /** What it was tried with, where it has no id. */
  readonly input?: unknown
  readonly epoch: number
  readonly scores: Readonly<Record<string, number>>
  readonly more: CaseExtras
}

/** What else a report says of a case, by the fields of the API. */
interface CaseExtras {
  readonly human_passed?: boolean | undefined
  readonly cluster?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly duration_ms?: number | undefined
  readonly tokens?: number | undefined
  readonly cost_usd?: number | undefined
  readonly trace_id?: string | undefined
}

/** What a report of an evaluation says. */
export interface Report {
  readonly cases: readonly ReportedCase[]
  /** What to know of it, such as cases without scores. */
  readonly warnings: readonly string[]
  /** When it ran, ISO-8601. */
  readonly evaluated_at?: string | undefined
  readonly judge_model?: string | undefined
}

/** The name of a score as the ledger takes it; undefined where nothing of it is left. */
function nameOf(text: string): string | undefined {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .replace(/^[_.-]+/, '')
    .slice(0, 64)
    .replace(/_+$/, '')
  return name === '' ? undefined : name
}

interface Told extends CaseExtras {
  readonly id?: unknown
  readonly input?: unknown
  readonly epoch?: unknown
}

/** Collects cases of one report, by names that stand for one score each. */
export class CaseList {
  readonly cases: ReportedCase[] = []
  readonly #writtenAs = new Map<string, string>()
  readonly #tried = new Map<string, Set<number>>()
  readonly #numbersRepeats: boolean

  /** Where a tool writes every try of a case alike, those of the same case are numbered; else one may be there once. */
  constructor({ numbersRepeats = true } = {}) {
    this.#numbersRepeats = numbersRepeats
  }

  /**
   * Adds a case with those of its scores that are numbers or truth values. Throws RangeError where two names become one,
   * or a name none, and for a case that is there twice.
   */
  add({ id, input, epoch, ...more }: Told, scores: Iterable<readonly [name: string, score: unknown]>): void {
    const known = [...scores].flatMap(([name, score]) => {
      const value = numberOf(score)
      return value === undefined ? [] : [[this.#named(name), value] as const]
    })
    const told = textOf(id)
    this.cases.push({
      id: told,
      input,
      epoch: this.#epochOf(told, input, epoch),
      scores: Object.fromEntries(known),
      more: Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)),
    })
  }

  #epochOf(id: string | undefined, input: unknown, given: unknown): number {
    if (id === undefined && input === undefined) return 1
    const key = id === undefined ? `input ${canonicalText(input)}` : `id ${id}`
    const tried = this.#tried.get(key) ?? new Set()
    this.#tried.set(key, tried)
    const isNumbered = given === undefined && this.#numbersRepeats
    const epoch = given === undefined ? (isNumbered ? tried.size + 1 : 1) : Number(given)
    if (!Number.isInteger(epoch) || epoch < 1) {
      throw new RangeError(`the epoch of ${shown(id)} is ${JSON.stringify(given)}; count from 1`)
    }
    if (tried.has(epoch))
      throw new RangeError(`${shown(id)} is there twice in epoch ${epoch}: give each case its own id`)
    tried.add(epoch)
    return epoch
  }

  #named(text: string): string {
    const name = nameOf(text)
    if (name === undefined)
      throw new RangeError(`the score ${JSON.stringify(text)} has no name of a-z and 0-9`)
    const other = this.#writtenAs.get(name)
    if (other !== undefined && other !== text) {
      throw new RangeError(
        `${JSON.stringify(other)} and ${JSON.stringify(text)} would both be the score ${name}`,
      )
    }
    this.#writtenAs.set(name, text)
    return name
  }
}

function shown(id: string | undefined): string {
  return id === undefined ? 'a case with the same input' : `case ${JSON.stringify(id)}`
}

function textOf(id: unknown): string | undefined {
  const text = typeof id === 'number' ? String(id) : id
  return typeof text === 'string' && text !== '' ? text : undefined
}

function numberOf(score: unknown): number | undefined {
  if (typeof score === 'boolean') return score ? 1 : 0
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
}

/** The same text for equal inputs: a text as it is, anything else as JSON with its fields in order. */
export function canonicalText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(sorted(input))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]))
}

/** Which score says that a try passed, and from which value on. */
export interface PassRule {
  readonly score: string
  readonly least: number
}

const SCORE_NAME = /^[a-z0-9][a-z0-9_.-]*$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/

/** Reads `faithfulness>=0.8`, or a name alone, which asks for 1. Undefined for what is neither. */
export function passRuleOf(text: string): PassRule | undefined {
  const [score = '', least = '1', more] = text.split('>=').map(part => part.trim())
  const isRule = SCORE_NAME.test(score) && DECIMAL.test(least) && more === undefined
  return isRule ? { score, least: Number(least) } : undefined
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

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A list of objects; throws RangeError where there is none, which says what the file should have been. */
export function listOf(value: unknown, what: string): readonly Fields[] {
  if (Array.isArray(value)) return value.map(fieldsOf)
  throw new RangeError(`it has no ${what}`)
}

/** A positive number, scaled; undefined for anything else. */
export function amountOf(value: unknown, scale = 1): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && Number.isFinite(number)
    ? Number((number * scale).toPrecision(12))
    : undefined
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
