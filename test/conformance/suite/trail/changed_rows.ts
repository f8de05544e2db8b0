import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Statement, rowsOf, sql } from '../../../../src/sql/port.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { ok, promote, refusal, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Rows that somebody changed in the database, as those read them who want evidence. */
export function changedRowsContract(makeService: MakeService): void {
  /** The second of three decisions was blocked. */
  async function decided() {
    const service = await makeService()
    await importPrices(service)
    await setPolicy(service, { require_high_diff_confidence: false })
    const [one, two] = [await register(service), await register(service, { version: '2' })]
    await ok(promote(service, one))
    await setPolicy(service, { require_high_diff_confidence: true })
    expect((await promote(service, two)).status).toBe(409)
    await setPolicy(service, { require_high_diff_confidence: false })
    await ok(promote(service, two))
    return { service, two }
  }

  interface Stored {
    readonly action_id: string
    readonly record_json: string
  }

  async function storedAt(service: TestService, seq: number): Promise<Stored> {
    const [row] = await rowsOf(service.sql, sql`SELECT * FROM actions WHERE audit_seq = ${seq}`)
    return row as unknown as Stored
  }

  const COLUMNS = sql`policy_passed = 1, policy_reasons = '[]'`
  const passed = (json: string): string => {
    const record = JSON.parse(json) as object
    return JSON.stringify({ ...record, policy_passed: true, policy_reasons: [] })
  }

  /** What reads a decision as evidence. */
  const READERS: readonly (readonly [string, (service: TestService, action: string) => Promise<string>])[] = [
    ['attestation', (service, id) => refusal(service.call(`GET /v1/actions/${id}/attestation`), 409)],
    ['proof', (service, id) => refusal(service.call(`GET /v1/actions/${id}/proof`), 409)],
    ['explain', (service, id) => refusal(service.call(`GET /v1/actions/${id}/explain`), 409)],
    [
      'explain against',
      (service, id) =>
        refusal(
          service.call(`POST /v1/actions/${id}/explain`, { body: { policy: { policy_id: 'other' } } }),
          409,
        ),
    ],
    [
      'policy test',
      service =>
        refusal(service.call('POST /v1/policy/test', { body: { policy: { policy_id: 'other' } } }), 409),
    ],
    ['facts', service => refusal(service.call('GET /v1/audit', { query: { facts: 'true' } }), 409)],
    ['detail', async (service, id) => (await ok(service.call(`GET /v1/actions/${id}`))).changed],
    ['list', (service, id) => changedIn(service, id, 'false')],
    ['list with evidence', (service, id) => changedIn(service, id, 'true')],
  ]

  /** What a list says of the one of its actions that was changed. */
  async function changedIn(service: TestService, id: string, evidence: string): Promise<string> {
    const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence } }))
    const changed = (actions as { action_id: string; changed?: string }[]).filter(row => row.changed)
    expect(changed.map(({ action_id }) => action_id)).toEqual([id])
    return changed[0]!.changed!
  }

  const EDITS: readonly (readonly [string, (stored: Stored) => Statement, RegExp])[] = [
    [
      'a decision of which columns were changed',
      ({ action_id }) => sql`UPDATE actions SET ${COLUMNS} WHERE action_id = ${action_id}`,
      /its policy_passed, policy_reasons differs from its record/,
    ],
    [
      'a decision of which the record was changed',
      ({ action_id, record_json }) =>
        sql`UPDATE actions SET record_json = ${passed(record_json)} WHERE action_id = ${action_id}`,
      /its record does not match its hash|^its policy_passed, policy_reasons differs from its record$/,
    ],
    [
      'a decision without a record',
      ({ action_id }) => sql`UPDATE actions SET record_json = 'gone' WHERE action_id = ${action_id}`,
      /its record does not match its hash|^its record is not JSON$/,
    ],
  ]

  describe.each(EDITS)('%s', (_what, edit, problem) => {
    test('is evidence for nothing', async () => {
      const { service } = await decided()
      const stored = await storedAt(service, 2)
      await tamper(service.sql, 'actions', edit(stored))
      for (const [reader, read] of READERS) {
        const said = await read(service, stored.action_id)
        expect([reader, said]).toEqual([reader, expect.stringMatching(problem)])
      }
    })
  })

  test('a decision that was changed with its hash is not what the audit log says', async () => {
    const { service } = await decided()
    const { action_id, record_json } = await storedAt(service, 2)
    const json = passed(record_json)
    await tamper(
      service.sql,
      'actions',
      sql`UPDATE actions SET ${COLUMNS}, record_json = ${json}, hash = ${sha256(json)} WHERE audit_seq = 2`,
    )
    for (const [reader, read] of READERS.filter(([name]) =>
      ['attestation', 'proof', 'explain', 'facts'].includes(name),
    )) {
      const said = await read(service, action_id)
      expect([reader, said]).toEqual([reader, expect.stringMatching(/log_seq \d+ has another hash/)])
    }
  })

  test('a release that was changed is attested by nothing, and a row that is gone is no fact', async () => {
    const { service, two } = await decided()
    const { action_id } = await storedAt(service, 3)
    const forged = sql`UPDATE releases SET checksum = ${'f'.repeat(64)} WHERE release_id = ${two}`
    await tamper(service.sql, 'releases', forged)
    const facts = () => refusal(service.call('GET /v1/audit', { query: { facts: 'true' } }), 409)
    expect(await refusal(service.call(`GET /v1/actions/${action_id}/attestation`), 409)).toMatch(
      new RegExp(`^${two} was changed in the database .*: log_seq \\d+ has another hash`),
    )
    expect(await facts()).toMatch(new RegExp(`^${two} was changed`))
    const gone = await decided()
    await tamper(gone.service.sql, 'policy_history', sql`DELETE FROM policy_history WHERE seq = 1`)
    expect(await refusal(gone.service.call('GET /v1/audit', { query: { facts: 'true' } }), 409)).toMatch(
      /^pol_\w+ was changed in the database .*: the row is missing/,
    )
  })
}
