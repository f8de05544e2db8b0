import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** What of an ingest is bounded by bytes, not by characters. */
export function longEventsContract(makeService: MakeService): void {
  describe('events with identifiers as long as they may be', () => {
    // As UTF-8 each of these characters is three bytes.
    test('of large characters are stored, and once', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const events = longEvents(release_id, '龍'.repeat(160))
      expect(await ingest(service, events)).toEqual({ inserted: events.length, skipped: 0 })
      expect(await ingest(service, events)).toEqual({ inserted: 0, skipped: events.length })
      expect(await totalOf(service, release_id)).toBe(events.length)
    })
  })
}

function longEvents(release_id: string, long: string): Record<string, unknown>[] {
  return Array.from({ length: 300 }, (_, n) => {
    const own = long + n
    const options = { release_id, run_id: own, tenant_id: own, task_id: own }
    return {
      ...eventOf({ ...options, request: { session_id: own, trace_id: own, span_id: own } }),
      workspace_id: own,
    }
  })
}

async function totalOf(service: TestService, release_id: string): Promise<number> {
  const query = { release_id, window: '1h', limit: 1 }
  return (await ok(service.call('GET /v1/runs', { query }))).matched_total
}
