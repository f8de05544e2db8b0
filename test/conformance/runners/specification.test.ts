import type { Answer } from '../../support/services/call.ts'
import { inputSchemas } from '../../../src/http/openapi/openapi.ts'
import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../handlers/index.ts'
import { COMMANDS } from '../../../tools/commands.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { STALE_AFTER_DAYS } from '../../../src/rules/cost.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { sql } from '../../../src/sql/port.ts'
import { PRICES, eventOf, importPrices, register, twoReleases } from '../../support/services/builders.ts'
import { temporaryLedger } from '../../support/databases/ledger.ts'
import { decision, diff, ingest } from '../../support/services/requests.ts'
import { type TestService, testService } from '../../support/services/service.ts'

/** The tables of the specification that state messages, variables, defaults and limits, row by row. */

describe('Errors: each message of the operations has its identifying text', () => {
  const rows: [text: string, provoke: (service: TestService) => Promise<Answer>][] = [
    ['Unknown baseline release:', async service => diff(service, ['rel_no', await register(service)])],
    ['Unknown candidate release:', async service => diff(service, [await register(service), 'rel_no'])],
    [
      'Missing pricing table for baseline acme/v1',
      async service => diff(service, [await register(service), await register(service)]),
    ],
    [
      'Missing pricing table for candidate acme/none',
      async service => {
        await importPrices(service)
        return diff(service, [await register(service), await register(service, { pricing: 'none' })])
      },
    ],
    ['Missing pricing table for promoted_baseline acme/none', service => promoteOver(service, 'none', 'v1')],
    [
      'Missing pricing table for rollback target acme/none',
      service => promoteOver(service, 'v1', 'none', 'POST /v1/rollback'),
    ],
    [
      'Cross-agent diff is not allowed',
      async service => diff(service, [await register(service), await register(service, { agent: 'other' })]),
    ],
    [
      'Each side of the diff must have a single consistent agent_id among run events',
      async service => {
        const { baseline, candidate } = await twoReleases(service, 1)
        await ingest(service, [eventOf({ release_id: baseline, run_id: 'odd', agent_id: 'other' })])
        return diff(service, [baseline, candidate])
      },
    ],
    [
      'Pricing table missing model entry',
      async service => {
        const { baseline, candidate } = await twoReleases(service, 1)
        await ingest(service, [eventOf({ release_id: baseline, run_id: 'odd', model: 'unknown' })])
        return diff(service, [baseline, candidate])
      },
    ],
    [
      'Reason is required for promote/rollback actions',
      async service =>
        service.call('POST /v1/promote', { body: decision(await register(service), { reason: '' }) }),
    ],
    [
      'No promoted release exists for this agent/environment; nothing to roll back to',
      async service => service.call('POST /v1/rollback', { body: decision(await register(service)) }),
    ],
    [
      'Promoted baseline release is missing:',
      async service => {
        const release = await register(service)
        await service.call('POST /v1/promote', { body: decision(release) })
        await losePointedRelease(service)
        return service.call('POST /v1/promote', { body: decision(release) })
      },
    ],
  ]
  test.each(rows)('%s', async (text, provoke) => {
    const { status, body } = await provoke(await testService())
    expect(status).toBe(400)
    expect(body.detail).toContain(text)
  })
})

async function promoteOver(
  service: TestService,
  baselinePricing: string,
  targetPricing: string,
  route: RouteName = 'POST /v1/promote',
): Promise<Answer> {
  await importPrices(service, PRICES)
  const baseline = await register(service, { pricing: baselinePricing })
  await service.call('POST /v1/promote', { body: decision(baseline) })
  return service.call(route, { body: decision(await register(service, { pricing: targetPricing })) })
}

