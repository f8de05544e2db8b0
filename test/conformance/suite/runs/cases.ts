import { beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { KEPT_IMPORTS } from '../../../../src/features/scores/imports.ts'
import { prunableParts, pruneParts } from '../../../../src/features/retention/others.ts'
import { MOST_CASES, OPEN_MS, forgetUploads } from '../../../../src/features/scores/receive.ts'
import { KEY_CHARS, packCases } from '../../../../src/features/scores/rules_cases.ts'
import { type Row, rowsOf, sql } from '../../../../src/sql/port.ts'
import { eventOf, importPrices, ingestMany, register, releaseOf } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  diffOf,
  failedChecks,
  ingest,
  ok,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { AT_ONCE, erase, killedAt } from '../../../support/services/retention.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

type Case = Readonly<Record<string, unknown>>

/** Cases that pass, but for some by number. */
function cases(n: number, failing: readonly number[] = [], more: Case = {}): Case[] {
  return Array.from({ length: n }, (_, index) => ({
    id: `case ${index}`,
    passed: !failing.includes(index),
    ...more,
  }))
}

const CHECKSUM = 'a'.repeat(64)

/** Cases of evaluations: what is kept of each, what is compared, and what a policy asks of them. */
export function casesContract(makeService: MakeService): void {
  let service: TestService
  let one: string
  let two: string

  beforeEach(async () => {
    ;({ service, one, two } = await scene(makeService))
  })

  const send = (release_id: string, some: readonly Case[], more: object = {}) =>
    sendTo(service, release_id, some, more)

  const finish = (release_id: string, import_id: string, parts = 1, more: object = {}) =>
    finishAt(service, release_id, import_id, parts, more)

  const imported = (release_id: string, some: readonly Case[], more: object = {}) =>
    importTo(service, release_id, some, more)

  const compared = (more: object = {}) =>
    ok(
      service.call('POST /v1/scores/diff', {
        body: { baseline_release_id: one, candidate_release_id: two, suite: 'safety', ...more },
      }),
    )

  const counted = async (table: string): Promise<number> =>
    Number((await rowsOf(service.sql, { text: `SELECT count(*) AS n FROM ${table}`, params: [] }))[0]!.n)

  /** Why a policy that asks this of the suite doesn't let the second release pass. */
  async function reasons(suite: object, more: object = {}): Promise<string[]> {
    await setPolicy(service, { suites: { safety: suite }, ...more })
    return (await ok(promote(service, two, { dry_run: true }))).policy.reasons
  }

  describe('cases of an evaluation', () => {
    test('count once with all their tries, and come back with what is shown of them', async () => {
      await imported(one, cases(20, [3, 4]))
      const shown = { trace_id: 'tr-1', duration_ms: 5, tokens: 10, cost_usd: 0.1, tags: ['a'] }
      const made = await imported(two, [
        ...cases(20, [4, 7]).slice(1),
        { id: 'case 0', epoch: 1, passed: true, ...shown },
        { id: 'case 0', epoch: 2, passed: true, ...shown, trace_id: 'tr-2' },
        { id: 'case 0', epoch: 3, passed: false },
      ])
      expect(made).toMatchObject({
        cases: 20,
        scores: [{ name: 'pass_rate', cases: 20, mean: 0.88333335 }],
        evaluation: {
          case_ids: 'given',
          results: 22,
          judge: null,
          duration_ms: 10,
          tokens: 20,
          cost_usd: 0.2,
        },
      })
      const diff = await compared()
      expect(diff).toMatchObject({
        changes: { newly_failing: 1, newly_passing: 1, still_failing: 1, flaky: 1 },
        not_compared_because: null,
        scores: [{ name: 'pass_rate', paired_cases: 20 }],
        cases_in_all: 4,
        cases: [
          { name: 'case 7', state: 'newly_failing' },
          {
            name: 'case 0',
            state: 'flaky',
            baseline: { epochs: 1, passed: 1, scores: { pass_rate: 1 } },
            candidate: { epochs: 3, passed: 2, scores: { pass_rate: 0.666666666667 } },
            tags: ['a'],
            trace_ids: ['tr-1', 'tr-2'],
            duration_ms: 10,
            tokens: 20,
            cost_usd: 0.2,
          },
          { name: 'case 4', state: 'still_failing' },
          { name: 'case 3', state: 'newly_passing' },
        ],
        warnings: ['suite safety: 19 of 20 cases have fewer than 3 epochs'],
      })
      const mended = await compared({ states: ['newly_passing'] })
      expect(mended.cases.map(({ name }: Row) => name)).toEqual(['case 3'])
      expect((await compared({ limit: 1, offset: 1 })).cases).toEqual([diff.cases[1]])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are told by their inputs where they have no ids, of which a keyed hash is kept', async () => {
      const hashed = (failing: number) =>
        Array.from({ length: 12 }, (_, n) => ({
          input_sha256: String(n).padStart(64, '0'),
          scores: { f: n === failing ? 0.25 : 0.75 },
        }))
      await imported(one, hashed(-1))
      expect(await imported(two, hashed(5))).toMatchObject({ evaluation: { case_ids: 'hashed' } })
      const { scores, cases: listed, not_compared_because } = await compared()
      expect(not_compared_because).toBe('no_outcomes')
      expect(scores).toMatchObject([{ name: 'f', paired_cases: 12, mcnemar_p: null }])
      expect(listed).toMatchObject([
        { name: null, state: 'lower', candidate: { passed: null, scores: { f: 0.25 } } },
      ])
      const kept = await rowsOf(service.sql, sql`SELECT cases_json FROM score_parts`)
      expect(JSON.stringify(kept)).not.toContain('0'.repeat(62))
      expect(await counted('score_cases')).toBe(0)
    })

    test('prove a change with a third of the cases that two unpaired sides take', async () => {
      await imported(one, cases(300, [0, 1]))
      await imported(
        two,
        cases(
          300,
          Array.from({ length: 14 }, (_, n) => n + 2),
        ),
      )
      const { statistics } = await diffOf(service, [one, two])
      const [rate] = statistics.scores!
      // The test vector of the method: 14 of 300 broken, 2 mended.
      expect(rate).toMatchObject({
        name: 'safety/pass_rate',
        paired: { cases: 300, baseline_share: 1, candidate_share: 1, epochs: 1, mcnemar_p: 0.00418090820312 },
        change: {
          verdict: 'worse',
          difference: {
            estimate: -0.04,
            low: expect.closeTo(-0.0670121461936, 9),
            high: expect.closeTo(-0.0124580524819, 9),
          },
        },
      })
      expect(statistics.suites!.imported).toMatchObject([
        { suite: 'safety', cases: 300, failing: 14, missing: 0, changes: { newly_failing: 14 } },
      ])
      expect(statistics.suites!.imported[0]!.listed).toHaveLength(14)
    })

    test('are compared without pairs where under 80 % are in both, and that is said', async () => {
      await imported(one, cases(100))
      await imported(two, cases(79, [1]).concat(cases(120).slice(100)))
      const { scores, changes, not_compared_because, only_baseline, only_candidate, warnings } =
        await compared()
      expect({ changes, not_compared_because, only_baseline, only_candidate }).toEqual({
        changes: null,
        not_compared_because: 'few_shared',
        only_baseline: 21,
        only_candidate: 20,
      })
      expect(scores[0]).not.toHaveProperty('paired_cases')
      expect(warnings).toEqual([
        "suite safety: 79 cases are in both imports, 79 % of the baseline's and 79 % of the candidate's, so scores are compared without pairs",
        "suite safety: 21 of 120 cases have no score pass_rate in the candidate's import (17.5 %)",
      ])
      expect(await reasons({ max_regressions: 5 })).toEqual([
        expect.stringMatching(
          /under 80 % of the cases of an import are in both \(suites\.safety\.max_regressions\)$/,
        ),
      ])
      expect(await reasons({ max_regressions: 5 }, { on_inconclusive: 'pass' })).toEqual([
        expect.stringMatching(
          /^suite safety: 21 of 120 cases .*; suites\.safety\.max_missing_cases allows 2 %/,
        ),
      ])
      const wide = { max_regressions: 5, max_missing_cases: 0.2 }
      expect(await reasons(wide, { on_inconclusive: 'pass' })).toEqual([])
    })

    test('without a score fail the limits of their suite, unless the import names them as removed', async () => {
      const scored = (n: number, errors: number): Case[] =>
        Array.from({ length: n }, (_, index) => ({
          id: `case ${index}`,
          scores: index < errors ? {} : { match: 1 },
        }))
      const limit = { max_score_drop: { 'safety/match': 0.2 } }
      const missing = (lost: number) =>
        `suite safety: ${lost} of 100 cases have no score match in the candidate's import (${lost} %)`
      await imported(one, scored(100, 0))
      await imported(two, scored(100, 10))
      expect(await reasons({}, limit)).toEqual([
        `${missing(10)}; suites.safety.max_missing_cases allows 2 % (max_score_drop.safety/match)`,
      ])
      expect(await reasons({ max_missing_cases: 0.1 }, limit)).toEqual([])
      const dryRun = await ok(promote(service, two, { dry_run: true }))
      expect(dryRun.policy.warnings).toContain(missing(10))
      expect((await compared()).warnings).toContain(missing(10))
      const made = await imported(two, scored(100, 0).slice(10), {
        removed_cases: scored(8, 0).map(({ id }) => id),
      })
      expect(made.evaluation).toMatchObject({ removed_cases: 8 })
      expect(await reasons({ max_missing_cases: 0.01 }, limit)).toEqual([
        expect.stringContaining('2 of 92 cases have no score match'),
      ])
      expect(await reasons({ max_missing_cases: 0.05 }, limit)).toEqual([])
    })

    test('by different judges are not compared, with the reason', async () => {
      await imported(one, cases(50), { judge_model: 'judge-1', judge_rubric_version: '3' })
      await imported(two, cases(50, [1]), { judge_model: 'judge-2', judge_rubric_version: '3' })
      const { scores, cases: listed, warnings, not_compared_because } = await compared()
      expect(not_compared_because).toBe('judges')
      expect(listed[0]).toMatchObject({ name: 'case 1', state: 'failing' })
      expect(scores).toMatchObject([{ difference: null, inconclusive_because: 'not_comparable' }])
      expect(warnings[0]).toContain('judged by different judges (judge-1, rubric 3; judge-2, rubric 3)')
      expect(await reasons({ max_regressions: 0 }, { max_score_drop: { 'safety/pass_rate': 0.1 } })).toEqual([
        expect.stringContaining('nothing comparable against max_score_drop.safety/pass_rate'),
        expect.stringContaining(
          'the imports were judged by different judges (suites.safety.max_regressions)',
        ),
      ])
    })

    test('of an import that is killed half way count for nothing, and go after a day', async () => {
      await imported(one, cases(20))
      const { import_id } = await ok(send(two, cases(10)))
      const part = await ok(send(two, cases(20).slice(10), { import_id, part: 1 }))
      expect(part).toEqual({ import_id, part: 1, results: 10 })
      // A lost answer: the same part again.
      expect(await ok(send(two, cases(20).slice(10), { import_id, part: 1 }))).toEqual(part)
      expect((await ok(service.call('GET /v1/scores', { query: { release_id: two } }))).imports).toEqual([])
      expect(await refusal(finish(two, import_id, 3), 400)).toMatch(/has 2 of 3 parts: part 2 is missing/)
      expect(await failedChecks(service, true)).toEqual([])
      service.clock.now += OPEN_MS / 2
      await ok(send(two, cases(30).slice(20), { import_id, part: 2 }))
      service.clock.now += OPEN_MS - 1
      await forgetUploads(service.context)
      expect(await counted('score_uploads')).toBe(1)
      service.clock.now += 2
      await forgetUploads(service.context)
      expect([await counted('score_uploads'), await counted('score_parts')]).toEqual([0, 1])
      expect(await refusal(send(two, cases(1), { import_id, part: 3 }), 400)).toMatch(
        /takes no more cases: it is finished/,
      )
      expect(await refusal(finish(two, import_id, 3), 400)).toMatch(
        /is not an open import of safety for this release/,
      )
    })

    test('are finished once: again is the same import, and the same content is not stored twice', async () => {
      const { import_id } = await ok(send(two, cases(3)))
      const made = await ok(finish(two, import_id))
      expect(await ok(finish(two, import_id))).toEqual(made)
      expect(await imported(two, cases(3))).toEqual(made)
      expect([
        await counted('score_imports'),
        await counted('score_parts'),
        await counted('score_uploads'),
      ]).toEqual([1, 1, 0])
      expect(await refusal(send(two, cases(1), { import_id, part: 1 }), 400)).toMatch(/takes no more cases/)
      const other = await imported(two, cases(3), { bundle_checksum: CHECKSUM })
      expect(other.import_id).not.toBe(import_id)
    })

    test('finish no import of another release or suite, though its id is known', async () => {
      const { import_id } = await imported(one, cases(5))
      for (const call of [finish(two, import_id), finish(one, import_id, 1, { suite: 'other' })])
        expect(await refusal(call, 400)).toContain(`${import_id} is not an open import of`)
    })

    test('of which one is there twice are refused by name, in one part or in two', async () => {
      const doubled = [...cases(2), { id: 'case 1', passed: false }]
      const { import_id } = await ok(send(two, doubled))
      expect(await refusal(finish(two, import_id), 400)).toMatch(/^Case "case 1" is twice in epoch 1/)
      const again = await ok(send(two, cases(2)))
      await ok(send(two, cases(2).slice(1), { import_id: again.import_id, part: 1 }))
      expect(await refusal(finish(two, again.import_id, 2), 400)).toMatch(
        /^Case "case 1" is twice in epoch 1/,
      )
      expect(await counted('score_imports')).toBe(0)
    })

    test.each<[string, Case, RegExp]>([
      [
        'no id and no input',
        { passed: true },
        /,id\],msg:must be given, or input_sha256 in its place \(was neither\)/,
      ],
      ['both', { id: 'a', input_sha256: CHECKSUM, passed: true }, /\(was both\)/],
      ['nothing that is scored', { id: 'a' }, /,scores\],msg:must be given, or passed/],
      [
        'a score of pass_rate beside passed',
        { id: 'a', passed: true, scores: { pass_rate: 0 } },
        /left out where passed is given/,
      ],
      ['a score that is no number', { id: 'a', scores: { f: 'NaN' } }, /scores.*must be a number/],
      ['an epoch of 0', { id: 'a', passed: true, epoch: 0 }, /,epoch\],msg:must be at least 1/],
      ['the text of an answer', { id: 'a', passed: true, output: 'x' }, /output/],
    ])('that have %s are refused', async (_name, wrong, message) => {
      const answer = await send(two, [{ id: 'right', passed: true }, wrong])
      expect([answer.status, answer.text.replaceAll(/"|\\/g, '')]).toEqual([
        422,
        expect.stringMatching(message),
      ])
      expect(await counted('score_uploads')).toBe(0)
    })

    test.each<[string, object, number, RegExp]>([
      ['of no release', { release_id: 'rel_none' }, 400, /Unknown release: rel_none/],
      [
        'of a pass rate above 1',
        { cases: [{ id: 'a', scores: { pass_rate: 1.7 } }] },
        422,
        /must be from 0 to 1, as a share is/,
      ],
      [
        'of a share of claims above 1',
        { cases: [{ id: 'a', scores: { 'ragas.faithfulness': 1.7 } }] },
        422,
        /must be from 0 to 1, as a share is; a score of another scale needs another name/,
      ],
      ['of an import that there is none of', { import_id: 'scr_none' }, 400, /scr_none takes no more cases/],
      ['in no part', { cases: [] }, 422, /cases/],
      ['more than a thousand', { cases: cases(1001) }, 422, /at most 1000|1000/],
    ])('that are %s are refused', async (_name, more, status, message) => {
      const answer = await send(two, cases(1), more)
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)])
    })

    test('go with old imports of their suite, whose sums stay', async () => {
      const first = await imported(two, cases(3), { evaluated_at: '2026-01-01T00:00:00Z' })
      for (let n = 0; n < KEPT_IMPORTS; n++) await imported(two, cases(3, [n % 2]))
      const { imports } = await ok(service.call('GET /v1/scores', { query: { release_id: two } }))
      expect([imports.length, imports.at(-1)]).toEqual([KEPT_IMPORTS + 1, first])
      expect(await counted('score_parts')).toBe(KEPT_IMPORTS)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are pruned by age but for the newest, with names that no case has any more', async () => {
      await imported(two, cases(5))
      await imported(two, cases(3, [1]))
      service.clock.now += DAY_MS
      const before = service.clock.now
      const pruned = async () =>
        (await pruneParts(service.context, before, AT_ONCE.pace))
          .filter(({ name }) => name === 'score_cases')
          .map(({ name, count }) => [name, count])
      expect(await prunableParts(service.context, before)).toContainEqual(
        expect.objectContaining({ name: 'score_cases', count: 1 }),
      )
      // Ended once the names are gone: the next one goes on.
      await expect(pruneParts(service.context, before, killedAt(1))).rejects.toThrow('killed')
      expect([await counted('score_parts'), await counted('score_cases')]).toEqual([2, 3])
      expect(await failedChecks(service, true)).toEqual([])
      expect(await pruned()).toEqual([['score_cases', 1]])
      expect([await counted('score_parts'), await counted('score_cases')]).toEqual([1, 3])
      expect(await pruned()).toEqual([['score_cases', 0]])
      expect(await failedChecks(service, true)).toEqual([])
      expect(await compared()).toMatchObject({
        only_candidate: 3,
        cases: [{ name: 'case 1', state: 'failing' }],
        warnings: ['suite safety: the baseline has no import of it'],
      })
    })

    test('are 100,000 in an import at most, however often each was tried', async () => {
      const part = async (import_id: string, number: number, results: number, epochs = 1): Promise<void> => {
        const packed = packCases(
          Array.from({ length: results }, (_, n) => ({
            key: (number * results + Math.floor(n / epochs)).toString(16).padStart(KEY_CHARS, '0'),
            isHashed: true,
            epoch: (n % epochs) + 1,
            cluster: null,
            scores: { pass_rate: 1 },
            human: null,
            details: {},
          })),
        )
        await service.sql.batch([
          sql`INSERT INTO score_parts (import_id, part, results, cases_json) VALUES
            (${import_id}, CAST(${number} AS BIGINT), CAST(${results} AS BIGINT), ${packed.cases})`,
        ])
      }
      const many = await ok(send(two, cases(1)))
      for (const number of [1, 2, 3, 4]) await part(many.import_id, number, MOST_CASES / 4)
      expect(await refusal(finish(two, many.import_id, 5), 400)).toBe(
        `An import takes 100000 cases; ${many.import_id} has 100001.`,
      )
      const often = await ok(send(two, cases(1)))
      for (const number of [1, 2, 3, 4, 5]) await part(often.import_id, number, MOST_CASES / 4, 5)
      expect(await ok(finish(two, often.import_id, 6))).toMatchObject({
        cases: 25_001,
        evaluation: { results: 125_001 },
      })
      const full = await ok(send(two, cases(1)))
      await service.sql.batch([
        sql`UPDATE score_parts SET results = 299000 WHERE import_id = ${full.import_id}`,
      ])
      await ok(send(two, cases(1000), { import_id: full.import_id, part: 1 }))
      expect(await refusal(send(two, cases(1), { import_id: full.import_id, part: 2 }), 400)).toBe(
        `An import takes 300000 tries of cases; ${full.import_id} has 300000 and part 2 would bring 1 more.`,
      )
    })

    test('lose their traces with the tenant whose runs these are', async () => {
      await ingest(service, [
        eventOf({ release_id: two, run_id: 'a', tenant_id: 'acme', request: { trace_id: 'tr-1' } }),
        eventOf({ release_id: two, run_id: 'b', tenant_id: 'other', request: { trace_id: 'tr-2' } }),
      ])
      await imported(two, [
        { id: 'x', passed: false, trace_id: 'tr-1' },
        { id: 'y', passed: false, trace_id: 'tr-2' },
      ])
      await erase(service.context, 'acme')
      const { cases: listed } = await compared()
      expect(listed.map(({ name, trace_ids }: Row) => [name, trace_ids])).toEqual([
        ['x', undefined],
        ['y', ['tr-2']],
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test.each<[string, string, RegExp]>([
      [
        'cases',
        `UPDATE score_parts SET cases_json = replace(cases_json, '[1,0', '[1,1')`,
        /differ from the imported ones/,
      ],
      ['what their import says', `UPDATE score_evaluations SET facts_json = '{}'`, /does not match log_seq/],
      ['names', `UPDATE score_cases SET name = 'other' WHERE name = 'case 1'`, /another name/],
      ['some of them', 'DELETE FROM score_parts', /some of its cases are missing/],
    ])('are found by the doctor where somebody changes %s', async (_name, text, message) => {
      await imported(two, cases(2, [1]))
      await service.sql.batch([{ text, params: [] }])
      const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
      const failed = checks.filter((check: { ok: boolean }) => !check.ok)
      expect(failed.map(({ detail }: { detail: string }) => detail).join()).toMatch(message)
    })
  })

  describe('a policy', () => {
    test('blocks by name where a suite was never imported, whatever on_inconclusive says', async () => {
      for (const on_inconclusive of ['block', 'pass', 'estimate']) {
        expect(await reasons({}, { on_inconclusive })).toEqual([
          'too little evidence on suite safety: it was never imported for this release; `svc scores import` does that (suites.safety)',
        ])
      }
      const gate = await ok(
        service.call('GET /v1/gate/bot/local', { query: { window: '1h', release_id: two } }),
      )
      expect(gate).toMatchObject({ verdict: 'inconclusive', passed: false })
    })

    test('that names another suite than there is says which one may be meant', async () => {
      await imported(one, cases(12))
      await imported(two, cases(12))
      await setPolicy(service, { suites: { saftey: {} } })
      const { statistics } = await diffOf(service, [one, two])
      expect(statistics.warnings).toContain('suite saftey: neither release has it; did you mean safety?')
    })

    test('that all must pass blocks at the first case with a failing epoch, and at a missing one', async () => {
      await imported(one, cases(30))
      await imported(two, [
        ...cases(30).slice(1),
        { id: 'case 0', passed: true },
        { id: 'case 0', epoch: 2, passed: false },
      ])
      expect(await reasons({ must_pass: true }, { on_inconclusive: 'pass' })).toEqual([
        'suite safety: 1 of 30 cases fails; suites.safety.must_pass allows none',
      ])
      await imported(two, cases(30).slice(2))
      expect(await reasons({ must_pass: true })).toEqual([
        "suite safety: 2 cases of the baseline's newest import are missing; suites.safety.must_pass allows none",
      ])
      await imported(two, cases(31).slice(1))
      expect(await reasons({ must_pass: true })).toHaveLength(1)
      await imported(two, cases(31))
      expect(await reasons({ must_pass: true })).toEqual([])
      await imported(two, [...cases(30), { id: 'case 30', scores: { other: 1 } }])
      expect(await reasons({ must_pass: true })).toEqual([
        'suite safety: 1 of 31 cases fails; suites.safety.must_pass allows none',
      ])
    })

    test('that all must pass takes cases that are told apart, with outcomes', async () => {
      const body = { release_id: two, suite: 'safety', cases: [{ pass_rate: 1 }] }
      await ok(service.call('POST /v1/scores', { body }))
      expect(await reasons({ must_pass: true })).toEqual([
        'too little evidence on suite safety: its newest import does not tell cases apart; give each an id (suites.safety.must_pass)',
      ])
      await imported(two, [{ id: 'a', scores: { f: 1 } }])
      expect(await reasons({ must_pass: true })).toEqual([
        'too little evidence on suite safety: its newest import does not say which cases pass (suites.safety.must_pass)',
      ])
    })

    test('limits how many cases break, and how few pass', async () => {
      await imported(one, cases(100))
      await imported(two, cases(100, [1, 2, 3]))
      expect(await reasons({ max_regressions: 3, min_pass_rate: 0.9 })).toEqual([])
      expect(await reasons({ max_regressions: 2, min_pass_rate: 0.95 })).toEqual([
        expect.stringMatching(
          /^too little evidence on score safety\/pass_rate: 0\.97\d* \[0\.9\d+, 0\.9\d+\] against suites\.safety\.min_pass_rate 0\.95\d*/,
        ),
        'suite safety: 3 cases that passed fail now; suites.safety.max_regressions allows 2',
      ])
    })

    test('takes no import that is too old, by the clock of the database and by what the file says', async () => {
      await imported(two, cases(20))
      service.clock.now += 7 * DAY_MS
      const window = { window: '30d' }
      const decidedBy = async (max_age: string) => {
        await setPolicy(service, { suites: { safety: { max_age } } })
        return (await ok(promote(service, two, { dry_run: true, ...window }))).policy.reasons
      }
      expect(await decidedBy('7d')).toEqual([])
      service.clock.now += HOUR_MS
      // The server's own clock says nothing.
      service.clock.ahead = -HOUR_MS / 10
      expect(await decidedBy('7d')).toEqual([
        'too little evidence on suite safety: its newest import is about 8 days old, and 7d is allowed; evaluate the release again (suites.safety.max_age)',
      ])
      service.clock.ahead = 0
      const evaluated_at = new Date(service.clock.now - 8 * DAY_MS).toISOString()
      await imported(two, cases(20, [1]), { evaluated_at })
      expect(await decidedBy('7d')).toHaveLength(1)
      await imported(two, cases(20, [2]), {
        evaluated_at: new Date(service.clock.now + DAY_MS).toISOString(),
      })
      expect(await decidedBy('7d')).toEqual([])
      service.clock.now += 31 * DAY_MS
      await setPolicy(service, { suites: { safety: {} } })
      const { policy } = await ok(promote(service, two, { dry_run: true, window: '90d' }))
      expect([policy.passed, policy.warnings ?? []]).toEqual([true, expect.anything()])
      const { statistics } = await diffOf(service, [one, two], { window: '90d' })
      expect(statistics.warnings).toContain('suite safety: its newest import is 31 days old')
    })

    test('takes no import of another bundle, nor one that names none', async () => {
      await imported(two, cases(20))
      expect(await reasons({ same_bundle: true })).toEqual([
        'too little evidence on suite safety: its newest import does not say which bundle it ran against; name that with --bundle (suites.safety.same_bundle)',
      ])
      await imported(two, cases(20), { bundle_checksum: 'b'.repeat(64) })
      expect(await reasons({ same_bundle: true, must_pass: true })).toEqual([
        "too little evidence on suite safety: its newest import ran against another bundle than the release's (suites.safety.same_bundle)",
      ])
      await imported(two, cases(20), { bundle_checksum: CHECKSUM })
      expect(await reasons({ same_bundle: true, must_pass: true })).toEqual([])
    })

    test('asks that the judge agrees with people', async () => {
      const labelled = (wrong: number) =>
        Array.from({ length: 60 }, (_, n) => ({
          id: `case ${n}`,
          passed: n % 2 === 0,
          human_passed: n < wrong ? n % 2 === 1 : n % 2 === 0,
        }))
      await imported(two, cases(60))
      expect(await reasons({ require_judge_agreement: 0.6 })).toEqual([
        'too little evidence on suite safety: no case has a label of a human (suites.safety.require_judge_agreement)',
      ])
      await imported(two, labelled(30))
      expect(await reasons({ require_judge_agreement: 0.6 })).toEqual([
        expect.stringMatching(
          /^candidate agreement of the judge of suite safety 0\.0000 \[-?0\.2\d+, 0\.2\d+\] is below suites\.safety\.require_judge_agreement 0\.6000/,
        ),
      ])
      await imported(two, labelled(2))
      expect(await reasons({ require_judge_agreement: 0.6 })).toEqual([])
    })

    test('asks neither first promotions nor rollbacks, unless it says so of these', async () => {
      const suites = { safety: { must_pass: true } }
      await setPolicy(service, { suites })
      await ok(promote(service, two, { environment: 'prod' }))
      await setPolicy(service, {})
      await ok(promote(service, two))
      await setPolicy(service, { suites })
      expect((await ok(rollback(service, one, { dry_run: true }))).policy.passed).toBe(true)
      await setPolicy(service, { suites: { safety: { must_pass: true, on_rollback: true } } })
      const blocked = await rollback(service, one)
      expect([blocked.status, blocked.body.detail.outcome.policy.reasons]).toEqual([
        409,
        [expect.stringContaining('suite safety: it was never imported')],
      ])
    })

    test('decides again from the evidence alone, which names no case', async () => {
      await imported(one, cases(40))
      await imported(two, cases(40, [7]))
      await setPolicy(service, { suites: { safety: { must_pass: true, max_age: '7d' } } })
      const blocked = await promote(service, two)
      expect(blocked.status).toBe(409)
      const { action_id, policy } = blocked.body.detail.outcome
      const action = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(action.evidence).toMatchObject({ rules_version: 1 })
      expect(JSON.stringify(action)).not.toContain('case 7')
      const listed = await ok(service.call(`GET /v1/actions/${action_id}/explain`))
      expect(listed.replayed).toMatchObject({ passed: false, reasons: policy.reasons })
      await imported(two, cases(40))
      expect((await ok(promote(service, two))).policy.passed).toBe(true)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is told with names in diffs and in the report of a gate, to who may read', async () => {
      await imported(one, cases(40))
      await imported(two, cases(40, [7], { trace_id: 'tr' }))
      await setPolicy(service, { suites: { safety: { must_pass: true } } })
      const listed = { suite: 'safety', name: 'case 7', state: 'newly_failing', trace_ids: ['tr'] }
      expect((await diffOf(service, [one, two])).cases).toMatchObject([listed])
      const query = { window: '1h', release_id: two }
      expect(await ok(service.call('GET /v1/gate/bot/local', { query }))).toMatchObject({
        verdict: 'block',
        cases: [listed],
      })
      const report = await service.call('GET /v1/gate/bot/local/report', { query })
      expect(report.text).toContain('- newly failing in `safety`: `case 7` (trace `tr`)')
    })
  })
}

/** A suite over all releases of an agent. */
export function suitesContract(makeService: MakeService): void {
  describe('a suite over releases', () => {
    test('has each release by its newest import, and the cases that did not always pass', async () => {
      const { service, one, two } = await scene(makeService)
      await importTo(service, one, cases(12, [1, 2]))
      await importTo(service, two, cases(12, [2]))
      await importTo(service, two, cases(12, [3]))
      const { suites } = await ok(service.call('GET /v1/scores/suites', { query: { agent_id: 'bot' } }))
      expect(suites).toMatchObject([{ suite: 'safety', releases: 2, release_id: two, version: '2' }])
      const history = await ok(service.call('GET /v1/scores/suites/safety', { query: { agent_id: 'bot' } }))
      const pass = { passed: 1, epochs: 1 }
      const fail = { passed: 0, epochs: 1 }
      expect(history).toMatchObject({
        releases: [
          { version: '1', cases: 12, scores: [{ name: 'pass_rate', mean: { estimate: 0.833333333333 } }] },
          { version: '2', scores: [{ mean: { estimate: 0.916666666667 } }] },
        ],
        compared: [
          { version: '1', keeps_cases: true },
          { version: '2', keeps_cases: true },
        ],
        cases_in_all: 3,
        cases: [{ name: 'case 3', tries: [pass, fail] }, { tries: [fail, pass] }, { tries: [fail, pass] }],
      })
      const none = service.call('GET /v1/scores/suites/other', { query: { agent_id: 'bot' } })
      expect(await refusal(none, 404)).toMatch(
        /No release of bot has an import of the suite other\. Imported suites: safety\.$/,
      )
    })

    test('is compared for two releases of one agent only, and a slip in its name is told', async () => {
      const { service, one, two } = await scene(makeService)
      const other = await ok(
        service.call('POST /v1/releases', {
          body: { artifact: releaseOf({ agent: 'other' }), checksum: CHECKSUM },
        }),
      )
      const ask = (body: object) =>
        service.call('POST /v1/scores/diff', {
          body: { baseline_release_id: one, candidate_release_id: two, suite: 'safety', ...body },
        })
      expect(await refusal(ask({}), 400)).toMatch(
        /Neither release has an import of the suite safety. Import one/,
      )
      await importTo(service, two, cases(3))
      expect(await refusal(ask({ suite: 'saftey' }), 400)).toMatch(/Did you mean safety\?/)
      expect(await refusal(ask({ candidate_release_id: other.release_id }), 400)).toMatch(/Cross-agent diff/)
      expect(await refusal(ask({ baseline_release_id: 'rel_none' }), 400)).toMatch(/Unknown baseline release/)
    })
  })
}

interface Scene {
  readonly service: TestService
  /** Live. */
  readonly one: string
  readonly two: string
}

async function scene(makeService: MakeService): Promise<Scene> {
  const service = await makeService({ workspace: SMALL_SAMPLES })
  await importPrices(service)
  const one = await register(service, { version: '1' })
  const two = await register(service, { version: '2' })
  for (const release_id of [one, two]) await ingestMany(service, 10, { release_id })
  await ok(promote(service, one))
  return { service, one, two }
}

function sendTo(service: TestService, release_id: string, some: readonly Case[], more: object = {}) {
  return service.call('POST /v1/scores/cases', {
    body: { release_id, suite: 'safety', cases: some, ...more },
  })
}

function finishAt(service: TestService, release_id: string, import_id: string, parts = 1, more: object = {}) {
  return service.call('POST /v1/scores', {
    body: { release_id, suite: 'safety', import_id, parts, ...more },
  })
}

async function importTo(service: TestService, release_id: string, some: readonly Case[], more: object = {}) {
  const { import_id } = await ok(sendTo(service, release_id, some))
  return ok(finishAt(service, release_id, import_id, 1, more))
}
