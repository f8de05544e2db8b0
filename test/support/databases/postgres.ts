import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import type { Sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { databaseUrl } from './postgres_server.ts'
import { type ServiceOptions, type TestService, testService } from '../services/service.ts'

/** Migrated databases of this process that no test holds: emptying one is far faster than making one. */
const idle: string[] = []

/** The DSN of a migrated database that is the test's own until it is over. */
export async function temporaryDatabase(): Promise<string> {
  const url = idle.pop() ?? (await makeDatabase(inject('postgres').template))
  onTestFinished(async () => {
    await emptyTables(url)
    idle.push(url)
  })
  return url
}

/** The DSN of a database without a single table, gone when the test is over. */
export async function emptyDatabase(): Promise<string> {
  const url = await makeDatabase('template0')
  onTestFinished(() => administer(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`))
  return url
}

async function makeDatabase(template: string): Promise<string> {
  const { url, prefix } = inject('postgres')
  const name = `${prefix}${randomBytes(8).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  return databaseUrl(url, name)
}

async function administer(statement: string): Promise<void> {
  const admin = postgres(inject('postgres').url, { max: 1, onnotice: () => {} })
  await admin.unsafe(statement)
  await admin.end()
}

/** As after the migrations. Triggers that keep the trail are off meanwhile: only the tables' owner can do that. */
async function emptyTables(url: string): Promise<void> {
  const owner = postgres(url, { max: 1, onnotice: () => {} })
  await owner.unsafe(EMPTY_TABLES)
  await owner.end()
}

const EMPTY_TABLES = `DO $$
DECLARE name text;
BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  ALTER TABLE promoted_pointers DISABLE TRIGGER USER;
  DELETE FROM promoted_pointers;
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('schema_migrations', 'audit_head', 'retention')
  LOOP
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', name);
    EXECUTE format('DELETE FROM %I', name);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', name);
  END LOOP;
  UPDATE audit_head SET seq = 0, hash = '', revision = 0, changed_by = '', created_at = 0, first_seq = 0,
    log_seq = 0, log_hash = '', logged_actions = 0, logged_policies = 0, logged_prices = 0, logged_releases = 0;
  UPDATE retention SET events_before = 0, lease_until = 0;
END $$`

/** An open, migrated ledger in a database of its own, closed when the test is over. */
export async function temporaryPostgres(): Promise<Sql> {
  const url = await temporaryDatabase()
  const sql = openPostgres({ url: `${url}?max=4` })
  onTestFinished(() => sql.close())
  return sql
}

/** The whole service in this process on PostgreSQL. */
export async function postgresService(options: ServiceOptions = {}): Promise<TestService> {
  return testService({ ...options, sql: options.sql ?? (await temporaryPostgres()) })
}
