import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { startEmbedded } from './embedded_postgres.ts'

export interface TestPostgres {
  /** DSN of a running server's maintenance database, whose user is a superuser. */
  readonly url: string
  /** With it begin the names of this run's databases. */
  readonly prefix: string
  /** A migrated, empty ledger that tests copy: faster than migrating each of their own. */
  readonly template: string
}

/**
 * A PostgreSQL for the tests of this run, and what ends it: the one of SERVICE_TEST_DATABASE_URL, or one of the npm
 * package's in a temporary folder.
 */
export async function startPostgres(): Promise<[TestPostgres, end: () => Promise<void>]> {
  const given = process.env.SERVICE_TEST_DATABASE_URL
  const server = given === undefined ? await startEmbedded(FOR_TESTS) : { url: given, stop: async () => {} }
  const prefix = `svc_test_${randomBytes(4).toString('hex')}_`
  const template = `${prefix}template`
  await makeTemplate(server.url, template)
  const end = async (): Promise<void> => {
    if (given !== undefined) await dropDatabases(given, prefix)
    await server.stop()
  }
  return [{ url: server.url, prefix, template }, end]
}

// What is lost when the machine goes down is only a test's, and no database lives long enough to need a vacuum.
const FOR_TESTS = ['fsync=off', 'autovacuum=off', 'max_connections=200']

async function makeTemplate(url: string, name: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`)
  await admin.end()
  const template = openPostgres({ url: databaseUrl(url, name) })
  await migrate(template, loadMigrations({ dialect: 'postgres' }), Date.now)
  await template.close()
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  const names = await admin`SELECT datname FROM pg_database WHERE starts_with(datname, ${prefix})`
  for (const { datname } of names) await admin.unsafe(`DROP DATABASE ${datname} WITH (FORCE)`)
  await admin.end()
}

/** The DSN of another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.toString()
}
