import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fromBase64 } from '../../../../src/base/bytes.ts'
import { readCheckpoint } from '../../../../src/features/proofs/rules_checkpoint.ts'
import { hashOver } from '../../../../src/features/proofs/rules_merkle.ts'
import { isExtendedBy, leafHash, rootOfPath } from '../../../support/merkle.ts'
import { sql } from '../../../../src/sql/port.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { ok, promote, refusal, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The audit log as a Merkle tree: its root, and proofs that a verifier without the ledger checks. */
export function checkpointsContract(makeService: MakeService): void {
  const checkpoint = (service: TestService) => service.call('GET /v1/audit/checkpoint')
  const consistency = (service: TestService, from: number) =>
    service.call('GET /v1/audit/consistency', { query: { from } })

  async function entriesOf(service: TestService, query = {}) {
    return (await ok(service.call('GET /v1/audit', { query }))).entries.toReversed() as {
      log_seq: number
      kind: string
      record_json: string
      fact: string | null
      fact_text?: string | null
      hash: string
    }[]
  }

  /** A ledger with seven entries, two of them decisions. */
  async function governed() {
    const service = await makeService()
    await importPrices(service)
    await setPolicy(service, {})
    const [first, second] = [await register(service), await register(service, { version: '2' })]
    const { action_id } = await ok(promote(service, first))
    await setPolicy(service, { require_high_diff_confidence: true })
    expect((await promote(service, second)).status).toBe(409)
    return { service, action_id: action_id as string }
  }

  describe('a checkpoint', () => {
    test('has the root over the texts of all entries', async () => {
      const { service } = await governed()
      const entries = await entriesOf(service)
      const made = await ok(checkpoint(service))
      const root = await hashOver(await Promise.all(entries.map(({ record_json }) => leafHash(record_json))))
      expect(made).toMatchObject({
        origin: `release-governance/${entries[0]!.hash.slice(0, 32)}`,
        size: 7,
        root_hash: Buffer.from(root).toString('base64'),
        head: entries.at(-1)!.hash,
        signed: false,
      })
      expect(readCheckpoint(made.note)).toMatchObject({ size: 7, root, head: made.head, time: made.time })
    })

    test('is none of an empty log', async () => {
      expect(await refusal(checkpoint(await makeService()), 409)).toContain('The audit log is empty')
    })

    test('is none of a log that does not hold', async () => {
      const { service } = await governed()
      await tamper(
        service.sql,
        'audit_log',
        sql`UPDATE audit_log SET hash = ${'0'.repeat(64)} WHERE log_seq = 3`,
      )
      expect(await refusal(checkpoint(service), 409)).toMatch(
        /fails its checks at log_seq 3: its record does not match/,
      )
    })

    test('is proved to be extended by what came later, and says where it can not be', async () => {
      const { service } = await governed()
      const sizes = [await ok(checkpoint(service))]
      for (const limit of [0.1, 0.2]) {
        await setPolicy(service, { max_error_rate: limit })
        sizes.push(await ok(checkpoint(service)))
      }
      const [last] = sizes.slice(-1)
      for (const { size, root_hash } of sizes) {
        const { from, from_root_hash, note, proof, ...now } = await ok(consistency(service, size))
        expect({ from, from_root_hash, size: now.size }).toEqual({
          from: size,
          from_root_hash: root_hash,
          size: 9,
        })
        expect(readCheckpoint(note)).toMatchObject({ size: 9, root: fromBase64(last.root_hash) })
        const [before, after] = [fromBase64(root_hash)!, fromBase64(last.root_hash)!]
        const path = proof.map(fromBase64)
        expect(await isExtendedBy({ size, root: before }, { size: 9, root: after }, path)).toBe(true)
      }
      expect(await refusal(consistency(service, 10), 400)).toMatch(/has 9 entries, not 10/)
    })
  })

  describe('the proof of an action', () => {
    test('leads from its record to the root of a checkpoint', async () => {
      const { service, action_id } = await governed()
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      expect(actions).toHaveLength(2)
      for (const action of actions) {
        const proof = await ok(service.call(`GET /v1/actions/${action.action_id}/proof`))
        expect(proof.fact).toBe(action.record_json)
        expect(JSON.parse(proof.entry)).toMatchObject({ subject: action.action_id, fact: sha256(proof.fact) })
        const { size, root } = readCheckpoint(proof.note)!
        const path = proof.proof.map(fromBase64)
        expect(await rootOfPath(await leafHash(proof.entry), proof.log_seq - 1, size, path)).toEqual(root)
      }
      expect(actions[1].action_id).toBe(action_id)
      expect(await refusal(service.call('GET /v1/actions/act_ffffffffffff/proof'), 404)).toContain(
        'Unknown action',
      )
    })
  })

  test('entries come with the texts that their facts are the hashes of', async () => {
    const { service } = await governed()
    const entries = await entriesOf(service, { facts: 'true' })
    expect(entries.map(({ kind, fact_text }) => [kind, typeof fact_text])).toEqual(
      [
        'prices.import',
        'policy.set',
        'release.registered',
        'release.registered',
        'decision',
        'policy.set',
        'decision',
      ].map(kind => [kind, 'string']),
    )
    for (const { fact, fact_text } of entries) expect(sha256(fact_text!)).toBe(fact)
    expect((await entriesOf(service)).some(entry => 'fact_text' in entry)).toBe(false)
  })
}