/** Points to a release that isn't there, as a damaged ledger might: the table's foreign key has to go for it. */
async function losePointedRelease({ sql: db }: TestService): Promise<void> {
  await db.batch([
    sql`CREATE TABLE damaged AS SELECT agent_id, environment, 'rel_gone' AS release_id FROM promoted_pointers`,
    sql`DROP TABLE promoted_pointers`,
    sql`ALTER TABLE damaged RENAME TO promoted_pointers`,
  ])
}

describe('Limits: query parameters have their defaults and ranges', () => {
  test.each([
    ['GET /v1/actions', 'limit', { default: 50 }],
    ['GET /v1/promotion-requests', 'limit', { default: 50, minimum: 1, maximum: 500 }],
    ['GET /v1/runs', 'limit', { default: 100, minimum: 1, maximum: 500 }],
    ['GET /v1/runs', 'offset', { default: 0, minimum: 0, maximum: 500_000 }],
    ['GET /v1/runs/export', 'limit', { default: 500, maximum: 500 }],
  ] as const)('%s %s', async (route, name, range) => {
    const { default: endpoint } = await routes[route]()
    expect(inputSchemas(endpoint.spec).query?.properties?.[name]).toMatchObject(range)
  })
})

describe('Limits and Authentication: environment variables have their defaults and meaning', () => {
  test('nothing set', () => {
    expect(readEnvironment({})).toEqual({
      databaseUrl: undefined,
      readDatabaseUrl: undefined,
      databaseAuthToken: undefined,
      postgres: {},
      tokens: { main: undefined, previous: undefined, ingest: undefined, read: undefined },
      sqliteBusyTimeoutMs: 5000,
      sqliteLockRetryMs: 30_000,
      sqliteAlwaysDurable: false,
      serviceUrl: undefined,
      serviceProfile: undefined,
      actor: 'unknown',
      secret: expect.any(Function) as () => string,
    })
  })

  test.each([
    ['SERVICE_DATABASE_URL', 'postgres://h/d', { databaseUrl: 'postgres://h/d' }],
    ['SERVICE_DATABASE_URL', 'libsql://h', { databaseUrl: 'libsql://h' }],
    ['SERVICE_READ_DATABASE_URL', 'postgres://r/d', { readDatabaseUrl: 'postgres://r/d' }],
    ['SERVICE_DATABASE_AUTH_TOKEN', 't', { databaseAuthToken: 't' }],
    ['SERVICE_LOCAL_API_TOKEN', 's', { tokens: { main: 's' } }],
    ['SERVICE_LOCAL_API_TOKEN_PREVIOUS', 's', { tokens: { previous: 's' } }],
    ['SERVICE_INGEST_TOKEN', 's', { tokens: { ingest: 's' } }],
    ['SERVICE_READ_TOKEN', 's', { tokens: { read: 's' } }],
    ['SERVICE_LOCAL_API_TOKEN', '  ', { tokens: { main: undefined } }],
    ['SERVICE_SQLITE_BUSY_TIMEOUT_MS', '250', { sqliteBusyTimeoutMs: 250 }],
    ['SERVICE_SQLITE_LOCK_TIMEOUT_S', '2', { sqliteLockRetryMs: 2000 }],
    ['SERVICE_SQLITE_LOCK_TIMEOUT_S', '1.5', { sqliteLockRetryMs: 1500 }],
    ['SERVICE_SQLITE_LOCK_TIMEOUT_S', '0', { sqliteLockRetryMs: 0 }],
    ['SERVICE_SQLITE_RETRY_ON_LOCK', '0', { sqliteLockRetryMs: 0 }],
    ['SERVICE_SQLITE_RETRY_ON_LOCK', 'false', { sqliteLockRetryMs: 0 }],
    ['SERVICE_SQLITE_RETRY_ON_LOCK', '1', { sqliteLockRetryMs: 30_000 }],
    ['SERVICE_URL', 'http://h', { serviceUrl: 'http://h' }],
    ['USER', 'ann', { actor: 'ann' }],
    ['USERNAME', 'bob', { actor: 'bob' }],
  ])('%s=%s', (name, value, expected) => {
    expect(readEnvironment({ [name]: value })).toMatchObject(expected)
  })

  test('USER goes before USERNAME', () => {
    expect(readEnvironment({ USER: 'ann', USERNAME: 'bob' }).actor).toBe('ann')
  })
})

