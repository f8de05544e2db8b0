import { describe, expect, test } from 'vitest'
import type { Caller } from '../../../src/http/access/caller.ts'
import { ALL_ACCESS } from '../../../src/http/access/caller.ts'
import { EVERYTHING } from '../../../src/ledger/world/scope.ts'
import { sha256 } from '../../../src/base/bytes.ts'
import { type Statement, sql } from '../../../src/sql/port.ts'
import { postgresService } from '../../support/databases/postgres.ts'
import { tamper } from '../../support/databases/tampering/tamper.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { decision, failedChecks, ok, promote, setPolicy } from '../../support/services/requests.ts'
import { type MakeService, type TestService, testService } from '../../support/services/service.ts'

/** A name that version 0.1.0 took from a token of an identity provider: databases keep U+FFFD for its last half. */
const ILL = 'repo:acme/bot:\ud83d'
const CALLER: Caller = { kind: 'oidc', name: ILL, allows: ALL_ACCESS, scope: EVERYTHING }

/** A ledger in which somebody of such a name has changed something of everything. */
async function changedBySuch(makeService: MakeService): Promise<TestService> {
  const service = await makeService({ workspace: { promotion_requires_approval: false } })
  const { context } = service
  Object.assign(context, { access: { ...context.access, admit: async () => CALLER } })
  await importPrices(service)
  await setPolicy(service, { watch: { for: '2h' } })
  const [first, second] = [await register(service), await register(service, { version: '2' })]
  for (const release of [first, second]) await ok(promote(service, release))
  const [watch] = (await ok(service.call('GET /v1/watches'))).watches
  await ok(service.call(`POST /v1/watches/${watch.watch_id}/cancel`, { body: { reason: 'enough' } }))
  Object.assign(context.workspace, { promotion_requires_approval: true })
  for (const end of ['confirm', 'cancel'] as const) {
    const asked = service.call('POST /v1/promote/request', { body: decision(first) })
    const { request_id } = await ok(asked)
    const reason = end === 'confirm' ? { approval_reason: 'fine' } : { reason: 'no' }
    await ok(service.call(`POST /v1/promote/${end}`, { body: { request_id, ...reason } }))
  }
  await ok(service.call('POST /v1/tokens', { body: { name: 'ci', role: 'read' } }))
  await ok(service.call('POST /v1/tokens/ci/rotate', { body: {} }))
  await ok(service.call('DELETE /v1/tokens/ci'))
  const hook = { url: 'https://hooks.example.com', events: ['promote.succeeded'] }
  await ok(service.call('POST /v1/webhooks', { body: hook }))
  const scores = { release_id: first, suite: 's', cases: [{ pass_rate: 1 }] }
  await ok(service.call('POST /v1/scores', { body: scores }))
  return service
}

describe.each([
  ['SQLite', testService],
  ['PostgreSQL', postgresService],
])('a ledger on %s that was changed by a name with half a surrogate pair', (_name, makeService) => {
  test('is whole, and its log verifies by the texts that it gives', async () => {
    const service = await changedBySuch(makeService)
    expect(await failedChecks(service)).toEqual([])
    expect(await failedChecks(service, true)).toEqual([])
    const { entries } = await ok(service.call('GET /v1/audit', { query: { facts: 'true', limit: 500 } }))
    const texts = entries.filter((entry: { fact_text: string | null }) => entry.fact_text !== null)
    expect(texts.length).toBeGreaterThan(5)
    for (const { fact, fact_text } of texts) expect(await sha256(fact_text)).toBe(fact)
  })

  test.each<[string, Statement, RegExp]>([
    ['actions', sql`UPDATE actions SET actor = 'ann' WHERE audit_seq = 1`, /its actor differs/],
    ['policy_history', sql`UPDATE policy_history SET actor = 'ann'`, /policy_history seq 1 is not/],
    ['promotion_requests', sql`UPDATE promotion_requests SET resolved_by = 'ann'`, /promotion_requests/],
    ['tokens', sql`UPDATE tokens SET role = 'admin'`, /tokens/],
  ])('in which %s was edited is found', async (table, edit, says) => {
    const service = await changedBySuch(makeService)
    await tamper(service.sql, table, edit)
    expect((await failedChecks(service, true)).map(([, detail]) => detail)).toContainEqual(
      expect.stringMatching(says),
    )
  })
})
