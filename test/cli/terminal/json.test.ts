import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type AnySchemaObject, Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { COMMANDS } from '../../../tools/commands.ts'
import { DAY_MS } from '../../../src/base/time.ts'
import { PRICES, eventOf, releaseOf } from '../../support/services/builders.ts'
import { httpReceiver } from '../../support/processes/http_receiver.ts'
import { SMALL_SAMPLES, makeWorkspace, withDatabase, writeEvents } from '../../support/processes/cli.ts'

/** Commands that make a place, run until they are stopped, print a script, or nothing; `mcp` speaks nothing else. */
const WITHOUT = [
  'policy template',
  'audit export',
  'audit keygen',
  'audit pack',
  'audit prove',
  'release capabilities capture',
  'init',
  'release init',
  'demo',
  'login',
  'logout',
  'serve',
  'runs export',
  'profile set',
  'mcp',
  'docs',
]

/** Whose JSON other tests look at: signing in takes a provider, a review a forced action. */
const ELSEWHERE = ['audit review', 'whoami', 'session list', 'session revoke']

const DECISION = ['--env', 'local', '--window', '1h', '--reason', 'r']
const ROLLOUT = ['--env', 'local', '--reason', 'r', '--steps', '50%:1h', '--max-duration', '30d']

test('every command that prints facts prints them as JSON with --output json', async () => {
  const workspace = makeWorkspace(SMALL_SAMPLES)
  const { ok, write } = workspace
  const receiver = await httpReceiver()
  write('prices.yaml', PRICES)
  write('policy.yaml', { policy_id: 'lax', require_high_diff_confidence: false })
  write('a/release.yaml', releaseOf({ version: '1' }))
  write('b/release.yaml', releaseOf({ version: '2', model: 'm2' }))
  const said: Record<string, any> = {}
  const run = async (name: string, ...args: string[]): Promise<any> => {
    said[name] = JSON.parse(await ok(...name.split(' '), ...args, '--output', 'json'))
    return said[name]
  }
  await run('pricing import', 'prices.yaml')
  await run('policy validate', 'policy.yaml')
  await run('policy set', 'policy.yaml')
  await run('release validate', 'a')
  const { release_id: a } = await run('release register', 'a')
  const { release_id: b } = await run('release register', 'b')
  writeEvents(workspace, 'events.jsonl', 12, { release_id: b, latency: 50, model: 'm2' })
  await run('runs ingest', 'events.jsonl')
  const { webhook_id } = await run('webhook add', '--url', receiver.url, '--event', 'promote.succeeded')
  await run('webhook test', webhook_id)
  await run('webhook update', webhook_id, '--description', 'mine')
  await run('webhook rotate', webhook_id)
  await run('release promote', a, ...DECISION)
  const { deliveries } = await run('webhook deliveries')
  await run('webhook replay', deliveries[0].delivery_id)
  await run('release diff', a, b, '--window', '1h')
  await run('release rollback', a, ...DECISION)
  await run('release capabilities', b)
  write('wider/release.yaml', withTools(['send_mail']))
  write('narrow/release.yaml', withTools([]))
  const narrow = await ok('release', 'register', 'narrow')
  const wider = await ok('release', 'register', 'wider')
  await ok('release', 'promote', narrow, '--env', 'wide', '--window', '1h', '--reason', 'r')
  await run('release acknowledge', wider, '--env', 'wide', '--reason', 'r', '--yes')
  await run('release acknowledgements')
  write(
    'aggregates.jsonl',
    `${JSON.stringify({ aggregates: 'v1', source: 'here', engine: 'sh', query_sha256: 'a'.repeat(64), as_of: '2026-01-31T12:00:00Z', covers: { from_ms: Date.UTC(2026, 0, 31, 11), to_ms: Date.UTC(2026, 0, 31, 12) } })}\n`,
  )
  await run('aggregates import', 'aggregates.jsonl')
  await run('aggregates sources')
  await run('models retirements set', 'acme', 'm1', '2030-01-01', '--reason', 'r')
  await run('models retirements clear', 'acme', 'm1', '--reason', 'r')
  await run('models retirements')
  writeEvents(workspace, 'day.jsonl', 480, { release_id: a, latency: 50 })
  await ok('runs', 'ingest', 'day.jsonl')
  write('limits.yaml', { policy_id: 'limits', max_latency_increase_pct: 0.2 })
  await ok('policy', 'set', 'limits.yaml')
  const rollout = await run('release rollout start', b, ...ROLLOUT)
  await run('release rollout list')
  for (const change of ['pause', 'resume', 'abort']) {
    await run(`release rollout ${change}`, rollout.rollout_id, '--reason', 'r')
  }
  await run('release rollout show', rollout.rollout_id)
  write('service.yaml', { ...SMALL_SAMPLES, promotion_requires_approval: true })
  const rejected = await run('release rollout request', b, ...ROLLOUT)
  await run('release rollout requests')
  await run('release rollout reject', rejected.request_id, '--reason', 'r')
  const confirmed = await run('release rollout request', b, ...ROLLOUT)
  const begun = await run('release rollout confirm', confirmed.request_id, '--approval-reason', 'r')
  await ok('release', 'rollout', 'abort', begun.rollout_id, '--reason', 'r')
  await ok('policy', 'set', 'policy.yaml')
  const request = await run('release promote-request', a, ...DECISION.with(1, 'other'))
  await run('release cancel', request.request_id, '--reason', 'r')
  await run('release requests')
  const refused = await run('release promote-request', a, ...DECISION.with(1, 'third'))
  await run('release promote-reject', refused.request_id, '--reason', 'r')
  const again = await run('release promote-request', a, ...DECISION.with(1, 'other'))
  await run('release promote-confirm', again.request_id, '--approval-reason', 'r')
  const third = await run('release promote-request', a, ...DECISION.with(1, 'third'))
  await run('release approve', third.request_id, '--reason', 'r')
  await run('live')
  for (const name of [
    'release list',
    'release promoted',
    'release history',
    'pricing check',
    'policy show',
  ]) {
    await run(name)
  }
  await run('release show', a)
  await run('release verify', a, '--path', 'a')
  await run('pricing show', '--provider', 'acme', '--version', 'v1')
  await run('runs list', b, '--window', '1h')
  await run('webhook list')
  await run('token create', 'ci', '--role', 'read', '--yes')
  await run('token rotate', 'ci')
  await run('token list')
  await run('token revoke', 'ci', '--open')
  await run('runs find', 'nothing')
  await run('audit log')
  await run('release gate', a, '--env', 'local', '--window', '1h')
  const { action_id } = await run('audit explain', '1')
  const keys = makeWorkspace({}).path('key.pem')
  await ok('audit', 'keygen', keys)
  write('signed.json', await run('release attest', action_id, '--sign', keys))
  await run('audit checkpoint', '--sign', keys)
  await run('audit verify')
  await run('release verify-attestation', 'signed.json', '--key', `${keys}.pub`)
  await run('policy test', 'policy.yaml')
  const { watch_id } = await run('release watch', 'bot', '--env', 'local', '--against', b)
  await run('release watches')
  await run('release cancel', watch_id, '--reason', 'r')
  write('cases.jsonl', '{"scores": {"faithfulness": 0.9}, "passed": true}\n')
  await run('scores import', 'cases.jsonl', '--release', b, '--suite', 's', '--format', 'jsonl')
  await run('scores list', b)
  write('told.jsonl', '{"id": "one", "passed": true}\n{"id": "two", "passed": false}\n')
  for (const release of [a, b]) {
    await ok('scores', 'import', 'told.jsonl', '--release', release, '--suite', 'told', '--format', 'jsonl')
  }
  await run('scores diff', a, b, '--suite', 'told')
  await run('scores suites', 'bot')
  await run('doctor')
  await run('status')
  write('governance/policy.yaml', { policy_id: 'lax' })
  await run('apply', 'governance', '--plan')
  await run('version')
  await run('rollups rebuild')
  await run('policy advise', '--agent', 'bot', '--env', 'local')
  await withDatabase(workspace, db =>
    db.execute({ sql: 'UPDATE audit_head SET latest_at = ?', args: [Date.now() + DAY_MS] }),
  )
  await run('ledger accept-clock', '--reason', 'r')
  await run('ledger migrate')
  await run('ledger size')
  write('old.json', [eventOf({ release_id: b, run_id: 'old', at: Date.now() - 3 * DAY_MS })])
  await ok('runs', 'ingest', 'old.json')
  await run('runs prune', '--older-than', '1d', '--archive', 'archive')
  await ok(
    'runs',
    'ingest',
    `archive/${readdirSync(workspace.path('archive'))[0]}`,
    '--restored',
    '--output',
    'json',
  )
  await run('runs erase', '--tenant', 'nobody')
  await run('ledger copy', '--from', '.service/service.db', '--to', 'copy.db')
  await run('webhook remove', webhook_id, '--yes')
  await ok('profile', 'set', 'here', '--url', 'http://127.0.0.1:9')
  await run('profile list')
  await run('profile remove', 'here')
  expect(said).toMatchObject({
    'pricing import': { action: 'insert', provider: 'acme' },
    'policy set': { policy_id: 'lax', max_error_rate: null },
    'policy validate': { valid: true, policy: { policy_id: 'lax' } },
    'release validate': { valid: true, version: '1', files: ['release.yaml'] },
    'release register': { version: '2', warnings: [expect.stringMatching(/m2 costs 2 USD per 1,000/)] },
    'release verify': { release_id: a, matches: true },
    'runs ingest': { inserted: 12, skipped: 0 },
    'webhook add': { secret: expect.any(String) },
    'webhook test': { status: 'delivered' },
    'webhook replay': { status: 'pending' },
    'webhook remove': { webhook_id, deleted: true },
    'release promote-request': { status: 'pending', policy: { passed: true } },
    'release cancel': { ended_because: 'cancelled: r' },
    'token create': { name: 'ci', role: 'read', state: 'live' },
    'token revoke': { name: 'ci', revoked: 2 },
    'pricing check': { max_age_days: 90, pricing: [] },
    doctor: { ok: true },
    'profile list': { profiles: [{ name: 'here', has_token: false }] },
    'profile remove': { name: 'here', removed: true },
    // Two releases; shortly after midnight each has runs of two days.
    'rollups rebuild': { days: expect.toBeOneOf([2, 3, 4]) },
    'ledger copy': { checks: expect.arrayContaining([expect.objectContaining({ name: 'rows', ok: true })]) },
    'ledger migrate': { ledger: '.service/service.db' },
    'runs prune': { days: 1, events: 1, dry_run: false },
    'runs erase': { events: 0 },
  })
  const facts = COMMANDS.map(({ name }) => name).filter(name => !WITHOUT.includes(name))
  expect(Object.keys(said).sort()).toEqual(facts.filter(name => !ELSEWHERE.includes(name)).sort())
  expect(Object.keys(closedSchema().properties as object)).toEqual(facts.sort())
  for (const [name, json] of Object.entries(said)) expect(schemaProblems(name, json)).toEqual([])
  const gate = await workspace.svc(
    'release',
    'gate',
    'rel_none',
    '--env',
    'local',
    '--window',
    '1h',
    '--output=json',
  )
  expect(schemaProblems('release gate', JSON.parse(gate.stdout))).toEqual([])
})

