import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/time.ts'
import { forgetSpans } from '../../../../src/features/traces/forget_spans.ts'
import { keepSpans } from '../../../../src/features/traces/kept_spans.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { NOON, type TestSpan, jsonExport } from '../../../support/otlp/exports.ts'
import { AGENT, type Attributes, call, child, root } from '../../../support/otlp/spans.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { failedChecks, ok } from '../../../support/services/requests.ts'
import { erase } from '../../../support/services/retention.ts'
import { type MakeService, type TestService, testService } from '../../../support/services/service.ts'
import { resourceOf, send, tracedReleases } from './traces.ts'

/** Spans of one trace in several requests, to several servers. */
export function joinedTracesContract(makeService: MakeService): void {
  describe('spans of one trace in several requests', () => {
    test('make one run of all, whichever server takes them; then nothing of them is remembered', async () => {
      const { service, other, release } = await twoServers(makeService)
      expect(await partialSuccessOf(service, [child(2, call(700, 90))])).toMatchObject({
        rejected: 0,
        says: expect.stringMatching(/waits up to 24 h/),
      })
      expect(await keptIn(service)).toHaveLength(1)
      service.clock.now += 7000
      other.clock.now = service.clock.now
      expect(await partialSuccessOf(other, [root(), child(3, call(300, 10))])).toEqual({
        rejected: 0,
        says: '',
      })
      expect(await inputsOf(service, release)).toEqual([1000])
      expect(await keptIn(service)).toEqual([])
      // Sent again, they are neither a run nor refused.
      expect(await partialSuccessOf(service, [root(), child(3, call(300, 10))])).toEqual({
        rejected: 0,
        says: '',
      })
      expect(await inputsOf(service, release)).toEqual([1000])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('make no run where one of them is refused, or its parent never comes', async () => {
      const { service, release } = await twoServers(makeService)
      await partialSuccessOf(service, [child(2, call(7, 1, { 'gen_ai.request.model': 'm9' }))])
      const spans = [root(), child(3, call(5, 1))]
      expect(await partialSuccessOf(service, spans)).toMatchObject({
        rejected: 2,
        says: expect.stringMatching(/no entry for m9/),
      })
      expect(await partialSuccessOf(service, spans)).toMatchObject({
        rejected: 2,
        says: expect.stringMatching(/no entry for m9/),
      })
      await partialSuccessOf(service, of(2, [child(2, call(7, 1), 9)]))
      expect(await partialSuccessOf(service, of(2, spans))).toMatchObject({
        rejected: 1,
        says: expect.stringMatching(/it may be half a run.*groupbytrace/),
      })
      expect(await inputsOf(service, release)).toEqual([])
      // Their parent comes after all.
      expect(await partialSuccessOf(service, of(2, [child(9, {})]))).toEqual({ rejected: 0, says: '' })
      expect(await inputsOf(service, release)).toEqual([12])
    })

    test('that come after their run are told of, and the doctor knows how many', async () => {
      const { service, other, release } = await twoServers(makeService)
      await partialSuccessOf(service, [root(), child(2, call(7, 1))])
      expect(await partialSuccessOf(other, [child(3, call(5, 1))])).toMatchObject({
        rejected: 1,
        says: expect.stringMatching(/after a run of its trace/),
      })
      expect(await inputsOf(service, release)).toEqual([7])
      const { checks } = await ok(service.call('GET /v1/doctor'))
      expect(checks).toContainEqual({
        name: 'trace_spans',
        ok: true,
        detail: expect.stringMatching(
          /^0 spans wait for runs that are not stored; 1 calls came after their run was stored, and 0 spans were/,
        ),
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are forgotten after a day by the clock of the database, and a run that began before is refused', async () => {
      const { service, release } = await twoServers(makeService)
      await partialSuccessOf(service, [child(2, call(7, 1))])
      service.clock.ahead = 3 * DAY_MS
      service.clock.now += DAY_MS - 60_000
      await forgetSpans(service.context)
      expect(await keptIn(service)).toHaveLength(1)
      service.clock.ahead = 0
      service.clock.now += 120_000
      await forgetSpans(service.context)
      expect(await keptIn(service)).toEqual([])
      expect(service.logged).toContainEqual(
        expect.objectContaining({
          message: 'spans expired whose run never ended',
          fields: { spans: 1 },
        }),
      )
      const now = service.clock.now - 1000
      const times = (endMs: number, ms: number) => (span: TestSpan) => ({
        ...span,
        endMs,
        startMs: endMs - ms,
      })
      const long = [root(), child(3, call(5, 1))].map(times(now, DAY_MS + 120_000))
      expect(await partialSuccessOf(service, long)).toMatchObject({
        rejected: 1,
        says: expect.stringMatching(/spans of that time were forgotten/),
      })
      const short = [root(), child(3, call(6, 1))].map(times(now, 3_600_000))
      expect(await partialSuccessOf(service, of(2, short))).toEqual({ rejected: 0, says: '' })
      expect(await inputsOf(service, release)).toEqual([6])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are forgotten after the clock was set forward: then no run under way is trusted', async () => {
      const { service } = await twoServers(makeService)
      await partialSuccessOf(service, [child(2, call(7, 1))])
      await forgetSpans(service.context)
      service.clock.now += 3 * DAY_MS
      await forgetSpans(service.context)
      service.clock.now += 60_000
      const spans = [root(), child(3, call(5, 1))]
      expect(await partialSuccessOf(service, spans)).toMatchObject({
        rejected: 1,
        says: expect.stringMatching(/spans of that time were forgotten/),
      })
    })

    test('of a tenant that is erased go with its events', async () => {
      const { service } = await twoServers(makeService)
      const tenant: Attributes = {
        ...AGENT,
        'gen_ai.agent.name': 'helper',
        'release_governance.tenant_id': 'acme',
      }
      await partialSuccessOf(service, [child(2, tenant, 9), child(3, call(7, 1), 2)])
      expect(new Set((await keptIn(service)).map(({ tenant_id }) => tenant_id))).toEqual(
        new Set(['', 'acme']),
      )
      await erase(service.context, 'acme')
      expect((await keptIn(service)).map(({ tenant_id }) => tenant_id)).toEqual([''])
    })

    test('that come between what another request reads and what it writes are counted, or told of', async () => {
      const { service, other, release } = await twoServers(makeService)
      const [early, late] = [[child(2, call(7, 1))], [root(), child(3, call(5, 1))]]
      const whileCall = await interrupted(
        service,
        async () => void (await partialSuccessOf(other, of(1, late))),
      )
      expect(await partialSuccessOf(whileCall, of(1, early))).toMatchObject({ rejected: 1 })
      const whileAgent = await interrupted(
        service,
        async () => void (await partialSuccessOf(other, of(2, early))),
      )
      expect(await partialSuccessOf(whileAgent, of(2, late))).toEqual({ rejected: 0, says: '' })
      expect(new Set(await inputsOf(service, release))).toEqual(new Set([5, 12]))
      expect(await keptIn(service)).toEqual([])
    })

    test('that come and are forgotten between what another request reads and writes make its run refused', async () => {
      const { service, other, release } = await twoServers(makeService)
      await forgetSpans(service.context)
      const server = await interrupted(service, async () => {
        await partialSuccessOf(other, [child(2, call(7, 1))])
        service.clock.now += 3 * DAY_MS
        await forgetSpans(service.context)
        expect(await keptIn(service)).toEqual([])
      })
      expect(await partialSuccessOf(server, [root(), child(3, call(5, 1))])).toMatchObject({
        rejected: 1,
        says: expect.stringMatching(/spans of that time were forgotten/),
      })
      expect(await inputsOf(service, release)).toEqual([])
    })

    test('of one call that two traces hold are counted once, and alone when no other trace can repeat it', async () => {
      const { service, other, release } = await twoServers(makeService)
      const attributes = { 'service.name': 'shop', 'release_governance.release_id': release }
      const sent = (scope: string, spans: readonly TestSpan[]) => jsonExport({ attributes, scope, spans })
      const times = { startMs: NOON - 2000, endMs: NOON - 1000 }
      const lone = (trace: number): TestSpan => ({ ...times, id: 1, trace, attributes: call(7, 1) })
      await ok(send(service, sent('sdk', [lone(8)])))
      await ok(send(other, sent('framework', [{ ...child(2, call(7, 1)), ...times }])))
      const { partialSuccess } = await ok(send(service, sent('framework', [{ ...root(), ...times }])))
      expect(partialSuccess).toBeUndefined()
      expect(await inputsOf(service, release)).toEqual([7])
      expect(await keptIn(service)).toEqual([])
      await ok(send(other, sent('sdk', [lone(9)])))
      expect(await keptIn(service)).toHaveLength(1)
      await keepSpans(service.context)
      expect(await keptIn(service)).toHaveLength(1)
      for (const { clock } of [service, other]) {
        clock.now += 20_000
        clock.ahead = 20_000
      }
      await keepSpans(service.context)
      expect(await keptIn(service)).toEqual([])
      expect(await inputsOf(service, release)).toEqual([7, 7])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('of one long call wait for as much longer as the same one may end later', async () => {
      const { service, other, release } = await twoServers(makeService)
      const attributes = { 'service.name': 'shop', 'release_governance.release_id': release }
      const sent = (scope: string, spans: readonly TestSpan[]) => jsonExport({ attributes, scope, spans })
      // Of five minutes, to which a framework adds half a minute.
      const lone = (trace: number): TestSpan => ({
        startMs: NOON - 301_000,
        endMs: NOON - 1000,
        id: 1,
        trace,
        attributes: call(7, 1),
      })
      await ok(send(service, sent('sdk', [lone(8), lone(9)])))
      later(service)
      later(other)
      await keepSpans(service.context)
      expect(await keptIn(service)).toHaveLength(2)
      const around = { startMs: NOON - 301_000, endMs: NOON + 19_000 }
      const framework = [child(2, call(7, 1)), root()].map(span => ({ ...span, ...around }))
      await ok(send(other, sent('framework', framework)))
      expect(await inputsOf(service, release)).toEqual([7])
      later(service, 40_000)
      await keepSpans(service.context)
      expect(await keptIn(service)).toEqual([])
      expect(await inputsOf(service, release)).toEqual([7, 7])
    })

    test('of one call are stored later with what is odd about them, also where a server ends in between', async () => {
      const { service, release } = await twoServers(makeService)
      const lone = aloneIn(release)
      const { 'gen_ai.usage.output_tokens': _output, ...half } = call(7, 1, {
        'gen_ai.usage.video_tokens': 5,
      })
      const broken = lone(9, half, { failed: true })
      expect(await saidOf(service, broken)).toMatch(/video_tokens of sdk is not read/)
      await ok(send(service, lone(9, { 'gen_ai.tool.name': 'search' }, { id: 3, parent: 1 })))
      later(service)
      const server = await dyingAfter(service, /INSERT INTO run_events/)
      await expect(keepSpans(server.context)).rejects.toThrow('the server ended')
      for (let minute = 0; minute < 2; minute++) await keepSpans(service.context)
      const { events } = await ok(
        service.call('GET /v1/runs', { query: { release_id: release, window: '30d' } }),
      )
      expect(events).toMatchObject([{ metrics: { success: false }, usage: { incomplete: true } }])
      expect(await keptIn(service)).toEqual([])
      await ok(send(service, broken))
      expect(await inputsOf(service, release)).toEqual([7])
    })

    test('of one call that a run repeats go with that run, also where a server ends behind it', async () => {
      const { service, release } = await twoServers(makeService)
      const lone = aloneIn(release)
      await ok(send(service, lone(8)))
      const server = await dyingAfter(service, /INSERT INTO run_events/)
      const attributes = { 'service.name': 'shop', 'release_governance.release_id': release }
      const spans = [
        { ...root(), ...TIMES },
        { ...child(2, call(7, 1)), ...TIMES },
      ]
      await send(server, jsonExport({ attributes, scope: 'framework', spans })).catch(() => {})
      later(service)
      await keepSpans(service.context)
      expect(await inputsOf(service, release)).toEqual([7])
      expect(await keptIn(service)).toEqual([])
    })

    test('of one call are refused at once where their sender may not send them', async () => {
      const { service, release } = await twoServers(makeService)
      const sender = await grant(service, 'agent', { role: 'ingest', environments: ['staging'] })
      const body = aloneIn(release)(8)
      const { status, text } = await send(bearing(service, sender), body)
      expect([status, text]).toEqual([403, expect.stringMatching(/is of environment \\"local\\"/)])
      expect(await keptIn(service)).toEqual([])
    })

    test("of one call that turn out to wait for others don't come up each minute", async () => {
      const { service, release } = await twoServers(makeService)
      const lone = aloneIn(release)
      await ok(send(service, lone(8)))
      await ok(send(service, lone(8, call(10, 1), { id: 3, parent: 9 })))
      later(service)
      for (let minute = 0; minute < 2; minute++) await keepSpans(service.context)
      expect(await rowsOf(service.sql, sql`SELECT held FROM kept_spans`)).toEqual([{ held: 0 }, { held: 0 }])
      await ok(send(service, lone(8, { 'gen_ai.operation.name': 'other' }, { id: 9, parent: 1 })))
      expect(await inputsOf(service, release)).toEqual([10])
    })

    test('that two servers take at the same time are counted once, or told of', async () => {
      const { service, other, release } = await twoServers(makeService)
      const traces = Array.from({ length: 24 }, (_, index) => index + 1)
      const late = await Promise.all(
        traces.map(async trace => {
          const [child2] = [of(trace, [child(2, call(7, 1))])]
          const rest = of(trace, [root(), child(3, call(5, 1))])
          const [first] = await Promise.all([
            partialSuccessOf(service, child2),
            partialSuccessOf(other, rest),
          ])
          return first.rejected
        }),
      )
      const stored = await inputsOf(service, release)
      expect(stored.filter(input => input === 12)).toHaveLength(
        late.filter(rejected => rejected === 0).length,
      )
      expect(stored.filter(input => input === 5)).toHaveLength(late.filter(rejected => rejected === 1).length)
      expect(await keptIn(service)).toEqual([])
      expect(await failedChecks(service, true)).toEqual([])
    })
  })
}

/** Two servers on one ledger. */
async function twoServers(
  makeService: MakeService,
): Promise<{ service: TestService; other: TestService; release: string }> {
  const service = await tracedReleases(makeService)
  const other = await testService({ sql: service.sql, firstId: 700_000 })
  return { service, other, release: service.releases.one }
}

const TIMES = { startMs: NOON - 2000, endMs: NOON - 1000 }

/** Exports of a span that begins its trace, a call of a model, by a process that names its release. */
function aloneIn(release: string) {
  const attributes = { 'service.name': 'shop', 'release_governance.release_id': release }
  return (trace: number, its: Attributes = call(7, 1), span: Partial<TestSpan> = {}): string =>
    jsonExport({
      attributes,
      scope: 'sdk',
      spans: [{ ...TIMES, id: 1, ...span, trace, attributes: its }],
    })
}

async function saidOf(service: TestService, body: string): Promise<string> {
  return ((await ok(send(service, body))).partialSuccess?.errorMessage ?? '') as string
}

/** Lets so much time pass that no exporter holds a span any more. */
function later({ clock }: TestService, ms = 20_000): void {
  clock.now += ms
  clock.ahead = ms
}

/** A server on the same ledger that ends when it has written something. */
async function dyingAfter({ sql: db, clock }: TestService, what: RegExp): Promise<TestService> {
  let isDead = false
  const server = await testService({
    firstId: 900_000,
    sql: {
      ...db,
      batch: async statements => {
        if (isDead) throw new Error('the server ended')
        const results = await db.batch(statements)
        isDead = statements.some(({ text }) => what.test(text))
        return results
      },
    },
  })
  Object.assign(server.clock, clock)
  return server
}

/** A server on the same ledger that does something else before it first writes. */
async function interrupted({ sql: db }: TestService, act: () => Promise<void>): Promise<TestService> {
  let isFirst = true
  return testService({
    firstId: 800_000,
    sql: {
      ...db,
      batch: async (...given) => {
        if (isFirst) {
          isFirst = false
          await act()
        }
        return db.batch(...given)
      },
    },
  })
}

/** The same spans in another trace. */
function of(trace: number, spans: readonly TestSpan[]): TestSpan[] {
  return spans.map(span => ({ ...span, trace }))
}

async function partialSuccessOf(
  service: TestService,
  spans: readonly TestSpan[],
): Promise<{ rejected: number; says: unknown }> {
  const { partialSuccess } = await ok(send(service, jsonExport({ attributes: resourceOf('1'), spans })))
  const { rejectedSpans = '0', errorMessage = '' } = partialSuccess ?? {}
  return { rejected: Number(rejectedSpans), says: errorMessage as string }
}

async function inputsOf(service: TestService, release_id: string): Promise<number[]> {
  const { events } = await ok(service.call('GET /v1/runs', { query: { release_id, window: '30d' } }))
  return events.map(({ usage }: { usage: { model: { input_tokens: number } } }) => usage.model.input_tokens)
}

function keptIn({ sql: db }: TestService) {
  return rowsOf(db, sql`SELECT trace_id, span_id, tenant_id FROM kept_spans`)
}
