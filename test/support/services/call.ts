import type { RouteName } from '../../../handlers/index.ts'
import type { Peer } from '../../../src/http/access/access.ts'

export interface CallOptions {
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown
  readonly query?: Record<string, string | number>
  readonly headers?: Record<string, string>
  readonly peer?: Peer
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly body: any
}

export type Call = (route: RouteName | `${string} /${string}`, options?: CallOptions) => Promise<Answer>
