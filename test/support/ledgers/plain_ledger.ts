import { FEATURES } from '../../../src/entry/features.ts'
import { type BoundName, type Holds, holdsOf } from '../../../src/ledger/trail/bound_rows.ts'
import type { Actor, Ledger } from '../../../src/ledger/world/ledger.ts'
import { newMemo } from '../../../src/ledger/world/memo.ts'
import { ingestEvents } from '../../../src/ledger/events/ingest.ts'
import { importPricing } from '../../../src/ledger/registry/import_pricing.ts'
import { registerRelease } from '../../../src/ledger/registry/releases.ts'
import { newServerTally } from '../../../src/ledger/world/tally.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { acceptEvent } from '../../../src/models/all/parse_event.ts'
import { type Row, type Sql, raw, rowsOf, sql as sqlText } from '../../../src/sql/port.ts'
import { type EventOptions, eventOf, releaseOf } from '../services/builders.ts'
import { temporaryLedger } from '../databases/ledger.ts'

/** When a plain ledger begins, by its server and by its database, epoch ms. */
export const MORNING = Date.UTC(2026, 2, 1, 8)
/** How far the clock of the database is ahead of the server's. */
export const AHEAD_MS = 250

export const ANN: Actor = { name: 'ann', source: 'cli' }
export const BOB: Actor = { name: 'bob', source: 'header', claimed: 'robert' }

/** A ledger without a service around it: its functions are called, and its rows are read. */
export interface PlainLedger extends Ledger {
  readonly clock: { now: number }
  readonly logged: unknown[][]
  /** How often it was said that there is something in the outbox. */
  readonly filled: { times: number }
  readonly rows: (table: string) => Promise<Row[]>
}

export async function plainLedger(
  workspace: object = {},
  { sql, firstId = 1 }: { readonly sql?: Sql; readonly firstId?: number } = {},
): Promise<PlainLedger> {
  const db = sql ?? (await temporaryLedger())
  const [clock, filled, logged] = [{ now: MORNING }, { times: 0 }, [] as unknown[][]]
  let ids = firstId
  return {
    sql: {
      ...db,
      get clock() {
        return sqlText`CAST(${clock.now + AHEAD_MS} AS BIGINT)`
      },
    },
    workspace: workspaceConfig(workspace),
    now: () => clock.now,
    elapsed: () => performance.now(),
    newId: prefix => `${prefix}${String(ids++).padStart(12, '0')}`,
    log: (...said) => void logged.push(said),
    memo: newMemo(),
    features: FEATURES,
    tally: newServerTally(),
    catalog: async () => ({ state: 'off' }),
    send: async () => ({ problem: 'there is no network' }),
    outboxFilled: () => void (filled.times += 1),
    clock,
    filled,
    logged,
    rows: table => rowsOf(db, raw(`SELECT * FROM ${table}`)),
  }
}

/** The records of the audit log, oldest first. */
export async function logOf(ledger: PlainLedger): Promise<Record<string, any>[]> {
  return (await ledger.rows('audit_log')).map(row => JSON.parse(String(row.record_json)))
}

/** What the last entry of the audit log says that rows are, and what they are. */
export async function storedRows(
  ledger: PlainLedger,
  ...names: BoundName[]
): Promise<{ says: Holds; are: Holds }> {
  const { details } = (await logOf(ledger)).at(-1)!
  const are = await Promise.all(names.map(async name => holdsOf(name, await ledger.rows(name))))
  return { says: details.holds ?? {}, are: Object.assign({}, ...are) as Holds }
}

/** Registers a release and returns its id. */
export async function registered(
  ledger: Ledger,
  version: string,
  { environment = 'local', agent = 'bot' }: { readonly environment?: string; readonly agent?: string } = {},
): Promise<string> {
  const artifact = releaseOf({ version, agent })
  const { release_id } = await registerRelease(ledger, {
    artifact,
    checksum: version.padStart(64, '0'),
    environment,
    actor: ANN,
  })
  return release_id
}

/** Imports what the model of releases costs. */
export async function priced(ledger: Ledger): Promise<void> {
  const rates = { model: 'm1', input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 2 }
  const table = { provider: 'acme', pricing_version: 'v1', entries: [rates] }
  await importPricing(ledger, { table, replace: false, reason: null, actor: ANN })
}

/** So many equal runs of a release in `local`, a second apart, the newest one a second ago. */
export async function ran(
  ledger: PlainLedger,
  release_id: string,
  count: number,
  options: Pick<EventOptions, 'agent_id' | 'latency' | 'success' | 'model'> = {},
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) =>
    acceptEvent(
      eventOf({
        release_id,
        run_id: `${release_id} ${ledger.clock.now} ${index}`,
        at: ledger.clock.now - 1000 * (index + 1),
        latency: 100,
        ...options,
      }),
    )!,
  )
  await ingestEvents(ledger, events)
}
