import { describe, expect, test } from 'vitest'
import { SqlError } from '../../../../src/sql/port.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { PRICES, importPrices, register } from '../../../support/services/builders.ts'
import { makeReceiver, payloadOf, subscribe } from '../../../support/services/receiver.ts'
import { failedChecks, ok, promote, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, type TestService, sameLedger } from '../../../support/services/service.ts'
import { losingAnswer } from '../../../support/databases/tampering/tamper.ts'

const HOUR_MS = 3_600_000

/** Servers whose database or clock misbehaves. */
export function faultsContract(makeService: MakeService): void {
  describe('a change whose answer was lost', () => {
    const lost = () => new SqlError('uncertain', 'the connection was lost')

    test('does not undo a policy that was set after it', async () => {
      const service = await makeService()
      const later = () => setPolicy(service, { policy_id: 'strict', max_error_rate: 0 })
      const faulty = await sameLedger(service, losingAnswer(service.sql, 'INTO policy_history', later, lost))
      await setPolicy(faulty, { policy_id: 'lax', max_error_rate: 1 })
      expect(await ok(service.call('GET /v1/policy'))).toMatchObject({ policy_id: 'strict' })
      expect(await failedChecks(service)).toEqual([])
    })

    test('does not undo a price table that was imported after it', async () => {
      const service = await makeService()
      await importPrices(service)
      const table = (rate: number) => ({
        ...PRICES,
        entries: [{ model: 'm1', input_usd_per_1k_tokens: rate, output_usd_per_1k_tokens: rate }],
      })
      const replace = (on: TestService, rate: number) =>
        ok(on.call('POST /v1/pricing', { body: { table: table(rate), replace: true, reason: 'new' } }))
      const later = () => replace(service, 3)
      const faulty = await sameLedger(service, losingAnswer(service.sql, 'INTO pricing_imports', later, lost))
      expect(await replace(faulty, 2)).toMatchObject({ action: 'replace' })
      const shown = await ok(service.call('GET /v1/pricing/acme/v1'))
      expect(shown.entries[0].input_usd_per_1k_tokens).toBe(3)
    })

    test('decides once', async () => {
      const service = await makeService()
      await importPrices(service)
      const release = await register(service)
      const after = async () => {}
      const faulty = await sameLedger(service, losingAnswer(service.sql, 'INTO actions', after, lost))
      expect(await ok(promote(faulty, release))).toMatchObject({ promoted_pointer_changed: true })
      expect((await ok(service.call('GET /v1/actions'))).actions).toHaveLength(1)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('registers one release and adds one webhook', async () => {
      const service = await makeService()
      await importPrices(service)
      const after = async () => {}
      const registering = await sameLedger(service, losingAnswer(service.sql, 'INTO releases', after, lost))
      await register(registering)
      const adding = await sameLedger(service, losingAnswer(service.sql, 'INTO webhooks', after, lost))
      await subscribe(adding)
      expect((await ok(service.call('GET /v1/releases'))).releases).toHaveLength(1)
      expect((await ok(service.call('GET /v1/webhooks'))).webhooks).toHaveLength(1)
      expect((await ok(service.call('GET /v1/metrics'))).counters.releases_total).toBe(1)
    })
  })

  describe('the clock of a server', () => {
    test('that is ahead keeps nobody waiting for what is announced, and order is by audit_seq', async () => {
      const receiver = makeReceiver()
      const service = await makeService({ send: receiver.send })
      await importPrices(service)
      await setPolicy(service, {})
      await subscribe(service)
      const releases = [await register(service), await register(service, { version: '2' })] as const
      service.clock.ahead = HOUR_MS
      await ok(promote(service, releases[0]))
      service.clock.ahead = 0
      await ok(promote(service, releases[1]))
      await drainOutbox(service.context)
      const sent = receiver.sent
        .map(payloadOf)
        .toSorted((a, b) => Number(a.data.audit_seq) - Number(b.data.audit_seq))
      expect(sent.map(({ data }) => data.release_id)).toEqual(releases)
      expect(new Set(sent.map(({ created_at }) => created_at)).size).toBe(1)
    })

    test('that is a day ahead does not put off the next attempt', async () => {
      const receiver = makeReceiver({ status: 500, text: '' })
      const service = await makeService({ send: receiver.send })
      await importPrices(service)
      await setPolicy(service, {})
      await subscribe(service)
      await ok(promote(service, await register(service)))
      service.clock.ahead = 24 * HOUR_MS
      await drainOutbox(service.context)
      service.clock.ahead = 0
      service.clock.now += 1000
      await drainOutbox(service.context)
      expect(receiver.sent).toHaveLength(2)
    })

    test('of the database that is set back holds nothing back', async () => {
      const receiver = makeReceiver()
      const service = await makeService({ send: receiver.send })
      await importPrices(service)
      await setPolicy(service, {})
      await subscribe(service)
      await ok(promote(service, await register(service)))
      service.clock.now -= HOUR_MS
      await drainOutbox(service.context)
      expect(receiver.sent).toHaveLength(1)
    })
  })
}