describe('Limits: storage', () => {
  test.each([
    ['foreign_keys', 1],
    ['journal_mode', 'wal'],
    ['synchronous', 1],
  ])('PRAGMA %s is %s on every connection', async (pragma, expected) => {
    const db = await temporaryLedger()
    const read = { text: `PRAGMA ${pragma}`, params: [] }
    const [written] = await db.batch([read])
    for (const { rows } of [await db.query(read), written!]) expect(rows[0]![pragma]).toBe(expected)
  })
})

describe('Resources: defaults', () => {
  test('of the policy', () => {
    expect(DEFAULT_POLICY).toEqual({
      policy_id: 'default',
      max_cost_per_run_usd: null,
      max_latency_ms: null,
      max_error_rate: null,
      min_candidate_runs: null,
      min_baseline_runs: null,
      min_low_runs: null,
      require_high_diff_confidence: true,
    })
  })

  test('of the workspace', () => {
    expect(workspaceConfig({})).toEqual({
      api_version: 'v1',
      kind: 'WorkspaceConfig',
      db_path: '.service/service.db',
      default_environment: 'local',
      diff: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
      promotion_requires_approval: false,
      // Ours, additive.
      strict: false,
      webhooks: { deny_private: false },
    })
  })

  test('of pricing staleness', () => {
    expect(STALE_AFTER_DAYS).toBe(90)
  })
})

describe('Command-line interface: every command and option of the table is there', () => {
  test.each([
    ['init', '', ['--path', '--no-bundled-pricing']],
    ['demo', '', ['--quickstart-root', '--no-verify', '--no-doctor', '--keep-workspace']],
    ['doctor', '', ['--backup']],
    ['serve', '', ['--host', '--port', '--reload', '--sqlite-lock-timeout', '--no-retry-sqlite-lock']],
    ['release register', '<PATH>', ['--env']],
    ['release list', '', []],
    ['release show', '<RELEASE_ID>', []],
    ['release verify', '<RELEASE_ID>', ['--path']],
    [
      'release diff',
      '<BASELINE_ID> <CANDIDATE_ID>',
      ['--window', '--env', '--tenant', '--task', '--fail-on-policy', '--output'],
    ],
    ['release promote', '<RELEASE_ID>', ['--env', '--window', '--reason']],
    ['release rollback', '<RELEASE_ID>', ['--env', '--window', '--reason']],
    ['release promote-request', '<RELEASE_ID>', ['--env', '--window', '--reason']],
    ['release promote-confirm', '<REQUEST_ID>', ['--approval-reason']],
    ['release history', '', ['--agent', '--env']],
    ['pricing import', '<PATH>', ['--replace', '--reason']],
    ['pricing show', '', ['--provider', '--version']],
    // Releases to check are ours, additive.
    ['pricing check', '[...RELEASE_ID]', ['--max-age-days', '--fail']],
    ['policy set', '<PATH>', []],
    ['policy show', '', []],
    [
      'runs list',
      '<RELEASE_ID>',
      [
        '--window',
        '--env',
        '--tenant',
        '--task',
        '--trace-id',
        '--session-id',
        '--span-id',
        '--offset',
        '--limit',
        '--output',
      ],
    ],
    ['runs export', '<RELEASE_ID>', ['--window', '--env', '--tenant', '--offset', '--limit', '-o']],
    ['runs ingest', '<PATH>', []],
  ])('%s %s', (name, args, options) => {
    const command = COMMANDS.find(spec => spec.name === name)
    expect(command?.args ?? '').toBe(args)
    const flags = (command?.options ?? []).flatMap(option => option.flags.split(/[ ,]+/))
    expect(options.filter(option => !flags.includes(option))).toEqual([])
  })
})
