import { type Family, gauge, gauges, histogramSamples } from '../../base/tally.ts'
import type { Sql, Usage } from '../../sql/port.ts'

/** What this process uses of its database, as metrics. */
export async function usageFamilies(db: Sql): Promise<Family[]> {
  const { commits, sessions } = (await db.usage?.()) ?? {}
  return [
    ...(commits === undefined ? [] : [commitSizes(commits)]),
    ...(sessions === undefined ? [] : sessionGauges(sessions)),
  ]
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
    gauges('service_postgres_sessions', 'Connections to PostgreSQL by what they are used for.', [
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
