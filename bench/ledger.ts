import { FEATURES } from '../src/entry/features.ts'
import { newMemo } from '../src/ledger/world/memo.ts'
import { newServerTally } from '../src/ledger/world/tally.ts'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { accessControl } from '../src/http/access/access.ts'
import { ingestEvents } from '../src/ledger/events/ingest.ts'
import { importPricing } from '../src/ledger/registry/import_pricing.ts'
import { registerRelease } from '../src/ledger/registry/releases.ts'
import type { Services } from '../src/runtime/services.ts'
import { makePrivateFile } from '../src/runtime/node/files.ts'
import { loadMigrations } from '../src/runtime/node/migrations.ts'
import { workspaceConfig } from '../src/runtime/documents.ts'
import type { StoredEvent } from '../src/models/documents/stored_event.ts'
import { DAY_MS, isoTime } from '../src/base/time.ts'
import { openLibsql } from '../src/sql/libsql/libsql.ts'
import { migrate } from '../src/sql/migrate.ts'
import type { Sql } from '../src/sql/port.ts'

const ACTOR = { name: 'bench', source: 'cli' } as const
const MODELS = ['small', 'medium', 'large']

/** Where a server on this folder has its ledger. */
export function ledgerOf(folder: string): string {
  return join(folder, '.service', 'service.db')
}

/** A ledger with prices where a server on this folder finds it. */
export async function servedLedger(
  folder: string,
): Promise<{ services: Services; close: () => Promise<void> }> {
  await mkdir(join(folder, '.service'), { recursive: true })
  await makePrivateFile(ledgerOf(folder))
  const sql = await openLibsql({ path: ledgerOf(folder), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
  return { services: await benchServices(sql), close: () => sql.close() }
}

/** Migrates an empty database, imports prices, and returns what endpoints are called with. */
export async function benchServices(sql: Sql): Promise<Services> {
  const migrations = loadMigrations(sql)
  await migrate(sql, migrations, Date.now)
  let ids = 0
  const services: Services = {
    sql,
    workspace: workspaceConfig({}),
    memo: newMemo(),
    features: FEATURES,
    tally: newServerTally(),
    now: Date.now,
    elapsed: () => performance.now(),
    newId: prefix => prefix + (ids++).toString(16).padStart(12, '0'),
    log: () => {},
    catalog: async () => ({ state: 'off' }),
    version: '0.0.0',
    migrations,
    access: accessControl({}),
    assets: async () => undefined,
    describe: async () => '',
    maxBodyBytes: 16 * 1024 * 1024,
    secret: () => undefined,
    send: async () => ({ problem: 'benchmarks have no network' }),
    outboxFilled: () => {},
    afterwards: () => {},
    nextTurn: async () => {},
  }
  await importPricing(services, {
    table: {
      provider: 'acme',
      pricing_version: 'v1',
      entries: MODELS.map((model, index) => ({
        model,
        input_usd_per_1k_tokens: 0.001 * (index + 1),
        output_usd_per_1k_tokens: 0.004 * (index + 1),
      })),
    },
    replace: false,
    reason: null,
    actor: ACTOR,
  })
  return services
}

export async function benchRelease(services: Services, version: string, agentId = 'bench'): Promise<string> {
  const { release_id } = await registerRelease(services, {
    actor: ACTOR,
    checksum: '0'.repeat(64),
    artifact: {
      api_version: 'v1',
      kind: 'Release',
      metadata: { name: `bench ${version}`, version },
      spec: {
        agent: { agent_id: agentId },
        runtime: { provider: 'acme', model: 'small' },
        pricing_reference: { provider: 'acme', pricing_version: 'v1' },
      },
    },
  })
  return release_id
}

/** An event like those of real agents: about 600 bytes of JSON, 3 models, 1,000 tenants, 50 tasks. */
export function benchEvent(releaseId: string, index: number, ts: number): StoredEvent {
  return {
    api_version: 'v1',
    type: 'run_end',
    timestamp: isoTime(ts),
    workspace_id: 'ws_local',
    agent_id: 'bench',
    release_id: releaseId,
    run_id: `${ts.toString(16).padStart(12, '0')}-${releaseId}-${index.toString(16).padStart(8, '0')}`,
    tenant_id: `tenant-${(index * 7919) % 1000}`,
    task_id: `task-${(index * 104_729) % 50}`,
    environment: 'local',
    metrics: { success: index % 50 !== 0, latency_ms: 300 + ((index * 31) % 1700), error_type: null },
    usage: {
      model: {
        provider: 'acme',
        model: MODELS[index % 3]!,
        input_tokens: 500 + ((index * 13) % 3000),
        output_tokens: 50 + ((index * 17) % 700),
        cached_input_tokens: (index * 11) % 400,
      },
      tools: [{ tool_name: 'search', invocations: 1 + (index % 3), cost_units: 0 }],
    },
    labels: { region: 'eu-west-1' },
    request: {
      session_id: `session-${Math.floor(index / 4)}`,
      trace_id: `trace-${releaseId}-${index}`,
      span_id: `span-${releaseId}-${index}`,
    },
  }
}

/** Adds events of each release, in order of time, up to `count` per release over the seven days before `until`. */
export async function fillEvents(
  services: Services,
  releaseIds: readonly string[],
  from: number,
  count: number,
  until: number,
): Promise<void> {
  const span = 7 * DAY_MS
  for (let start = from; start < count; start += 500) {
    const batch = releaseIds.flatMap(releaseId =>
      Array.from({ length: Math.min(500, count - start) }, (_, offset) => {
        const index = start + offset
        return benchEvent(
          releaseId,
          index,
          Math.floor(until - span + (span * (index - from + 0.5)) / (count - from)),
        )
      }),
    )
    await ingestEvents(services, batch)
  }
}
