/** Answers that a process holds open, and how many each caller may have. */
export interface Streams {
  /**
   * Takes a place; undefined where the caller, or the process, has as many as it may. It is left by itself when the
   * client is `gone`, and after some minutes: nobody may read the answer to its end.
   */
  enter(caller: string, gone: AbortSignal | undefined): StreamPlace | undefined
}

/** A place of one open answer. It has to be left. */
export interface StreamPlace {
  /** Aborted when the server ends, or the client is gone. */
  readonly signal: AbortSignal
  /** Waits so long, or until then. */
  pause(ms: number): Promise<void>
  leave(): void
}
