import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { type Sql, SqlError } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
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
  const url = await makeDatabase(inject('postgres').template)
  return { url, owner: postgres(url, { max: 1, onnotice: () => {} }) }
}

async function giveBack(database: Database): Promise<void> {
  await database.owner.unsafe(EMPTY_TABLES)
  idle.push(database)
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

const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

/** As after the migrations. As a replica it fires no triggers, neither those that keep the trail nor foreign keys. */
const EMPTY_TABLES = `DO $$
DECLARE
  name text;
  is_filled boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('schema_migrations', 'audit_head', 'retention', 'rollout_mark')
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', name) INTO is_filled;
    CONTINUE WHEN NOT is_filled;
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', name);
  END LOOP;
  UPDATE audit_head SET seq = 0, hash = '', revision = 0, changed_by = '', created_at = 0, first_seq = 0,
    log_seq = 0, log_hash = '', logged_actions = 0, logged_policies = 0, logged_prices = 0, logged_releases = 0,
    latest_at = 0;
  UPDATE retention SET events_before = 0, lease_until = 0, erasure_key = '', spans_before = 0, spans_swept_at = 0, strata_before = 0;
  UPDATE rollout_mark SET changed_by = '', assignment_key = '';
END $$`

/** A database that is open for one test. What that leaves behind is waited for, and what it asks later is refused. */
function leased(db: Sql): { sql: Sql; end: () => Promise<void> } {
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  function tracked<A extends unknown[], R>(call: (...given: A) => Promise<R>): (...given: A) => Promise<R> {
    return async (...given) => {
      if (isOver) throw new SqlError('unavailable', 'the test that this ledger was for is over')
      const answer = call(...given)
      underWay.add(answer)
      return answer.finally(() => underWay.delete(answer))
    }
  }
  const track = <T extends Omit<Sql, 'patient'>>(all: T): T => ({
    ...all,
    query: tracked(all.query),
    snapshot: tracked(all.snapshot),
    batch: tracked(all.batch),
    check: tracked(all.check),
    close: async () => void (isOver = true),
  })
  const sql = { ...track(db), ...(db.patient === undefined ? {} : { patient: track(db.patient) }) }
  return {
    sql,
    end: async () => {
      isOver = true
      await Promise.allSettled(underWay)
    },
  }
}
