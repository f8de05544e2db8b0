/** The scores of one case of an evaluation, by name. */
export type ScoredCase = Readonly<Record<string, number>>

/** What a report of an evaluation says. */
export interface Report {
  readonly cases: readonly ScoredCase[]
  /** What to know of it, such as cases without scores. */
  readonly warnings: readonly string[]
}

/** 1 for a case that passed and 0 for others: its mean is the rate. */
export const PASS_RATE = 'pass_rate'

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

/** Collects cases of one report, by names of one score each. */
export class CaseList {
  readonly cases: ScoredCase[] = []
  readonly #writtenAs = new Map<string, string>()

  /**
   * Adds a case with those of its scores that are numbers or truth values. Throws RangeError where two names become one,
   * or a name none.
   */
  add(scores: Iterable<readonly [name: string, score: unknown]>): void {
    const known = [...scores].flatMap(([name, score]) => {
      const value = numberOf(score)
      return value === undefined ? [] : [[this.#named(name), value] as const]
    })
    this.cases.push(Object.fromEntries(known))
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

function numberOf(score: unknown): number | undefined {
  if (typeof score === 'boolean') return score ? 1 : 0
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
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
