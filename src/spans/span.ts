export type AttributeValue = string | number | boolean

export type Attributes = Readonly<Record<string, AttributeValue>>

/** A finished span, reduced to what makes a run of it: no message, no prompt, no argument of a tool. */
export interface Span {
  /** 32 and 16 lowercase hex digits. */
  readonly traceId: string
  readonly spanId: string
  /** The span that it is a part of; undefined for one that begins a trace. */
  readonly parentId: string | undefined
  /** Whether that one belongs to another process. */
  readonly isParentRemote: boolean
  /** Epoch milliseconds, rounded down. */
  readonly endMs: number
  readonly latencyMs: number
  readonly hasFailed: boolean
  /** The name of its instrumentation scope. */
  readonly scope?: string | undefined
  /** The class of the exception that it recorded. */
  readonly exceptionType: string | undefined
  /** Those of its own, and those of what emitted it, as `keep` leaves them. */
  readonly attributes: Attributes
  readonly resource: Attributes
  /** Why it can't be read, where it can't: the run that it may be of can't be counted. */
  readonly problem?: string
}

/** The first of these attributes that is a text with something in it: on the span, else on its resource. */
export function textOf({ attributes, resource }: Span, names: readonly string[]): string | undefined {
  for (const name of names) {
    const own = attributes[name]
    if (typeof own === 'string' && own !== '') return own
    const shared = resource[name]
    if (typeof shared === 'string' && shared !== '') return shared
  }
  return undefined
}

/** All of these attributes that are such texts, in this order, each once. */
export function textsOf(span: Span, names: readonly string[]): string[] {
  const texts: string[] = []
  for (const name of names) {
    const text = textOf(span, [name])
    if (text !== undefined && !texts.includes(text)) texts.push(text)
  }
  return texts
}
