/** One HTTP POST to a receiver. */
export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came back: an answer, whatever its status, or why there is none. */
export type Sent =
  | {
      readonly status: number
      /** The start of the answer. */
      readonly text: string
    }
  | { readonly problem: string }

/**
 * Posts to a receiver within 5 seconds in all; never throws. Redirects are not followed, at most 64 kB of the answer
 * are read, and addresses that webhooks must not reach are refused where the runtime can see them.
 */
export type Send = (outgoing: Outgoing) => Promise<Sent>

/** Time for one attempt in all: name, connection, answer (specification, Events). */
export const SEND_TIMEOUT_MS = 5000

/** Most of an answer that is read, bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024
