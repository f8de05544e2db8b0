/**
 * The service as a Worker, to be re-exported by one of your own. Bind a D1 database as DB or PostgreSQL as HYPERDRIVE,
 * and the pages (dist/web of this package) as ASSETS; settings and secrets are variables.
 */
declare const worker: {
  fetch(
    request: Request,
    env: Readonly<Record<string, unknown>>,
    context: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>
  /** The cron trigger, where there is something to do at times. */
  scheduled?(event: unknown, env: Readonly<Record<string, unknown>>): Promise<void>
}
export default worker
