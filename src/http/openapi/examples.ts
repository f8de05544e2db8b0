/** A call of the API that was really made, and what was answered. */
export interface ApiExample {
  readonly route: string
  readonly request: {
    readonly path?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string | number>>
    readonly body?: unknown
  }
  readonly status: number
  /** JSON, or text where the answer isn't JSON. */
  readonly response: unknown
}
