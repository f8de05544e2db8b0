import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../support/services/call.ts'
import { eventOf, register, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  actionsOf,
  ingest,
  ok,
  promote,
  promotedBaseline,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** GET and POST /v1/gate/{agent_id}/{environment}, and its report */
export function gateContract(makeService: MakeService): void {
  const compared = () => promotedBaseline(makeService)

  describe('the gate', () => {
    /** What a policy makes of a candidate at 1.60 USD and 80 ms with ten runs. */
    test.each([
      ['pass', {}, []],
      ['pass', { max_cost_per_run_usd: 1.6 }, []],
      ['block', { max_cost_per_run_usd: 1.5 }, ['candidate cost_per_run_usd 1.600000 exceeds max 1.500000']],
      [
        'inconclusive',
        { require_high_diff_confidence: true, min_candidate_runs: 11 },
        ['diff confidence is MEDIUM (candidate sample < 11 runs); promotion requires HIGH'],
      ],
      [
        'block',
        { require_high_diff_confidence: true, min_candidate_runs: 11, max_latency_ms: 79 },
        [
          'candidate latency_ms_avg 80.00 exceeds max 79',
          'diff confidence is MEDIUM (candidate sample < 11 runs); promotion requires HIGH',
        ],
      ],
    ] as const)('says %s under %j', async (verdict, policy, reasons) => {
      const { service, baseline, candidate } = await compared()
      await setPolicy(service, policy)
      const before = await actionsOf(service)
      const { status, body, headers } = await gate(service, { release_id: candidate })
      expect(status).toBe(200)
      expect(body).toMatchObject({
        verdict,
        passed: verdict === 'pass',
        reasons,
        agent_id: 'bot',
        environment: 'local',
        release_id: candidate,
        version: '2',
        baseline_release_id: baseline,
        baseline_version: '1',
        window: '1h',
        samples: { baseline_runs: 10, candidate_runs: 10 },
        metrics: { baseline_cost_per_run_usd: 2, candidate_cost_per_run_usd: 1.6 },
      })
      expect(headers.get('x-service-verdict')).toBe(verdict)
      expect(headers.get('cache-control')).toBe('no-store')
      const dryRun = await ok(promote(service, candidate, { dry_run: true }))
      expect(dryRun.policy).toMatchObject({ passed: body.passed, reasons: body.reasons })
      // Nothing was written.
      expect(await actionsOf(service)).toEqual(before)

      const hook = await gate(service, { release_id: candidate }, 'POST')
      const report = await gate(service, { release_id: candidate }, 'GET', '/report')
      expect(report).toMatchObject({ status: 200 })
      expect(report.headers.get('x-service-verdict')).toBe(verdict)
      expect(report.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      if (verdict === 'pass') {
        expect(hook).toMatchObject({ status: 200, body })
      } else {
        expect(hook.status).toBe(409)
        expect(hook.headers.get('content-type')).toBe('text/plain; charset=utf-8')
        const word = verdict === 'block' ? 'blocked' : 'too little evidence'
        expect(hook.text).toBe([`${word}:`, ...reasons].join('\n'))
      }
      const lenient = await gate(service, { release_id: candidate, fail_on: 'block' }, 'POST')
      expect(lenient.status).toBe(verdict === 'block' ? 409 : 200)
    })

    test('follows what happened since it was asked last', async () => {
      const { service, baseline, candidate } = await compared()
      await setPolicy(service, { max_cost_per_run_usd: 1.7 })
      const verdict = async () => (await gate(service, { release_id: candidate })).body.verdict
      expect(await verdict()).toBe('pass')
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'dear', model: 'm2', input: 9000 })])
      expect(await verdict()).toBe('block')
      await setPolicy(service, { max_latency_p95_ms: 90 })
      expect(await verdict()).toBe('inconclusive')
      await setPolicy(service, {})
      expect(await verdict()).toBe('pass')
      await ok(promote(service, candidate))
      const { body } = await gate(service, { release_id: candidate })
      expect(body).toMatchObject({
        verdict: 'pass',
        baseline_release_id: candidate,
        warnings: [expect.stringContaining('live in local already')],
      })
      const back = await gate(service, { release_id: candidate, baseline_release_id: baseline })
      expect(back.body).toMatchObject({ baseline_release_id: baseline, samples: { candidate_runs: 11 } })
    })

    test('takes the newest release that was registered for the environment where none is named', async () => {
      const { service, candidate } = await compared()
      expect((await gate(service, {})).body.release_id).toBe(candidate)
      const newer = await register(service, { version: '3' })
      expect((await gate(service, {})).body).toMatchObject({ release_id: newer, version: '3' })
      expect(await refusal(gate(service, {}, 'GET', '', '/v1/gate/bot/prod'), 400)).toBe(
        'No release of bot is registered for prod; name one by release_id.',
      )
    })

    test('answers many who ask at the same time as each would be alone', async () => {
      const { service, candidate, baseline } = await compared()
      const requests = Array.from({ length: 20 }, (_, index) =>
        gate(service, { release_id: index % 2 === 0 ? candidate : baseline }),
      )
      const answers = await Promise.all(requests)
      for (const [index, { status, body }] of answers.entries()) {
        expect([status, body.release_id]).toEqual([200, index % 2 === 0 ? candidate : baseline])
      }
    })

    test('warns of looks that intervals do not hold for, unless the policy makes them sequential', async () => {
      const { service, candidate } = await compared()
      const pollAll = async () => {
        let last: Answer | undefined
        for (let poll = 0; poll < 20; poll++) last = await gate(service, { release_id: candidate })
        return last!.body
      }
      await setPolicy(service, { max_cost_increase_pct: 0.5 })
      const once = await pollAll()
      expect(once.statistics.cost_per_run_usd.interval).toBe('fixed')
      await setPolicy(service, { max_cost_increase_pct: 0.5, sequential: true })
      const often = await pollAll()
      expect(often.statistics.cost_per_run_usd.interval).toBe('sequential')
      const warned = (body: typeof once): boolean =>
        /asked \d+ times since/.test(body.statistics.warnings.join())
      expect([warned(once), warned(often)]).toEqual([true, false])
    })
  })

  describe('the gate of a place where nothing is promoted', () => {
    async function first(workspace = {}): Promise<{ service: TestService; candidate: string }> {
      const service = await makeService({ workspace: { ...SMALL_SAMPLES, ...workspace } })
      const { candidate } = await twoReleases(service)
      return { service, candidate }
    }

    test('lets pass what was registered for it, as a promotion would', async () => {
      const { service, candidate } = await first()
      expect((await gate(service, { release_id: candidate })).body).toMatchObject({
        verdict: 'pass',
        reasons: ['first promotion: no promoted baseline for agent/environment'],
        warnings: [expect.stringContaining('never had a live release in local')],
        baseline_release_id: null,
        confidence: null,
        samples: null,
        metrics: null,
        statistics: null,
      })
      const report = await gate(service, { release_id: candidate }, 'GET', '/report')
      expect(report.text).toContain('nothing promoted to compare with')
    })

    test('lets nothing pass whose name may be mistyped, nor anything where the workspace is strict', async () => {
      const { service, candidate } = await first()
      const mistyped = await gate(service, { release_id: candidate }, 'GET', '', '/v1/gate/bot/lcoal')
      expect(mistyped.body).toMatchObject({
        verdict: 'inconclusive',
        reasons: ['nothing is promoted for bot in lcoal, so there is nothing to compare with'],
        warnings: [expect.stringContaining('Did you mean local?')],
      })
      const strict = await first({ strict: true })
      expect((await gate(strict.service, { release_id: strict.candidate })).body.verdict).toBe('inconclusive')
    })
  })

  describe('the gate refuses', () => {
    test.each([
      [{ release_id: 'rel_none' }, 'Unknown candidate release: rel_none'],
      [{ baseline_release_id: 'rel_none' }, 'Unknown baseline release: rel_none'],
      [{ window: '7w' }, 'Invalid window "7w"'],
      [{ window: '0h' }, 'Invalid window "0h"'],
    ])('%j', async (query, message) => {
      const { service } = await compared()
      for (const [method, path] of CALLS) {
        expect(await refusal(gate(service, query, method, path), 400)).toContain(message)
      }
    })

    test('a release of another agent, and a place that the trail does not know of', async () => {
      const { service, candidate } = await compared()
      const other = await register(service, { agent: 'other' })
      for (const query of [{ release_id: other }, { release_id: candidate, baseline_release_id: other }]) {
        expect(await refusal(gate(service, query), 400)).toBe(
          `Cross-agent diff is not allowed: ${other} is not a release of bot.`,
        )
      }
    })

    test('a model without a price, naming the table', async () => {
      const { service, candidate } = await compared()
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'odd', model: 'm9' })])
      expect(await refusal(gate(service, { release_id: candidate }), 400)).toContain(
        'Pricing table missing model entry: acme/v1 has no price for m9',
      )
    })

    test('what has not the shape', async () => {
      const { service } = await compared()
      for (const [method, path] of CALLS) {
        const call = `${method} /v1/gate/bot/local${path}` as never
        expect(await unprocessableAt(service.call(call, { query: { release_id: 'rel_x' } }))).toEqual([
          ['query', 'window'],
        ])
      }
      const at = (query: Record<string, string>, method: 'GET' | 'POST', path = '') =>
        unprocessableAt(gate(service, query, method, path))
      for (const [method, path] of CALLS) {
        // Each would be taken for the question about the newest release, or about what is promoted.
        for (const slip of ['release_id', 'baseline_release_id']) {
          expect(await at({ [slip]: '' }, method, path)).toEqual([['query', slip]])
        }
        expect(await at({ release: 'rel_x' }, method, path)).toEqual([['query', 'release']])
      }
      expect(await at({ fail_on: 'never' }, 'POST')).toEqual([['query', 'fail_on']])
      expect(await at({ page_url: 'javascript:alert(1)' }, 'GET', '/report')).toEqual([['query', 'page_url']])
    })
  })

  test('the gate asks the ledger itself, not what follows it', async () => {
    const behind = await makeService()
    const service = await makeService({ workspace: SMALL_SAMPLES, follower: behind.sql })
    const { baseline, candidate } = await twoReleases(service)
    await ok(promote(service, baseline))
    expect((await gate(service, { release_id: candidate })).body).toMatchObject({
      baseline_release_id: baseline,
      samples: { baseline_runs: 10, candidate_runs: 10 },
    })
  })
}

const CALLS = [
  ['GET', ''],
  ['POST', ''],
  ['GET', '/report'],
] as const

/** Asks whether a release of `bot` may pass in `local` by the last hour, unless the query says otherwise. */
function gate(
  service: TestService,
  query: Record<string, string>,
  method: 'GET' | 'POST' = 'GET',
  path = '',
  place = '/v1/gate/bot/local',
): Promise<Answer> {
  // Flagger sends a body; what it says is not read.
  const body = method === 'POST' ? { body: { name: 'bot', namespace: 'prod', phase: 'Progressing' } } : {}
  return service.call(`${method} ${place}${path}` as never, { query: { window: '1h', ...query }, ...body })
}
