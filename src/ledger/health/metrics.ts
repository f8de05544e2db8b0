import { type Family, boundedGauges, gauge, gauges, histogramSamples } from '../world/tally.ts'
import { type Sql, type Usage, SqlError, isGone } from '../../sql/port.ts'
import { oldestReaderMs } from '../../sql/server.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { knownUnusable } from '../registry/unusable.ts'
import { EVERYTHING } from '../world/scope.ts'

/** What this process uses of its database, as metrics. */
export async function usageFamilies(db: Sql): Promise<Family[]> {
  const { commits, log, sessions } = (await db.extras?.usage?.()) ?? {}
  return [
    ...(commits === undefined ? [] : [commitSizes(commits)]),
    ...(log === undefined
      ? []
      : [gauge('service_sqlite_wal_bytes', WAL, log.bytes), oldestReader(log.stuckMs)]),
    ...(sessions === undefined ? [] : sessionGauges(sessions)),
  ]
}

const WAL = 'Size of the write-ahead log of the SQLite file, bytes.'

function oldestReader(ms: number): Family {
  return gauge(
    'service_oldest_reader_seconds',
    'Least time for which the oldest reader has kept the database from cleaning up; 0 if there is none.',
    ms / 1000,
  )
}

/** How long the oldest transaction has kept PostgreSQL from cleaning up; nothing for other databases. */
export async function readerFamilies(ledger: Pick<Ledger, 'sql' | 'log'>): Promise<Family[]> {
  const ms = await readOrNone(ledger, 'the age of the oldest reader', () => oldestReaderMs(ledger.sql))
  return ms === undefined ? [] : [oldestReader(ms)]
}

function commitSizes(commits: readonly number[]): Family {
  const batches = commits.reduce((sum, transactions, index) => sum + transactions * (index + 1), 0)
  const bounds = commits.map((_, index) => index + 1)
  return {
    name: 'service_sqlite_commit_batches',
    help: 'Writes that one transaction of SQLite has committed together.',
    type: 'histogram',
    samples: histogramSamples({}, bounds, commits, batches),
  }
}

function sessionGauges({ most, idle, leased, waiting }: NonNullable<Usage['sessions']>): Family[] {
  return [
    gauges('service_postgres_sessions', 'Connections to PostgreSQL by use.', [
      [{ state: 'idle' }, idle],
      [{ state: 'read' }, leased.read],
      [{ state: 'write' }, leased.write],
    ]),
    gauge('service_postgres_sessions_max', 'Most connections to PostgreSQL that this server opens.', most),
    gauges('service_postgres_sessions_waiting', 'Operations that wait for a connection to PostgreSQL.', [
      [{ access: 'read' }, waiting.read],
      [{ access: 'write' }, waiting.write],
    ]),
  ]
}

/**
 * Which releases can't be decided on, and since when, as metrics. None where the ledger fails: what else a scrape tells is
 * wanted then above all.
 */
export async function unusableFamilies(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'now' | 'log' | 'features'>,
): Promise<Family[]> {
  const found = await readOrNone(ledger, "releases that can't be decided on", () =>
    knownUnusable(ledger, EVERYTHING),
  )
  if (found === undefined) return []
  const since = new Map<string, number>()
  for (const { release_id, ...each } of found) {
    since.set(release_id, Math.min(since.get(release_id) ?? Infinity, Date.parse(each.since) / 1000))
  }
  const oldest = [...since].toSorted(([, a], [, b]) => a - b)
  return [
    gauge(
      'service_releases_unusable',
      'Live or newest releases for which no decision is possible.',
      since.size,
    ),
    ...boundedGauges(
      'service_release_unusable_since_seconds',
      'Since when no decision on a release is possible, seconds since 1970; at most 20 of them.',
      oldest.map(([release_id, seconds]) => [{ release_id }, seconds]),
    ),
  ]
}

/** What a feature tells of the ledger. */
export type FeatureMetrics = (ledger: Pick<Ledger, 'sql'>) => Promise<readonly Family[]>

/** What features tell of the ledger; nothing where that can't be read. */
export async function featureFamilies(ledger: Pick<Ledger, 'sql' | 'log' | 'features'>): Promise<Family[]> {
  const metrics = await partsOf(ledger.features, 'metrics')
  const read = () => Promise.all(metrics.map(each => each(ledger)))
  return (await readOrNone(ledger, 'metrics of features', read))?.flat() ?? []
}

async function readOrNone<T>(
  { log }: Pick<Ledger, 'log'>,
  what: string,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof SqlError) || isGone(error)) throw error
    log('error', `${what} can't be read`, { error })
    return undefined
  }
}
