import { expect, test } from 'vitest'
import { type Compared, changeSentence } from '../../../src/rules/change_sentence.ts'
import { movedText } from '../../../src/rules/moved_words.ts'

const SAME = { verdict: 'no_difference', inconclusive_because: null }
const moved = (first_block: number, end_block: number, rest: number, here: number) => ({
  moved: {
    first_block,
    end_block,
    share: 0.93,
    baseline_rest: 0.01,
    baseline_mean: 0.011,
    candidate_rest: rest,
    candidate_mean: here,
  },
})
const of = (matched: object): Compared =>
  ({
    cost_per_run_usd: SAME,
    latency_ms: SAME,
    error_rate: { verdict: 'inconclusive', inconclusive_because: 'interval_too_wide', matched },
    compared: {
      by: 'common_time',
      since: '2026-03-01T06:00:00.000Z',
      until: '2026-03-01T14:00:00.000Z',
      block_minutes: 20,
    },
  }) as unknown as Compared

test.each([
  [
    moved(22, 24, 0.008, 0.3),
    'error rate of the candidate moved from 0.8 % to 30.0 % at 2026-03-01 13:20 UTC (ask with a window of 40m)',
  ],
  [
    moved(4, 5, 0.01, 0.5),
    '20 min from 2026-03-01 07:20 UTC make 93 % of the spread of error rate (candidate: 50.0 %, else 1.0 %)',
  ],
  [{ days_differ: true }, 'the days differ in error rate'],
])('%j is the reason, not too few runs', (matched, text) => {
  expect(movedText('error_rate', of(matched))).toBe(text)
  expect(changeSentence('2', '1', of(matched))).toBe(
    `Cost and latency are unchanged from 1 to 2; nothing is proven of errors, because ${text}.`,
  )
})

test('without such a part there are too few runs', () => {
  expect(movedText('error_rate', of({}))).toBeUndefined()
  expect(changeSentence('2', '1', of({}))).toMatch(/because there are too few runs\.$/)
})
