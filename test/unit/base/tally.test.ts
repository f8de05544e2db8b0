import { array, assert, double, property } from 'fast-check'
import { expect, test } from 'vitest'
import { histogramSamples, newTally } from '../../../src/ledger/world/tally.ts'

const SPECS = {
  calls_total: { type: 'counter', help: 'Calls.' },
  call_seconds: { type: 'histogram', help: 'Time.', bounds: [0.1, 1] },
} as const

test('a counter adds up by its labels', () => {
  const tally = newTally(SPECS)
  tally.add('calls_total', { route: '/a' })
  tally.add('calls_total', { route: '/b' }, 0)
  tally.add('calls_total', { route: '/a' }, 2)
  expect(tally.families()[0]).toEqual({
    name: 'calls_total',
    type: 'counter',
    help: 'Calls.',
    samples: [
      { suffix: '', labels: { route: '/a' }, value: 3 },
      { suffix: '', labels: { route: '/b' }, value: 0 },
    ],
  })
})

test('a value on a bound belongs to its bucket, and one above all to the last', () => {
  const tally = newTally(SPECS)
  for (const value of [0.1, 0.2, 1, 5]) tally.observe('call_seconds', {}, value)
  expect(tally.families()[1]!.samples.map(({ suffix, labels, value }) => [suffix, labels.le, value])).toEqual(
    [
      ['_bucket', '0.1', 1],
      ['_bucket', '1', 3],
      ['_bucket', '+Inf', 4],
      ['_sum', undefined, 6.3],
      ['_count', undefined, 4],
    ],
  )
})

test('what nothing was put in has no samples', () => {
  expect(
    newTally(SPECS)
      .families()
      .map(({ samples }) => samples),
  ).toEqual([[], []])
})

test('buckets add up to the count whatever was observed', () => {
  assert(
    property(array(double({ min: 0, max: 3, noNaN: true })), values => {
      const tally = newTally(SPECS)
      for (const value of values) tally.observe('call_seconds', {}, value)
      const { samples } = tally.families()[1]!
      const below = (bound: number): number => values.filter(value => value <= bound).length
      const counted = samples.filter(({ suffix }) => suffix !== '_sum').map(({ value }) => value)
      expect(counted).toEqual(values.length === 0 ? [] : [below(0.1), below(1), values.length, values.length])
    }),
  )
})

test('a histogram takes buckets that were never touched', () => {
  const samples = histogramSamples({ a: 'b' }, [1, 2], [undefined, 3], 6)
  expect(samples.map(({ value }) => value)).toEqual([0, 3, 3, 6, 3])
})
