import { unreadText } from '../usage/attributes.ts'
import { UsageError } from '../usage/counts.ts'
import { UNREAD } from './keep.ts'
import { FACTS } from './names.ts'
import { type Span, textOf } from './span.ts'
import {
  NOTHING,
  type Bare,
  type Part,
  type Used,
  countedBySibling,
  isCall,
  modelsOf,
  ownPart,
  together,
  toolOf,
  usedBy,
} from './use.ts'

/** What a span and all below it used, gathered from the leaves up: `add` each child that has ended, then `end`. */
export class Gathered {
  readonly #below: Used[] = []
  readonly #callsBelow: Part[] = []
  readonly #bareBelow: Bare[] = []
  #own: Part | undefined
  #bare: Bare | undefined
  #used: Used = NOTHING
  #models: readonly string[] = []
  #counted = 0
  #uncounted = 0
  #broken = 0
  #calls = 0
  #tools = new Map<string, number>()
  #problem: string | undefined
  #failure: string | null | undefined
  readonly #unread = new Set<string>()

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

  /** How many calls of a model that didn't fail report no tokens, and no span above reports them either. */
  get uncounted(): number {
    return this.#uncounted
  }

  /** How many calls broke off, so that what they used isn't all known. */
  get broken(): number {
    return this.#broken
  }

  /** How many spans are calls of a model, or report tokens. */
  get calls(): number {
    return this.#calls
  }

  /** Calls by tool. A call within one of the same tool is the same call, reported by another instrumentation. */
  get tools(): ReadonlyMap<string, number> {
    return this.#tools
  }

  /** How many calls look like another one. */
  get lookalikes(): number {
    return this.#used.lookalikes
  }

  /** Attributes that speak of tokens or cost and aren't read, with their scopes. */
  get unread(): ReadonlySet<string> {
    return this.#unread
  }

  /** The error of a call that failed and reports no tokens; null where it has no name. */
  get failure(): string | null | undefined {
    return this.#failure
  }

  /** What is wrong with the tokens of one of them. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Takes what a child has gathered, which must not be used afterwards. */
  add(child: Gathered): void {
    if (child.parts.length > 0) this.#below.push(child.#used)
    if (child.#own !== undefined) this.#callsBelow.push(child.#own)
    if (child.#bare !== undefined) this.#bareBelow.push(child.#bare)
    if (this.#models.length === 0) this.#models = child.#models
    this.#counted += child.#counted
    this.#uncounted += child.#uncounted
    this.#broken += child.#broken
    this.#calls += child.#calls
    this.#addTools(child)
    this.#problem ??= child.#problem
    this.#failure ??= child.#failure
    for (const name of child.#unread) this.#note(name)
  }

  #note(name: string): void {
    if (this.#unread.size < MOST_UNREAD) this.#unread.add(name)
  }

  /** Into the larger of both, so that spans nested deeply don't take the square of time. */
  #addTools(child: Gathered): void {
    const [few, many] =
      child.#tools.size > this.#tools.size ? [this.#tools, child.#tools] : [child.#tools, this.#tools]
    for (const [name, count] of few) many.set(name, (many.get(name) ?? 0) + count)
    this.#tools = many
  }

  end(span: Span): void {
    for (const name of `${span.attributes[UNREAD] ?? ''}`.split('\n').slice(0, -1)) {
      this.#note(`${name} of ${span.scope || 'an unnamed scope'}`)
    }
    const tool = toolOf(span)
    if (tool !== undefined) this.#tools.set(tool, 1)
    this.#uncounted -= countedBySibling(this.#bareBelow, this.#callsBelow)
    const below = together(this.#below)
    this.#used = below
    try {
      if (span.problem !== undefined) throw new UsageError(span.problem)
      const own = ownPart(span)
      if (own === undefined) this.#endWithoutTokens(span, below)
      else this.#endWithTokens(own, below)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      if (hasFailed(span) && span.problem === undefined) this.#endBroken(span, below)
      else this.#problem ??= error.message
      this.#counted += 1
      this.#calls += 1
    }
    if (this.#models.length === 0) this.#models = modelsOf(span)
  }

  #endWithTokens(own: Part, below: Used): void {
    this.#own = own
    this.#used = usedBy(own, below)
    this.#counted += 1
    this.#calls += 1
    // It says more than the calls below it, so it may hold what they don't say.
    if (this.#used !== below) this.#uncounted = 0
  }

  /** What a failed call says may be the half of it. */
  #endBroken(span: Span, below: Used): void {
    this.#broken += 1
    try {
      const own = ownPart(span, true)
      if (own !== undefined) this.#used = usedBy(own, below)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
    }
  }

  #endWithoutTokens(span: Span, below: Used): void {
    if (!isCall(span)) return
    this.#calls += 1
    if (below.total > 0) return
    if (hasFailed(span)) {
      this.#failure ??= textOf(span, FACTS.error_type) ?? span.exceptionType ?? null
      if (BROKEN_OFF.test(`${span.exceptionType} ${textOf(span, FACTS.error_type)}`)) this.#broken += 1
    } else {
      this.#uncounted += 1
      this.#bare = { models: modelsOf(span), startMs: span.endMs - span.latencyMs, endMs: span.endMs }
    }
  }
}

function hasFailed(span: Span): boolean {
  return span.hasFailed || span.exceptionType !== undefined
}

/** Errors of calls that may be billed all the same. */
const BROKEN_OFF = /abort|cancel|timeout|disconnect|terminated|incomplete.?read/i

/** Most attributes of a run that aren't read and are named. */
const MOST_UNREAD = 5

/** What to say of a run that is counted. */
export function doubtsOf(gathered: Gathered): string[] {
  return [...lookalikeTexts(gathered), ...unreadTexts(gathered)]
}

/** What to say of numbers that aren't read; one text for each. */
export function unreadTexts({ unread }: Gathered): string[] {
  return Array.from(unread, unreadText)
}

/** The first span of a run, failed where each of its calls has: some frameworks say nothing of that on the run. */
export function endedAs(root: Span, { failure, parts, uncounted }: Gathered): Span {
  if (root.hasFailed || failure === undefined || parts.length > 0 || uncounted > 0) return root
  return { ...root, hasFailed: true, exceptionType: root.exceptionType ?? failure ?? undefined }
}

/** Whether what a run used isn't all known: a call broke off, or one of a failed run says nothing. */
export function isIncomplete({ broken, uncounted }: Gathered, { hasFailed: failed }: Span): boolean {
  return broken > 0 || (failed && uncounted > 0)
}

/** Why a run that did not fail can't be counted for what its calls report, if it can't: some of it would be free. */
export function uncountedText({ parts, uncounted, broken }: Gathered): string | undefined {
  if (parts.length === 0 && broken === 0) return 'no span of the run reports tokens'
  if (uncounted === 0) return undefined
  return (
    'a call of a model in the run reports no tokens: let the instrumentation report those of streams too ' +
    '(OpenAI: stream_options.include_usage)'
  )
}

/** What to say of calls that look alike. */
export function lookalikeTexts({ lookalikes: count }: Gathered): string[] {
  if (count === 0) return []
  return [`${count} × calls agree in model, time and counts: use one instrumentation`]
}
