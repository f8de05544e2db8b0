/** What a provider says to one request: an answer, or the parts of a stream. */
export type Said =
  | { readonly json: unknown; readonly status?: number }
  | { readonly events: readonly { readonly event?: string; readonly data: unknown }[] }

/** What a request to a model asks for, by whichever protocol. */
export interface ModelRequest {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly [field: string]: unknown
}

/** `nth` is the number of the request: answers have ids of their own, as those of real providers. */
export type Protocol = (request: ModelRequest, nth: number) => Said
