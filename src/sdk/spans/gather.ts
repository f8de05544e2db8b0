import { UsageError } from '../usage/counts.ts'
import type { Span } from './span.ts'
import { type Part, type Used, modelsOf, ownPart, usedBy } from './use.ts'

/** What a span and all below it used, gathered from the leaves up: `add` each child that has ended, then `end`. */
export class Gathered {
  readonly #below: Used[] = []
  #used: Used = { parts: [], total: 0 }
  #models: readonly string[] = []
  #counted = 0
  #problem: string | undefined

  /** What was used, by call or already added up. */
  get parts(): readonly Part[] {
    return this.#used.parts
  }

  /** Names of a model that it called or wanted to call; empty where no span says. */
  get models(): readonly string[] {
    return this.#models
  }

  /** How many spans report tokens. */
  get counted(): number {
    return this.#counted
  }

  /** What is wrong with the tokens of one of them. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Takes what a child has gathered, which must not be used afterwards. */
  add(child: Gathered): void {
    if (child.parts.length > 0) this.#below.push(child.#used)
    if (this.#models.length === 0) this.#models = child.#models
    this.#counted += child.#counted
    this.#problem ??= child.#problem
  }

  end(span: Span): void {
    try {
      const own = ownPart(span)
      this.#used = usedBy(own, this.#below)
      if (own === undefined) return this.#name(modelsOf(span))
      this.#counted += 1
      this.#name(own.models)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      this.#problem ??= error.message
      this.#counted += 1
      this.#name(modelsOf(span))
    }
  }

  #name(models: readonly string[]): void {
    if (this.#models.length === 0) this.#models = models
  }
}

/** Whether a run that used nothing may count: one that failed, but had got as far as to name a model. */
export function mayBeEmpty({ hasFailed }: Span, { models }: Gathered): boolean {
  return hasFailed && models.length > 0
}