/** An artifact that may call these tools and no others. */
function withTools(tool_names: readonly string[]): unknown {
  const artifact = releaseOf({})
  return { ...artifact, spec: { ...artifact.spec, tools: { tool_names } } }
}

/** How the JSON of a command differs from what the schema says of it. A field that it doesn't know is a difference. */
function schemaProblems(command: string, json: unknown): unknown {
  const valid = SCHEMAS.getSchema(`commands#/properties/${encodeURIComponent(command)}`)
  if (valid === undefined) return [command, 'has no schema']
  return valid(json) ? [] : [command, valid.errors]
}

const SCHEMAS = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true } })
SCHEMAS.addSchema(closedSchema(), 'commands')

function closedSchema(): AnySchemaObject {
  const text = readFileSync(join(ROOT_PATH, 'schemas/cli/v1/commands.schema.json'), 'utf8')
  const { $defs, properties } = JSON.parse(text, (key, value: unknown) => {
    const isClosed =
      typeof value === 'object' && value !== null && 'properties' in value && key !== '$defs' && key !== ''
    return isClosed ? { additionalProperties: false, ...value } : value
  }) as AnySchemaObject
  return { $defs, properties }
}

test('what a command finds wrong is JSON as well, and its exit code is the same', async () => {
  const { svc, write, ok } = makeWorkspace({})
  write('a/release.yaml', releaseOf())
  write('b/release.yaml', releaseOf({ version: '2' }))
  const id = await ok('release', 'register', 'a')
  const verified = await svc('release', 'verify', id, '--path', 'b', '--output', 'json')
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([2, { release_id: id, matches: false }])
})
