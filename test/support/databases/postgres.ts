import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import type { Sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { shared } from '../shared.ts'
import { leased } from './leased.ts'
import { databaseUrl } from './postgres_server.ts'
import { type ServiceOptions, type TestService, testService } from '../services/service.ts'

/** A migrated database, and a session of its owner. */
interface Database {
  readonly url: string
  readonly owner: postgres.Sql
  /** Kept open from test to test: a session costs the server more than most tests do. */
  ledger?: Sql
}

/** Migrated databases of this process that no test holds: emptying one is far faster than making one. */
const idle: Database[] = []

/** The DSN of a migrated database that is the test's own until it is over. */
export async function temporaryDatabase(): Promise<string> {
  const database = await takeDatabase()
  onTestFinished(async () => {
    await database.ledger?.close()
    delete database.ledger
    await database.owner.unsafe(END_SESSIONS)
    await giveBack(database)
  })
  return database.url
}

/** An open, migrated ledger in a database of its own, which can't be used any more when the test is over. */
export async function temporaryPostgres(): Promise<Sql> {
  const database = await takeDatabase()
  database.ledger ??= openPostgres({ url: `${database.url}?max=4` })
  const { sql, end } = leased(database.ledger)
  onTestFinished(async () => {
    await end()
    await giveBack(database)
  })
  return sql
}

/** The whole service in this process on PostgreSQL. */
export async function postgresService(options: ServiceOptions = {}): Promise<TestService> {
  return testService({ ...options, sql: options.sql ?? (await temporaryPostgres()) })
}

async function takeDatabase(): Promise<Database> {
  const known = idle.pop()
  if (known !== undefined) return known
  const url = await makeDatabase((await shared('postgres')).template)
  const owner = postgres(url, { max: 1, onnotice: () => {} })
  await owner.unsafe(REMEMBER)
  return { url, owner }
}

/** A test may have ended the session that knows how the ledger was; then its database serves nobody any more. */
async function giveBack({ owner, ...database }: Database): Promise<void> {
  const isNew = await owner.unsafe(MAKE_NEW).then(
    () => true,
    () => false,
  )
  if (isNew) idle.push({ owner, ...database })
  else await owner.end()
}

/** The DSN of a database without a single table, gone when the test is over. */
export async function emptyDatabase(): Promise<string> {
  const url = await makeDatabase('template0')
  onTestFinished(() => administer(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`))
  return url
}

async function makeDatabase(template: string): Promise<string> {
  const { url, prefix } = await shared('postgres')
  const name = `${prefix}${randomBytes(8).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  return databaseUrl(url, name)
}

async function administer(statement: string): Promise<void> {
  const admin = postgres((await shared('postgres')).url, { max: 1, onnotice: () => {} })
  await admin.unsafe(statement)
  await admin.end()
}

const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

/** The tables in which a new ledger has rows. */
const FILLED = ['schema_migrations', 'audit_head', 'retention', 'rollout_mark', 'aggregate_writes']

/**
 * Gives a session a function that makes the ledger as it is now again. Its statements are planned once, and as a replica
 * it fires no triggers, neither those that keep the trail nor foreign keys.
 */
const REMEMBER = `DO $$
DECLARE
  name text;
  body text := '';
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    IF name IN (${FILLED.map(name => `'${name}'`).join(', ')}) THEN
      EXECUTE format('CREATE TEMP TABLE %I AS SELECT * FROM public.%I', 'new_' || name, name);
      body := body || format('DELETE FROM public.%I; INSERT INTO public.%I SELECT * FROM pg_temp.%I;', name, name, 'new_' || name);
    ELSE
      body := body || format('IF EXISTS (SELECT 1 FROM public.%I) THEN DELETE FROM public.%I; END IF;', name, name);
    END IF;
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
    body := body || format('IF (SELECT is_called FROM public.%I) THEN ALTER SEQUENCE public.%I RESTART; END IF;', name, name);
  END LOOP;
  EXECUTE format('CREATE FUNCTION pg_temp.make_new() RETURNS void LANGUAGE plpgsql AS %L', 'BEGIN ' || body || ' END');
  SET session_replication_role = replica;
END $$`

const MAKE_NEW = 'SELECT pg_temp.make_new()'
