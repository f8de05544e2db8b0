import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keepLedger } from '../../../../../src/ledger/decide/keep_ledger.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../../src/base/time.ts'
import { rowsOf, sql } from '../../../../../src/sql/port.ts'
import { scaled } from '../../../../support/scale.ts'
import { eventOf } from '../../../../support/services/builders.ts'
import { drainOutbox } from '../../../../support/services/drain_outbox.ts'
import { makeReceiver, payloadOf, subscribe } from '../../../../support/services/receiver.ts'
import { failedChecks, ingest, ok, promote, setPolicy } from '../../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../../support/services/service.ts'
import { type Said, callsOf, registered, sendingScene } from './scene.ts'

const ODD_RUN = fc.record({
  model: fc.constantFrom('m1', 'm2'),
  calls: fc.constantFrom(0, 0, 0, 2),
  type: fc.constantFrom('run_end' as const, 'run_end' as const, 'run_start' as const),
})

/** Undeclared tools and models of runs: counted, announced once, limited. */
export function ranContract(makeService: MakeService): void {
  const undeclaredOf = async (service: TestService, release_id: string) =>
    (await ok(service.call(`GET /v1/releases/${release_id}/capabilities`))).undeclared

  async function oneRelease(said: Said, make: Parameters<MakeService>[0] = {}) {
    const service = await makeService(make)
    const { release_id } = await ok(registered(service, said))
    const run = (run_id: string, calls: Readonly<Record<string, number>>, more = {}) =>
      callsOf({ release_id, run_id, ...more }, calls)
    return { service, release_id: release_id as string, run }
  }

  const upkeep = (service: TestService) =>
    keepLedger(service.context, { version: 'test', pace: batch => batch() })

  describe('a tool that a release does not declare', () => {
    test('is counted by runs and calls, each run once, however often it is sent', async () => {
      const { service, release_id, run } = await oneRelease({ tool_names: ['search'] })
      const events = [
        run('one', { search: 2, delete_all: 3 }),
        run('two', { delete_all: 1, '': 4 }),
        run('three', { search: 1 }),
      ]
      await ingest(service, events)
      await ingest(service, [...events, run('four', { delete_all: 0 }, { at: NOON - 3 * HOUR_MS })])
      const hours = { environment: 'local', last_hour: '2026-01-31T11:00:00.000Z' }
      expect(await undeclaredOf(service, release_id)).toEqual([
        {
          ...hours,
          kind: 'tool',
          name: '(blank)',
          runs: 1,
          calls: 4,
          first_hour: '2026-01-31T11:00:00.000Z',
        },
        {
          ...hours,
          kind: 'tool',
          name: 'delete_all',
          runs: 3,
          calls: 4,
          first_hour: '2026-01-31T09:00:00.000Z',
        },
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is none where the release says nothing of tools, and any where it says that it has none', async () => {
      const silent = await oneRelease({})
      await ingest(silent.service, [silent.run('one', { anything: 1 })])
      expect(await undeclaredOf(silent.service, silent.release_id)).toEqual([])
      const none = await oneRelease({ capabilities: { tools: [] } })
      await ingest(none.service, [none.run('one', { anything: 1 })])
      expect(await undeclaredOf(none.service, none.release_id)).toMatchObject([
        { name: 'anything', calls: 1 },
      ])
    })

    test('is not one of an MCP server by any of its names, nor a sub-agent', async () => {
      const { service, release_id, run } = await oneRelease({
        capabilities: {
          mcp_servers: [{ name: 'docs', tools: [{ name: 'find' }] }],
          agents: [{ agent_id: 'researcher' }],
        },
      })
      const names = ['find', 'docs.find', 'docs/find', 'docs__find', 'mcp__docs__find', 'researcher']
      await ingest(service, [
        ...names.map(name => run(name, { [name]: 1 })),
        run('odd', { 'other.find': 1 }),
        // A run that only began has used nothing.
        { ...run('begun', { worse: 1 }), type: 'run_start' },
      ])
      expect((await undeclaredOf(service, release_id)).map(({ name }: { name: string }) => name)).toEqual([
        'other.find',
      ])
    })

    test('is told apart from 199 others; further ones are counted together', async () => {
      const { service, release_id, run } = await oneRelease({ tool_names: [] })
      await ingest(
        service,
        Array.from({ length: 260 }, (_, index) => run(`run-${index}`, { [`tool-${index}`.repeat(60)]: 1 })),
      )
      const shown = await ok(service.call(`GET /v1/releases/${release_id}/capabilities`))
      expect([shown.undeclared.length, shown.more_undeclared]).toEqual([100, 101])
      expect(shown.undeclared[0]).toMatchObject({ name: '', runs: 60, calls: 60 })
      expect(shown.undeclared[1].name).toHaveLength(200)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  test('a model that answers and nobody asked for is counted, a dated name of one that was asked for is not', async () => {
    const { service, release_id } = await oneRelease({ capabilities: { models: [{ model: 'm3' }] } })
    const run = (run_id: string, model: string, served_model?: string) => {
      const event = eventOf({ release_id, run_id, model })
      const usage = event.usage as { model: object }
      return served_model === undefined
        ? event
        : { ...event, usage: { model: { ...usage.model, served_model } } }
    }
    await ingest(service, [
      run('own', 'm1'),
      run('dated', 'm1-2026-01-30'),
      run('further', 'acme/m3'),
      run('other', 'm2'),
      run('rerouted', 'm1', 'm9'),
      run('same', 'm2', 'm1-20260130'),
      eventOf({ release_id, run_id: 'beside', others: [{ model: 'm2', tokens: [1, 1, 0] }] }),
    ])
    expect(await undeclaredOf(service, release_id)).toMatchObject([
      { kind: 'model', name: 'm2', runs: 2 },
      { kind: 'model', name: 'm9', runs: 1 },
    ])
    const { events } = await ok(service.call('GET /v1/runs', { query: { release_id, window: '1h' } }))
    const rerouted = events.find((event: { run_id: string }) => event.run_id === 'rerouted')
    expect(rerouted.usage.model).toMatchObject({ model: 'm1', served_model: 'm9' })
    // What leaves can come in again.
    const other = await makeService()
    expect(await ingest(other, events)).toEqual({ inserted: 7, skipped: 0 })
    expect(await failedChecks(service, true)).toEqual([])
  })

  test('runs are counted alike whether their chunk has only plain ones or odd ones as well', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(ODD_RUN, { minLength: 1, maxLength: 8 }), { maxLength: 5 }),
        async batches => {
          const { service, release_id } = await oneRelease({ tool_names: ['search'] })
          const wanted = new Map<string, { runs: number; calls: number }>()
          const add = (name: string, calls: number): void => {
            const { runs, calls: before } = wanted.get(name) ?? { runs: 0, calls: 0 }
            wanted.set(name, { runs: runs + 1, calls: before + calls })
          }
          for (const [batch, runs] of batches.entries()) {
            const events = runs.map(({ model, calls, type }, index) => {
              if (type === 'run_end' && model === 'm2') add('model m2', 1)
              if (type === 'run_end' && calls > 0) add('tool erase', calls)
              return callsOf(
                { release_id, run_id: `${batch}-${index}`, model, type },
                calls === 0 ? { search: 1 } : { erase: calls },
              )
            })
            // What is sent again counts once.
            await ingest(service, events)
            await ingest(service, events.slice(0, 1))
          }
          const found = await undeclaredOf(service, release_id)
          expect(
            new Map(
              found.map(
                ({
                  kind,
                  name,
                  runs,
                  calls,
                }: {
                  kind: string
                  name: string
                  runs: number
                  calls: number
                }) => [`${kind} ${name}`, { runs, calls }],
              ),
            ),
          ).toEqual(wanted)
          expect(await failedChecks(service, true)).toEqual([])
        },
      ),
      { numRuns: scaled(4, 100), endOnFailure: true },
    )
  })

  test('receivers are told once of each release, environment and name', async () => {
    const receiver = makeReceiver()
    const { service, release_id, run } = await oneRelease({ tool_names: [] }, { send: receiver.send })
    await subscribe(service, { events: ['capabilities.violated'] })
    await ingest(service, [
      run('one', { 'rm\u001b[2J': 1 }),
      run('two', { other: 1 }, { environment: 'prod' }),
    ])
    await Promise.all([upkeep(service), upkeep(service)])
    await ingest(service, [run('three', { other: 1 }, { environment: 'prod' })])
    await upkeep(service)
    await drainOutbox(service.context)
    const sent = receiver.sent
      .map(payloadOf)
      .sort((a, b) => (a.data.environment < b.data.environment ? -1 : 1))
    expect(sent.map(({ event, data }) => [event, data])).toEqual([
      [
        'capabilities.violated',
        {
          release_id,
          agent_id: 'bot',
          environment: 'local',
          kind: 'tool',
          name: 'rm\u001b[2J',
          runs: 1,
          calls: 1,
          actor: 'service',
          reason: '1 run called the tool rm\\u001b[2J, which the release does not declare',
        },
      ],
      ['capabilities.violated', expect.objectContaining({ environment: 'prod', name: 'other', runs: 1 })],
    ])
  })

  describe('a limit on undeclared calls', () => {
    test('blocks a promotion by what ran in the window, to the minute', async () => {
      const { service, candidate } = await sendingScene(makeService)
      await setPolicy(service, { max_undeclared_tool_calls: 2 })
      const at = NOON - HOUR_MS
      await ingest(service, [
        callsOf({ release_id: candidate, run_id: 'old', at: at - MINUTE_MS }, { wipe: 9 }),
        callsOf({ release_id: candidate, run_id: 'in', at: at + 90_000 }, { wipe: 2 }),
      ])
      await ok(promote(service, candidate, { dry_run: true }))
      await ingest(service, [
        callsOf({ release_id: candidate, run_id: 'more', at: NOON - 1000 }, { wipe: 1, send_mail: 5 }),
      ])
      const blocked = await promote(service, candidate)
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome.policy.reasons).toEqual([
        'candidate undeclared_tool_calls 3 exceeds max 2: `wipe` 3',
      ])
      const { actions } = await ok(service.call('GET /v1/actions', { query: { limit: 1 } }))
      const explained = await ok(service.call(`GET /v1/actions/${actions[0].action_id}/explain`))
      expect(explained).toMatchObject({ equal: true })
      const other = await ok(
        service.call(`POST /v1/actions/${actions[0].action_id}/explain`, {
          body: {
            policy: { require_high_diff_confidence: false, max_undeclared_tool_calls: 3, capabilities: {} },
          },
        }),
      )
      expect(other.replayed).toEqual({
        passed: null,
        reasons: [],
        unknown: ['capabilities is unknown: no policy limited it then'],
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is not measured where the candidate says nothing of tools: warned of, refused where it is strict', async () => {
      const said = { candidate: { capabilities: undefined } } as never
      const text =
        'max_undeclared_tool_calls is limited but not measured: the candidate does not say which tools it has'
      const lax = await sendingScene(makeService, {}, said)
      await setPolicy(lax.service, { max_undeclared_tool_calls: 0 })
      expect((await ok(promote(lax.service, lax.candidate))).policy.warnings).toContain(text)
      const strict = await sendingScene(makeService, { workspace: { strict: true } }, said)
      await setPolicy(strict.service, { max_undeclared_tool_calls: 0 })
      expect((await promote(strict.service, strict.candidate)).body.detail.outcome.policy.reasons).toContain(
        text,
      )
    })
  })

  test('sums that somebody changed are found, and worked out again from the events', async () => {
    const { service, release_id, run } = await oneRelease({ tool_names: [] })
    await ingest(service, [run('one', { a: 2 }), run('two', { a: 1, b: 5 })])
    const before = await undeclaredOf(service, release_id)
    await service.sql.batch([sql`DELETE FROM rollup_capability_minutes WHERE name = 'b'`])
    expect((await failedChecks(service, true))[0]).toEqual([
      'undeclared_sums',
      expect.stringContaining(
        'rollup_capability_minutes has 0 runs and 0 calls of tool "b", the events 1 and 5',
      ),
    ])
    await service.sql.batch([
      sql`INSERT INTO rollup_capability_minutes SELECT scope, bucket * 60 + 59, kind, name, runs, calls
        FROM rollup_capability_hours WHERE name = 'b'`,
    ])
    expect(await failedChecks(service, true)).toEqual([])
    await service.sql.batch([sql`UPDATE rollup_capability_hours SET calls = calls + 1 WHERE name = 'a'`])
    expect((await failedChecks(service, true))[0]).toEqual([
      'undeclared_sums',
      expect.stringContaining(
        'rollup_capability_hours has 2 runs and 4 calls of tool "a", the events 2 and 3',
      ),
    ])
    await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
    expect(await failedChecks(service, true)).toEqual([])
    expect(await undeclaredOf(service, release_id)).toEqual(before)
    expect(await rowsOf(service.sql, sql`SELECT count(*) AS n FROM capability_names`)).toEqual([{ n: 2 }])
  })
}
