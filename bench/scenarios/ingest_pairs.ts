import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import postgres from 'postgres'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'
import { type EventRow, NO_IDS, ingestQuery } from '../../src/ledger/events/ingest_sql.ts'
import { type Interned, internEvents } from '../../src/ledger/events/interning.ts'
import type { Services } from '../../src/runtime/services.ts'
import { WRITER_PRAGMAS } from '../../src/sql/libsql/libsql.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { startEmbedded } from '../../test/support/databases/embedded_postgres.ts'
import { forPostgres } from '../../src/sql/port.ts'
import { type IdOf, further, internedIds } from '../event_rows.ts'
import { benchEvent, benchRelease, benchServices, ledgerOf, servedLedger } from '../ledger.ts'
import { type BenchServer, type Usage, startBenchServer } from '../load.ts'

/** The service and the bare driver, on databases with the same tables and indexes. */
export interface IngestPair {
  /** Where each process of the service takes events. */
  readonly urls: readonly string[]
  readonly clients: number
  readonly releases: readonly string[]
  readonly idOf: IdOf
  /** Sends what the ledger sends for these rows. */
  bare(rows: readonly EventRow[]): Promise<void>
  /** What the processes of the service have used. */
  usage(): Promise<Usage>
  close(): Promise<void>
}

/** A file each, opened alike: the driver writes in this process, the service in its own. */
export async function sqlitePair(folder: string): Promise<IngestPair> {
  const [own, bare] = [join(folder, 'own'), join(folder, 'bare')]
  await prepare(await servedLedger(own))
  const { idOf, releases } = await prepare(await servedLedger(bare))
  const server = await startBenchServer('service', own)
  const driver = createClient({ url: pathToFileURL(ledgerOf(bare)).href, concurrency: 1 })
  for (const pragma of WRITER_PRAGMAS) await driver.execute(pragma)
  return {
    ...servedBy([server]),
    clients: 4,
    releases,
    idOf,
    bare: async rows => {
      const { statements } = ingestQuery({ dialect: 'sqlite' }, rows, NO_IDS, { further })
      await driver.batch(
        statements.map(({ text, params }) => ({ sql: text, args: [...params] })),
        'write',
      )
    },
    close: async () => {
      driver.close()
      await server.stop()
    },
  }
}

/** One database for both, with PostgreSQL's default settings, and two processes of the service. */
export async function postgresPair(folder: string): Promise<IngestPair> {
  const clients = 8
  const database = await startEmbedded([])
  const sql = openPostgres({ url: database.url })
  const { idOf, releases } = await prepare({ services: await benchServices(sql), close: () => sql.close() })
  const servers = await Promise.all([1, 2].map(() => startBenchServer('service', folder, database.url)))
  const driver = postgres(database.url, { max: clients, onnotice: () => {}, fetch_types: false })
  return {
    ...servedBy(servers),
    clients,
    releases,
    idOf,
    bare: async rows => {
      for (const statement of ingestQuery({ dialect: 'postgres' }, rows, NO_IDS, { further }).statements) {
        const { text, params } = forPostgres(statement)
        let count = 0
        const numbered = text.replaceAll('?', () => `$${++count}`)
        await driver.unsafe(numbered, [...params], { prepare: true })
      }
    },
    close: async () => {
      await driver.end()
      await Promise.all(servers.map(server => server.stop()))
      await database.stop()
    },
  }
}

function servedBy(servers: readonly BenchServer[]): Pick<IngestPair, 'urls' | 'usage'> {
  return {
    urls: servers.map(({ url }) => `${url}/v1/events`),
    usage: async () => {
      const used = await Promise.all(servers.map(server => server.usage()))
      return {
        cpuSeconds: used.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
        rssMb: Math.max(...used.map(({ rssMb }) => rssMb)),
      }
    },
  }
}

async function prepare({ services, close }: Awaited<ReturnType<typeof servedLedger>>): Promise<Introduced> {
  const introduced = await introduce(services)
  await close()
  return introduced
}

export interface Introduced {
  readonly releases: readonly string[]
  readonly idOf: IdOf
  /** What the ids stand for. */
  readonly ids: Pick<Interned, 'scopes' | 'variants'>
}

/** Registers two releases, and stores an event of each release and model, so that all have their ids. */
export async function introduce(services: Services): Promise<Introduced> {
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')]
  const first = Array.from({ length: 6 }, (_, index) => benchEvent(releases[index % 2]!, index, 0))
  await ingestEvents(services, first)
  const { scopes, variants } = await internEvents(services, first)
  return { releases, idOf: await internedIds(services.sql), ids: { scopes, variants } }
}
