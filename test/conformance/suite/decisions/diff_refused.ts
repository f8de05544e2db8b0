import { describe, expect, test } from 'vitest'
import { PRICES, eventOf, importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import {
  decision,
  diff,
  ingest,
  ok,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const INVALID_WINDOWS = [
  '',
  ' ',
  '0h',
  '00d',
  '-7d',
  '+7d',
  '7',
  'd',
  '7w',
  '30s',
  '1.5h',
  '1h30m',
  '7 days',
  '７d',
  '1e2h',
  '0x1h',
  '99999999999999999999999d',
]

/** What POST /v1/diff refuses, in the words of the specification, and which fault it names first. */
export function refusedDiffContract(makeService: MakeService): void {
  describe('a diff is refused', () => {
    test('for an unknown baseline or candidate', async () => {
      const service = await makeService()
      const { baseline } = await twoReleases(service, 1)
      expect(await refusal(diff(service, ['rel_x', baseline]), 400)).toMatch(
        /^Unknown baseline release: rel_x/,
      )
      expect(await refusal(diff(service, [baseline, 'rel_y']), 400)).toMatch(
        /^Unknown candidate release: rel_y/,
      )
      expect(await refusal(diff(service, ['rel_x', 'rel_y']), 400)).toMatch(/^Unknown baseline release:/)
    })

    test('across agents', async () => {
      const service = await makeService()
      await importPrices(service)
      const pair = [await register(service), await register(service, { agent: 'other' })] as const
      expect(await refusal(diff(service, pair), 400)).toMatch(/^Cross-agent diff is not allowed/)
    })

    test('without the price table of either side', async () => {
      const service = await makeService()
      await importPrices(service)
      const priced = await register(service)
      const unpriced = await register(service, { pricing: 'v2' })
      expect(await refusal(diff(service, [unpriced, priced]), 400)).toMatch(
        /^Missing pricing table for baseline acme\/v2/,
      )
      expect(await refusal(diff(service, [priced, unpriced]), 400)).toMatch(
        /^Missing pricing table for candidate acme\/v2/,
      )
    })

    test.each(INVALID_WINDOWS)('for the window %j', async window => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 1)
      expect(await refusal(diff(service, [baseline, candidate], { window }), 400)).toMatch(/^Invalid window/)
    })

    test.each(['baseline', 'candidate'])('where events of the %s name two agents', async side => {
      const service = await makeService()
      const releases = await twoReleases(service, 3)
      const odd = { release_id: releases[side as 'baseline' | 'candidate'], run_id: 'odd-run' }
      await ingest(service, [eventOf({ ...odd, agent_id: 'impostor', at: NOON - 30 * 60_000 })])
      const pair = [releases.baseline, releases.candidate] as const
      const detail = await refusal(diff(service, pair), 400)
      expect(detail).toMatch(/^Each side of the diff must have a single consistent agent_id among run events/)
      expect(detail).toContain('odd-run')
      expect(detail).toContain('impostor')
      await ok(diff(service, pair, { window: '29m' }))
    })

    test('for two agents only if both sides have events', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 0)
      await ingest(service, [
        eventOf({ release_id: baseline, run_id: 'a' }),
        eventOf({ release_id: baseline, run_id: 'b', agent_id: 'impostor' }),
      ])
      const { samples } = await ok(diff(service, [baseline, candidate]))
      expect(samples.baseline_runs).toBe(2)
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'c' })])
      expect(await refusal(diff(service, [baseline, candidate]), 400)).toMatch(/^Each side of the diff/)
    })

    test('but not where all events of a side name one other agent', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 0)
      await ingest(service, [
        eventOf({ release_id: baseline, run_id: 'a', agent_id: 'renamed' }),
        eventOf({ release_id: candidate, run_id: 'b' }),
      ])
      const { samples } = await ok(diff(service, [baseline, candidate]))
      expect(samples.baseline_runs).toBe(1)
    })

    test('where events used a model without a price, and names run, table and remedy', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 2)
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'dear-run', model: 'm9' })])
      const detail = await refusal(diff(service, [baseline, candidate]), 400)
      expect(detail).toMatch(/^Pricing table missing model entry/)
      for (const part of ['dear-run', 'm9', 'acme/v1', 'svc pricing import']) expect(detail).toContain(part)
      const entry = { model: 'm9', input_usd_per_1k_tokens: 9, output_usd_per_1k_tokens: 9 }
      const table = { ...PRICES, entries: [...PRICES.entries, entry] }
      await ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'm9 is new' } }))
      await ok(diff(service, [baseline, candidate]))
    })

    test('also where only a run_start used it', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 0)
      const event = eventOf({ release_id: baseline, run_id: 'a', model: 'm9', type: 'run_start' })
      await ingest(service, [event])
      expect(await refusal(diff(service, [baseline, candidate]), 400)).toMatch(/^Pricing table missing/)
    })

    test('naming the first fault in the order of the steps', async () => {
      const service = await makeService()
      const mine = await register(service, { pricing: 'none' })
      const other = await register(service, { agent: 'other' })
      const bad = { window: 'soon' }
      const first = async (pair: readonly [string, string]) => refusal(diff(service, pair, bad), 400)
      expect(await first([mine, 'rel_x'])).toMatch(/^Unknown candidate/)
      expect(await first([mine, other])).toMatch(/^Cross-agent/)
      expect(await first([mine, mine])).toMatch(/^Missing pricing table for baseline/)
      await importPrices(service, { ...PRICES, pricing_version: 'none' })
      expect(await first([mine, mine])).toMatch(/^Invalid window/)
    })
  })

  describe('a diff of the wrong shape is 422', () => {
    const body = { baseline_release_id: 'a', candidate_release_id: 'b', window: '1h' }

    test.each([
      ['baseline_release_id', undefined],
      ['candidate_release_id', undefined],
      ['window', undefined],
      ['baseline_release_id', null],
      ['candidate_release_id', 1],
      ['window', 24],
      ['window', ['1h']],
      ['environment', 1],
      ['tenant_id', true],
      ['task_id', {}],
      ['colour', 'red'],
      ['tenant_id', 'a\0'],
    ])('%s = %j', async (field, value) => {
      const service = await makeService()
      const answer = service.call('POST /v1/diff', { body: { ...body, [field]: value } })
      expect(await unprocessableAt(answer)).toEqual([['body', field]])
    })
  })

  describe('the same faults on promote and rollback', () => {
    test('are named in the words for promoted baseline, candidate and rollback target', async () => {
      const service = await makeService()
      const early = await register(service, { pricing: 'old' })
      await importPrices(service)
      const priced = await register(service)
      const call = (action: 'promote' | 'rollback', id: string) =>
        service.call(`POST /v1/${action}`, { body: decision(id) })
      await ok(call('promote', early))
      await setPolicy(service, {})
      expect(await refusal(call('promote', priced), 400)).toMatch(
        /^Missing pricing table for promoted_baseline acme\/old/,
      )
      await importPrices(service, { ...PRICES, pricing_version: 'old' })
      await ok(call('promote', priced))
      const late = await register(service, { pricing: 'new' })
      expect(await refusal(call('promote', late), 400)).toMatch(
        /^Missing pricing table for candidate acme\/new/,
      )
      expect(await refusal(call('rollback', late), 400)).toMatch(
        /^Missing pricing table for rollback target acme\/new/,
      )
      expect((await ok(service.call('GET /v1/metrics'))).counters.actions_total).toBe(2)
    })

    test('include unpriced models and mixed agents', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 1)
      await setPolicy(service, {})
      const call = () => service.call('POST /v1/promote', { body: decision(candidate) })
      await ok(service.call('POST /v1/promote', { body: decision(baseline) }))
      const at = NOON - 30 * 60_000
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'x', model: 'm9', at })])
      expect(await refusal(call(), 400)).toMatch(/^Pricing table missing model entry/)
      await ingest(service, [eventOf({ release_id: baseline, run_id: 'y', agent_id: 'impostor', at })])
      expect(await refusal(call(), 400)).toMatch(
        /^Each side of the diff must have a single consistent agent_id/,
      )
      await ok(service.call('POST /v1/promote', { body: decision(candidate, { window: '29m' }) }))
    })
  })
}
