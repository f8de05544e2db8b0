import { describe, expect, test } from 'vitest'
import { EventQueue } from '../../../../src/sdk/event_queue.ts'
import { RunRecorder } from '../../../../src/features/recorders/record.ts'
import { HOUR_MS } from '../../../../src/base/time.ts'
import type { Events } from '../../../../src/sdk/types.ts'
import { NOON, type TestSpan, jsonExport } from '../../../support/otlp/exports.ts'
import { call, child, root } from '../../../support/otlp/spans.ts'
import { eventOf } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'
import { resourceOf, send, tracedReleases } from './traces.ts'

/** What sources send that isn't counted, and who hears of it. */
export function sourceNotesContract(makeService: MakeService): void {
  describe('what sources send that is not counted', () => {
    test('is said once an hour: a number that is not read', async () => {
      const service = await tracedReleases(makeService)
      const answers = []
      for (const trace of [1, 2, 3]) {
        if (trace === 3) passHour(service)
        answers.push(await said(service, run(trace, { 'gen_ai.usage.video_tokens': 5 })))
      }
      const text = 'gen_ai.usage.video_tokens of test is not read, and has no price'
      expect(answers).toEqual([`Warning: ${text}`, '', `Warning: ${text}`])
      expect(await notesOf(service)).toEqual([text])
      expect(await scraped(service, 'service_source_notes')).toMatchObject({ unread: 1, dropped: 0 })
    })

    test('is a process whose release is not known, in the answer and the doctor', async () => {
      const service = await tracedReleases(makeService)
      const text = 'no release of bot has version 9: register it, or set release_governance.release_id'
      expect(await said(service, run(1), resourceOf('9'))).toContain(text)
      expect(await notesOf(service)).toEqual([text])
    })

    test('is a process of whose spans none is understood, until it has a run', async () => {
      const service = await tracedReleases(makeService)
      const spans: TestSpan[] = [{ id: 1, attributes: { 'my.tool.kind': 'llm' } }]
      const text = `no span of ${service.releases.one} (bot 1) is an agent, a model call or a known tool`
      const resource = { 'release_governance.release_id': service.releases.one }
      expect(await said(service, spans, resourceOf('1'))).toContain(text)
      expect(await said(service, spans, resource)).toBe('')
      expect(await notesOf(service)).toEqual([expect.stringContaining(text)])
      await said(service, run(2))
      expect(await notesOf(service)).toEqual([])
      passHour(service)
      expect(await said(service, spans, resourceOf('1'))).toBe('')
    })

    test('are runs that recorders left out: gate, doctor and metrics say how many', async () => {
      const service = await tracedReleases(makeService)
      const { one, two } = service.releases
      service.clock.now += 1_020_123
      await said(service, run(1))
      const client = {
        chunkSize: 500,
        ingestJson: (events: readonly string[], _options: unknown, dropped: Events['dropped']) =>
          ok(
            service.call('POST /v1/events', {
              body: {
                events: events.map(each => ({
                  ...JSON.parse(each),
                  timestamp: new Date(NOON - 60_000).toISOString(),
                })),
                dropped,
              },
            }),
          ),
      }
      const queue = new EventQueue(client as never, {
        defaults: { agent_id: 'bot', release_id: two, environment: 'local', tenant_id: 'acme', task_id: 't' },
      })
      const recorder = new RunRecorder(queue, { onError: () => {} })
      const counts = {
        input_tokens: 7,
        cached_input_tokens: 0,
        cache_write_input_tokens: 0,
        output_tokens: 1,
      }
      for (const isKnown of [true, false, false]) {
        await recorder.record({}, async each => {
          const { counted } = each.call('acme', 'm1')
          counted(() => {
            if (isKnown) return counts
            throw new Error('the response has no usage')
          })
        })
      }
      await queue.flush()
      const text = 'candidate: recorders left out 2 runs beside the 1 that are counted: their logs say why'
      const { policy } = await ok(
        service.call('POST /v1/diff', {
          body: { baseline_release_id: one, candidate_release_id: two, environment: 'local', window: '1d' },
        }),
      )
      expect(policy.warnings).toContain(text)
      expect(await notesOf(service)).toEqual([
        `recorders of ${two} in local dropped 2 runs within two hours: their logs say why`,
      ])
      expect(await scraped(service, 'service_runs_dropped')).toEqual({ '': 2 })
    })

    test('are left out with a warning where their names are none, and the events are stored', async () => {
      const service = await tracedReleases(makeService)
      const places = ['', 'x'.repeat(513), 'a\0', '\uD800'].flatMap(bad => [
        { release_id: bad, environment: 'local', runs: 2 },
        { release_id: service.releases.one, environment: bad, runs: 1 },
      ])
      const events = [eventOf({ release_id: service.releases.one, run_id: 'a' })]
      const dropped = [...places, { release_id: service.releases.one, environment: 'local', runs: 5 }]
      const body = JSON.stringify({ events, dropped })
      expect(await ok(service.call('POST /v1/events', { body }))).toMatchObject({
        inserted: 1,
        warnings: [expect.stringMatching(/^12 dropped runs are not counted/)],
      })
      expect(await scraped(service, 'service_runs_dropped')).toEqual({ '': 5 })
    })

    test('is refused where it is no count of a place', async () => {
      const service = await tracedReleases(makeService)
      for (const dropped of [{}, [{}], [{ release_id: 'a', environment: 'b', runs: 0.5 }]]) {
        const { status, body } = await service.call('POST /v1/events', { body: { events: [{}], dropped } })
        expect([status, body.detail]).toEqual([400, expect.stringMatching(/^Invalid dropped/)])
      }
    })
  })
}

function run(trace: number, more = {}): TestSpan[] {
  return [root(), child(2, call(7, 1, more))].map(span => ({ ...span, trace, endMs: NOON - 60_000 }))
}

async function said(
  service: TestService,
  spans: readonly TestSpan[],
  attributes: Record<string, string> = resourceOf('1'),
): Promise<string> {
  const { partialSuccess } = await ok(send(service, jsonExport({ attributes, spans })))
  return partialSuccess?.errorMessage ?? ''
}

function passHour({ clock }: TestService): void {
  clock.now += HOUR_MS
  clock.ahead += HOUR_MS
}

async function notesOf(service: TestService): Promise<string[]> {
  const { checks } = await ok(service.call('GET /v1/doctor'))
  return checks.flatMap(({ name, warning, detail }: { name: string; warning?: boolean; detail: string }) =>
    name === 'sources' && warning === true ? [detail] : [],
  )
}

async function scraped(service: TestService, name: string): Promise<Record<string, number>> {
  const { body } = await service.call('GET /metrics')
  const lines = String(body).matchAll(new RegExp(`^${name}(?:\\{\\w+="([^"]*)"\\})? (\\d+)$`, 'gm'))
  return Object.fromEntries(Array.from(lines, ([, label = '', value]) => [label, Number(value)]))
}
