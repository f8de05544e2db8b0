import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../../src/base/time.ts'
import { acceptEvent } from '../../../../src/models/all/parse_event.ts'
import { scaled } from '../../../support/scale.ts'
import { ingest } from '../../../support/services/requests.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Events leave as they came in, however columns and texts share them. */
export function storedTextsContract(makeService: MakeService): void {
  describe('the text of a stored event', () => {
    test('is the normalised text of what came in, byte for byte, in a page, an export and the worst', async () => {
      const service = await makeService()
      const { candidate } = await twoReleases(service, 0)
      const events = sampleEvents(candidate)
      await ingest(service, events)
      const expected = normalised(events)
      expect(await exported(service, candidate)).toEqual(expected)
      const query = { release_id: candidate, window: '1d', environment: 'local' }
      const page = await service.call('GET /v1/runs', { query: { ...query, limit: '500' } })
      expect(page.text).toContain(`"events":[${[...expected.values()].join(',')}]`)
      const worst = await service.call('GET /v1/runs/worst', { query: { ...query, by: 'failure' } })
      for (const { event } of (worst.body as { runs: { event: { run_id: string } }[] }).runs) {
        expect(JSON.stringify(event)).toBe(expected.get(event.run_id))
      }
    })
  })
}

type Given = Record<string, unknown>

/** Events of every shape that the model takes, newest first, as an export lists them. */
function sampleEvents(release_id: string): Given[] {
  const shapes = fc.sample(eventShape, { numRuns: scaled(60, 480), seed: SEED })
  return shapes.map(({ fine, ...shape }, index) => ({
    ...shape,
    timestamp: `${isoTime(NOON - 1000 * (index + 1)).slice(0, -1)}${fine}Z`,
    release_id,
    run_id: `run-${index}-${shape.run_id}`,
    agent_id: 'bot',
    environment: 'local',
  }))
}

/** The same on each database. */
const SEED = 20_261_122

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(value => !value.includes('\0'))
const name = fc.oneof(text, fc.constantFrom('a', '"', '\\', '\u0001', ' ', 'ü', '__proto__', '1', '-1'))
const filled = name.filter(value => value.trim() !== '')
const count = fc.oneof(fc.nat(100_000), fc.constantFrom(0, 10 ** 12))
const amount = fc.oneof(fc.double({ min: 0, max: 1e21, noNaN: true }), fc.constantFrom(0, 1e-7, 0.1, 1e21))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const used = fc
  .record({
    provider: fc.constantFrom('acme', 'o"ther'),
    model: fc.constantFrom('m1', 'm2'),
    input_tokens: count,
    output_tokens: count,
    cached_input_tokens: maybe(count),
    cache_write_input_tokens: maybe(count),
  })
  .filter(({ input_tokens, cache_write_input_tokens = 0 }) => cache_write_input_tokens <= input_tokens)

const eventShape = fc.record({
  fine: fc.constantFrom('', '', '', '123', '000001'),
  type: maybe(fc.constantFrom('run_end', 'run_end', 'run_start')),
  workspace_id: maybe(filled),
  run_id: filled,
  tenant_id: name,
  task_id: name,
  metrics: maybe(
    fc.record({ success: maybe(fc.boolean()), latency_ms: orNull(fc.nat(10_000)), error_type: orNull(name) }),
  ),
  usage: fc.record({
    model: used,
    models: maybe(fc.array(used, { maxLength: 2 })),
    tools: maybe(
      fc.array(fc.record({ tool_name: name, invocations: maybe(count), cost_units: maybe(amount) }), {
        maxLength: 3,
      }),
    ),
  }),
  labels: maybe(fc.dictionary(name, name, { maxKeys: 3 })),
  request: orNull(
    fc.record({ session_id: maybe(orNull(name)), trace_id: maybe(orNull(name)), span_id: orNull(name) }),
  ),
})

/** The texts by run_id, in the order given. What goes over the wire has no undefined. */
function normalised(events: readonly Given[]): Map<string, string> {
  return new Map(
    events.map(event => {
      const accepted = acceptEvent(JSON.parse(JSON.stringify(event)) as object)
      if (accepted === undefined) throw new Error(`not a run event: ${JSON.stringify(event)}`)
      return [accepted.run_id, JSON.stringify(accepted)]
    }),
  )
}

async function exported(service: TestService, release_id: string): Promise<Map<string, string>> {
  const query = { release_id, window: '1d', environment: 'local' }
  const { text: lines } = await service.call('GET /v1/runs/export', { query })
  const texts = lines.split('\n').slice(0, -1)
  return new Map(texts.map(line => [(JSON.parse(line) as { run_id: string }).run_id, line]))
}
