/** What a provider says to one request: an answer, or the parts of a stream. */
export type Said =
  | { readonly json: unknown; readonly status?: number }
  | { readonly events: readonly { readonly event?: string; readonly data: unknown }[] }

/** What a request to a model asks for, by whichever protocol. */
export interface Asked {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly [field: string]: unknown
}

export type Protocol = (asked: Asked) => Said
