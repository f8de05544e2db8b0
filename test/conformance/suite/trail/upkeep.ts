import { describe, expect, test } from 'vitest'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { sql } from '../../../../src/sql/port.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { SMALL_SAMPLES, failedChecks, ingest, ok } from '../../../support/services/requests.ts'
import { subscribe } from '../../../support/services/receiver.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'

const HOUR_MS = 3_600_000

/** What servers put into the audit log by themselves, and what else than decisions is in it. */
export function upkeepContract(makeService: MakeService): void {
  const keep = (service: TestService) =>
    keepLedger(service.context, { version: '1.2.3', pace: batch => batch() })
  const entries = async (service: TestService, kind: string) =>
    (await ok(service.call('GET /v1/audit', { query: { kind } }))).entries

  async function withEvents(): Promise<TestService> {
    const service = await makeService()
    await importPrices(service)
    const release_id = await register(service)
    const send = (name: string) =>
      ingest(
        service,
        [1, 2, 3].map(index => eventOf({ release_id, run_id: `${name}-${index}`, at: NOON - index * 1000 })),
      )
    await send('a')
    await keep(service)
    for (const [hour, name] of ['b', 'c', 'd'].entries()) {
      await send(name)
      service.clock.now = NOON + (hour + 1) * HOUR_MS
      await keep(service)
    }
    return service
  }

  describe('an hourly digest', () => {
    test('holds the events that came in by the hour before, each once', async () => {
      const service = await withEvents()
      const digests = (await entries(service, 'events.digest')).toReversed()
      expect(digests.map(({ details }: { details: { events: number } }) => details.events)).toEqual([
        0, 3, 3, 3,
      ])
      const ends = digests.map(({ details }: { details: { up_to: number; after: number } }) => details)
      for (const [index, { after }] of ends.entries())
        if (index > 0) expect(after).toBe(ends[index - 1].up_to)
      expect(await failedChecks(service, true)).toEqual([])
      service.clock.now += HOUR_MS / 2
      await keep(service)
      expect(await entries(service, 'events.digest')).toHaveLength(4)
    })

    test('ends where nothing comes in any more', async () => {
      const service = await withEvents()
      for (let hour = 0; hour < 5; hour++) {
        service.clock.now += HOUR_MS
        await keep(service)
      }
      const digests = await entries(service, 'events.digest')
      expect(digests).toHaveLength(5)
      expect(digests[0].details.events).toBe(3)
    })

    test('tells of an event that was changed, and not of one that was removed', async () => {
      const service = await withEvents()
      await tamper(service.sql, 'run_events', sql`DELETE FROM run_events WHERE run_id = 'c-1'`)
      const failed = async () =>
        (await failedChecks(service, true)).filter(([name]) => name === 'event_digests')
      expect(await failed()).toEqual([])
      await tamper(
        service.sql,
        'run_events',
        sql`UPDATE run_events SET task_id = 'other' WHERE run_id = 'b-2'`,
      )
      expect(await failed()).toEqual([
        ['event_digests', expect.stringMatching(/events \d+ to \d+ were changed/)],
      ])
    })
  })

  test('settings are noted when they are otherwise than the last time, without secrets', async () => {
    const service = await makeService({ workspace: { database_url: 'postgres://svc:secret@db/ledger' } })
    await keep(service)
    await keep(service)
    const other = { ...service.context, workspace: { ...service.context.workspace, ...SMALL_SAMPLES } }
    await keepLedger(other, { version: '1.2.3', pace: batch => batch() })
    const started = await entries(service, 'server.started')
    expect(started).toMatchObject([
      { actor: 'service', details: { diff: { min_low_runs: 2 } } },
      { actor: 'service', details: { version: '1.2.3', strict: false, allow_forced_rollback: false } },
    ])
    expect(JSON.stringify(started)).not.toContain('secret')
  })

  test('what else decides, and whose tokens count, is noted when it comes and when it goes', async () => {
    const service = await makeService()
    await keep(service)
    const oidc = [{ issuer: 'https://id.example', audience: 'releases', roles: [] }]
    const order = {
      environments: ['local', 'prod'],
      promotes_from: { prod: 'local' },
      freeze: [{ environment: 'prod', from: 'Fri 16:00', to: 'Mon 08:00', reason: 'weekend' }],
    }
    for (const more of [order, { ...order, auth: 'named' as const }, { ...order, auth: { oidc } }]) {
      const workspace = { ...service.context.workspace, ...more }
      await keep({ ...service, context: { ...service.context, workspace } })
    }
    await keep(service)
    const started = await entries(service, 'server.started')
    expect(started.map(({ details }: { details: object }) => details)).toMatchObject([
      { promotes_from: null, freeze: null, environments: null, auth: 'any', oidc_sha256: null },
      { ...order, auth: 'any', oidc_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { ...order, auth: 'named', oidc_sha256: null },
      { ...order, auth: 'any', oidc_sha256: null },
      { promotes_from: null },
    ])
    expect(JSON.stringify(started)).not.toContain('id.example')
  })

  test('a webhook that is added, sent again and removed is in the log, without what its URL may hold', async () => {
    const service = await makeService()
    const headers = { 'x-service-actor': 'ann' }
    const url = 'https://hooks.example.com/T0/secret-part'
    const { webhook_id } = await subscribe(service, { url })
    await ok(service.call(`DELETE /v1/webhooks/${webhook_id}`, { headers }))
    expect(await entries(service, 'webhook.added')).toMatchObject([
      { subject: webhook_id, details: { origin: 'https://hooks.example.com' } },
    ])
    expect(await entries(service, 'webhook.removed')).toMatchObject([{ subject: webhook_id, actor: 'ann' }])
    expect((await service.call('GET /v1/audit')).text).not.toContain('secret-part')
    expect((await service.call(`DELETE /v1/webhooks/${webhook_id}`)).status).toBe(404)
    expect(await failedChecks(service)).toEqual([])
  })

  test('an upkeep of a ledger with nothing to do writes nothing', async () => {
    const service = await makeService()
    await keep(service)
    const before = await entries(service, 'server.started')
    await keep(service)
    expect((await ok(service.call('GET /v1/audit'))).entries).toEqual(before)
  })
}
