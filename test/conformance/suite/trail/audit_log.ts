import { describe, expect, test } from 'vitest'
import { raw, sql } from '../../../../src/sql/port.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { failedChecks, ok, promote, setPolicy, unprocessableAt } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'

/** One chain over all that governs, and what the doctor makes of it. */
export function auditLogContract(makeService: MakeService): void {
  const entries = async (service: TestService, query = {}) =>
    (await ok(service.call('GET /v1/audit', { query }))).entries
  const kinds = async (service: TestService) =>
    (await entries(service)).map(({ kind }: { kind: string }) => kind).toReversed()

  /** A price table, a policy, two releases and three decisions, the last one blocked. */
  async function governed(): Promise<TestService> {
    const service = await makeService()
    await importPrices(service)
    await setPolicy(service, {})
    const [first, second] = [await register(service), await register(service, { version: '2' })]
    await ok(promote(service, first))
    await ok(promote(service, second))
    await setPolicy(service, { require_high_diff_confidence: true })
    expect((await promote(service, first)).status).toBe(409)
    return service
  }

  describe('the audit log', () => {
    test('has an entry of all that governs, in its order', async () => {
      const service = await governed()
      expect(await kinds(service)).toEqual([
        'prices.import',
        'policy.set',
        'release.registered',
        'release.registered',
        'decision',
        'decision',
        'policy.set',
        'decision',
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('holds each decision by the hash of its record', async () => {
      const service = await governed()
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      const decisions = await entries(service, { kind: 'decision' })
      const facts = (rows: { fact?: string; hash: string; subject?: string; action_id?: string }[]) =>
        rows.map(row => [row.subject ?? row.action_id, row.fact ?? row.hash])
      expect(facts(decisions)).toEqual(facts(actions))
      expect(decisions[0]).toMatchObject({
        actor: 'http',
        actor_source: 'body',
        reason: 'because',
        details: { audit_seq: 3, action: 'promote', policy_passed: false, environment: 'local' },
      })
    })

    test('is a chain: each entry has the hash of the one before it', async () => {
      const log = (await entries(await governed())).toReversed()
      expect(log.map((entry: { log_seq: number }) => entry.log_seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      for (const [index, entry] of log.entries()) {
        expect(entry.prev_hash).toBe(log[index - 1]?.hash ?? '')
        expect(JSON.parse(entry.record_json)).toMatchObject({ log_seq: entry.log_seq, kind: entry.kind })
      }
    })

    test('is filtered by kind and read in pages', async () => {
      const service = await governed()
      const query = { kind: 'policy.set', limit: 1 }
      const page = await ok(service.call('GET /v1/audit', { query }))
      expect(page).toMatchObject({ entries: [{ log_seq: 7 }], next_after: 7 })
      const next = await ok(service.call('GET /v1/audit', { query: { ...query, after: page.next_after } }))
      expect(next).toMatchObject({ entries: [{ log_seq: 2 }], next_after: null })
      const family = await ok(service.call('GET /v1/audit', { query: { kind: 'policy' } }))
      expect(family.entries.map((entry: { log_seq: number }) => entry.log_seq)).toEqual([7, 2])
      expect(family.entries[0].details.changes).not.toEqual([])
      expect(await unprocessableAt(service.call('GET /v1/audit', { query: { kind: 'x' } }))).toEqual([
        ['query', 'kind'],
      ])
    })

    test('is filtered by agent, environment, actor and time', async () => {
      const service = await governed()
      const all = await entries(service)
      const { agent_id } = all[0].details
      const found = async (query: object) =>
        (await entries(service, query)).map((entry: { log_seq: number }) => entry.log_seq)
      expect(await found({ agent: agent_id, kind: 'decision' })).toEqual([8, 6, 5])
      expect(await found({ agent: agent_id, env: 'local' })).toEqual([8, 6, 5, 4, 3])
      expect(await found({ agent: 'another' })).toEqual([])
      expect(await found({ env: 'prod' })).toEqual([])
      expect(await found({ actor: 'http', limit: 2 })).toEqual([8, 7])
      expect(await found({ actor: 'HTTP' })).toEqual([])
      expect(await found({ actor: "o'neil" })).toEqual([])
      const { created_at } = all[0]
      expect(await found({ since: created_at })).toContain(8)
      expect(await found({ until: created_at })).not.toContain(8)
      expect(await unprocessableAt(service.call('GET /v1/audit', { query: { since: 'tomorrow' } }))).toEqual([
        ['query', 'since'],
      ])
    })

    test('keeps its order and loses nothing where many write at once', async () => {
      const service = await makeService()
      await importPrices(service)
      const releases = await Promise.all(
        Array.from({ length: 6 }, (_, index) => register(service, { version: String(index) })),
      )
      await Promise.all([
        ...releases.map(release => ok(promote(service, release, { environment: `env-${release}` }))),
        ...releases.map((_, index) => setPolicy(service, { max_latency_ms: index + 1 })),
      ])
      expect((await kinds(service)).filter((kind: string) => kind === 'decision')).toHaveLength(6)
      expect((await kinds(service)).filter((kind: string) => kind === 'policy.set')).toHaveLength(6)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('has nothing of what was refused', async () => {
      const service = await governed()
      await service.call('PUT /v1/policy', { body: { max_cost: 1 } })
      await service.call('POST /v1/pricing', { body: { table: {} } })
      await importPrices(service).catch(() => {})
      expect(await kinds(service)).toHaveLength(8)
    })
  })

  describe('of the audit log the doctor finds', () => {
    test.each<[string, string, string, RegExp]>([
      [
        'a changed entry',
        'audit_log',
        `UPDATE audit_log SET record_json = replace(record_json, 'because', 'x')`,
        /^log_seq 5: its record does not match/,
      ],
      [
        'a changed kind',
        'audit_log',
        `UPDATE audit_log SET kind = 'decision' WHERE log_seq = 2`,
        /^log_seq 2: its columns differ/,
      ],
      [
        'a deleted entry',
        'audit_log',
        'DELETE FROM audit_log WHERE log_seq = 3',
        /^log_seq 4: it does not follow/,
      ],
      [
        'a deleted last entry',
        'audit_log',
        'DELETE FROM audit_log WHERE log_seq = 8',
        /ends with log_seq 7, its head has 8/,
      ],
      ['no entries at all', 'audit_log', 'DELETE FROM audit_log', /ends with log_seq 0, its head has 8/],
      [
        'a changed policy',
        'policy_history',
        `UPDATE policy_history SET policy_json = '{}' WHERE seq = (SELECT min(seq) FROM policy_history)`,
        /^log_seq 2: policy_history seq \d+ is not as it was written/,
      ],
      [
        'who set a policy',
        'policy_history',
        `UPDATE policy_history SET actor = 'nobody'`,
        /^log_seq 2: policy_history/,
      ],
      [
        'a deleted policy',
        'policy_history',
        `DELETE FROM policy_history WHERE seq = (SELECT min(seq) FROM policy_history)`,
        /^log_seq 2: it has pol_/,
      ],
      [
        'an inserted policy',
        'policy_history',
        `INSERT INTO policy_history (policy_id, policy_json, actor, actor_source, created_at, change_id) SELECT policy_id, policy_json, actor, actor_source, created_at, 'pol_forged' FROM policy_history WHERE seq = (SELECT max(seq) FROM policy_history)`,
        /^policy_history seq \d+ has no entry/,
      ],
      [
        'a changed price table',
        'pricing_imports',
        `UPDATE pricing_imports SET new_pricing_json = '{}'`,
        /^log_seq 1: pricing_imports/,
      ],
      [
        'a changed release',
        'releases',
        `UPDATE releases SET artifact_json = '{}' WHERE version = '2'`,
        /^log_seq 4: releases/,
      ],
      [
        'a head that was set back',
        'actions',
        'UPDATE audit_head SET log_seq = 7',
        /head has 7 or another hash/,
      ],
    ])('%s', async (_what, table, text, problem) => {
      const service = await governed()
      await tamper(service.sql, table, raw(text))
      const failed = await failedChecks(service)
      expect(failed.find(([name]) => name === 'audit_log')?.[1]).toMatch(problem)
    })
  })

  test('what another program wrote is named, also behind the next change', async () => {
    const service = await governed()
    await service.sql.batch([
      sql`INSERT INTO policy_history (policy_id, policy_json, actor, actor_source, created_at, change_id)
        SELECT policy_id, policy_json, actor, actor_source, created_at, 'pol_forged' FROM policy_history
        ORDER BY seq DESC LIMIT 1`,
    ])
    expect(await failedChecks(service)).toEqual([
      ['audit_log', expect.stringMatching(/^policy_history seq \d+ has no entry: another program wrote it$/)],
    ])
    await setPolicy(service, {})
    for (const deep of [false, true]) {
      expect(await failedChecks(service, deep)).toEqual([
        [
          'audit_log',
          expect.stringMatching(/^log_seq \d+: it has pol_\w+, but policy_history seq \d+ has pol_forged$/),
        ],
      ])
    }
  })
}
