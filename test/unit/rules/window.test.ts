import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import {
  type Range,
  type SignedRange,
  type Window,
  ageMs,
  edgesOf,
  parseWindow,
  segmentsOf,
  wholeWindow,
  windowCovering,
} from '../../../src/rules/window.ts'

const NOON = Date.UTC(2026, 0, 31, 12)

describe('parseWindow', () => {
  test.for([
    ['7d', 7 * DAY_MS],
    ['24h', 24 * HOUR_MS],
    ['30m', 30 * MINUTE_MS],
    ['1m', MINUTE_MS],
    ['007d', 7 * DAY_MS],
    ['7D', 7 * DAY_MS],
    ['24H', 24 * HOUR_MS],
    ['30M', 30 * MINUTE_MS],
    [' 7d ', 7 * DAY_MS],
    ['7 d', 7 * DAY_MS],
    ['\t7d\n', 7 * DAY_MS],
    ['719162d', 719_162 * DAY_MS],
  ] as const)('%j ends now and starts %d ms before', ([text, length]) => {
    const until = text === '719162d' ? 0 : NOON
    expect(parseWindow(text, until)).toEqual({ since: until - length, until })
  })

  test.for(
    [
      ['', ' ', 'd', '7', '7x', '7w', '7s', '7mo', '-7d', '+7d', '1.5h', '1e3m', '0x1d', '1,000m', '7d 2h'],
      ['7dd', 'd7', 'seven days', '7d;', "7d' OR 1=1", '٧d', '7d\0', 'P7D', 'Infinityd', 'NaNd', '7 0d'],
    ].flat(),
  )('%j is not a window', text => {
    expect(parseWindow(text, NOON)).toBe(
      `Invalid window ${JSON.stringify(text)}: use a positive number and d, h or m, for example 7d, 24h or 30m.`,
    )
  })

  test.for(['0d', '0h', '0m', '000h'])('%j is refused, because it is empty', text => {
    expect(parseWindow(text, NOON)).toBe(`Invalid window "${text}": the number must be at least 1.`)
  })

  test.for(['719163d', '100000001d', '9007199254740993m'])('%j reaches before the year 1', text => {
    expect(parseWindow(text, 0)).toBe(`Invalid window "${text}": it starts before the year 1.`)
  })

  test('a number with hundreds of digits does too', () => {
    expect(parseWindow(`${'9'.repeat(400)}d`, NOON)).toMatch(/^Invalid window "9{40}…": it starts before/)
  })

  test.for([
    ['x'.repeat(40), `"${'x'.repeat(40)}"`],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
  ] as const)('of garbage at most 40 characters are repeated: %s', ([text, shown]) => {
    expect(parseWindow(text, NOON)).toMatch(`Invalid window ${shown}: use a`)
  })

  test('long garbage is refused at once and not repeated in full', () => {
    for (const text of [' '.repeat(1e6), '1'.repeat(1e6), `1${' '.repeat(1e6)}x`, '7d'.repeat(5e5)]) {
      const problem = parseWindow(text, NOON) as string
      expect(problem).toMatch(/^Invalid window /)
      expect(problem.length).toBeLessThan(200)
    }
  })

  test('the length is the number times the unit', () => {
    const units = fc.constantFrom(['d', DAY_MS] as const, ['h', HOUR_MS] as const, ['m', MINUTE_MS] as const)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700_000 }), units, (count, [unit, ms]) => {
        const window = parseWindow(`${count}${unit}`, NOON) as Window
        expect(window.until - window.since).toBe(count * ms)
      }),
    )
  })
})

test.for([
  ['30m', 30 * MINUTE_MS],
  ['24h', 24 * HOUR_MS],
  ['7d', 7 * DAY_MS],
] as const)('an age of %s is %d ms', ([text, ms]) => {
  expect(ageMs(text)).toBe(ms)
})

describe('windowCovering', () => {
  test.for([
    [0, '1m'],
    [0.5, '1m'],
    [1, '1m'],
    [1.01, '2m'],
    [120, '120m'],
    [120.5, '3h'],
    [121, '3h'],
    [180, '3h'],
    [72 * 60, '72h'],
    [72 * 60 + 1, '4d'],
    [7 * 1440, '7d'],
  ] as const)('%d minutes fit in %s', ([minutes, text]) => {
    expect(windowCovering(minutes)).toBe(text)
  })

  test('it gives a valid window that covers the minutes and is at most twice as long', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), minutes => {
        const window = parseWindow(windowCovering(minutes), NOON) as Window
        const covered = (window.until - window.since) / MINUTE_MS
        expect(covered).toBeGreaterThanOrEqual(minutes)
        expect(covered).toBeLessThanOrEqual(Math.max(1, 2 * minutes + 1))
      }),
    )
  })
})

describe('segmentsOf', () => {
  test.for([
    { length: 'part of a minute', since: '11:59:10.5', until: '11:59:50', edge: ['11:59:10.5', '11:59:50'] },
    {
      length: 'the first part of a minute',
      since: '11:58',
      until: '11:58:20',
      minutes: ['11:58', '11:59'],
      beyond: ['11:58:20', '11:59'],
    },
    { length: 'one whole minute', since: '11:58', until: '11:59', minutes: ['11:58', '11:59'] },
    { length: 'one whole hour', since: '11:00', until: '12:00', hours: ['11:00', '12:00'] },
    {
      length: 'parts of two minutes',
      since: '11:58:30',
      until: '11:59:30',
      edge: ['11:58:30', '11:59'],
      minutes: ['11:59', '12:00'],
      beyond: ['11:59:30', '12:00'],
    },
    {
      length: 'parts of two hours',
      since: '10:59',
      until: '11:01',
      minutes: ['10:59', '11:00', '11:00', '11:01'],
    },
    {
      length: 'an hour, of whose last minute a part is taken off',
      since: '10:59',
      until: '11:59:30',
      minutes: ['10:59', '11:00', '11:00', '12:00'],
      beyond: ['11:59:30', '12:00'],
    },
    {
      length: 'all of them',
      since: '09:58:30',
      until: '12:01:30',
      edge: ['09:58:30', '09:59'],
      minutes: ['09:59', '10:00', '12:00', '12:02'],
      hours: ['10:00', '12:00'],
      beyond: ['12:01:30', '12:02'],
    },
  ] as SegmentCase[])('a window of $length, from $since to $until', ({ since, until, ...expected }) => {
    const parts = partsOf({ since: at(since), until: at(until) })
    const boundsOf = (unit: string) =>
      parts.filter(part => part.unit === unit).flatMap(({ from, to }) => [from, to])
    for (const unit of ['hours', 'minutes', 'edge', 'beyond'] as const) {
      expect(boundsOf(unit), unit).toEqual((expected[unit] ?? []).map(at))
    }
  })

  test('a window before 1970 has no events and is empty', () => {
    expect(partsOf({ since: -2 * DAY_MS, until: -DAY_MS })).toEqual([])
  })

  test('hours, minutes and the edge, less what is beyond, cover every millisecond of a window once', () => {
    fc.assert(
      fc.property(anyWindow, window => {
        let reached = Math.max(0, window.since)
        for (const { from, to } of partsOf(window).filter(({ unit }) => unit !== 'beyond')) {
          expect(from).toBe(reached)
          reached = to
        }
        const { beyond } = segmentsOf(window)
        expect(beyond).toEqual({ from: Math.max(0, window.since, window.until), to: reached })
      }),
      { numRuns: 2000 },
    )
  })

  test('edges are shorter than a minute, minutes at most an hour, and no range runs backwards', () => {
    fc.assert(
      fc.property(anyWindow, window => {
        const { hours, minutes, edge, beyond } = segmentsOf(window)
        for (const { from, to } of [hours, ...minutes, edge, beyond]) expect(to).toBeGreaterThanOrEqual(from)
        for (const { from, to } of minutes) expect(to - from).toBeLessThanOrEqual(60)
        for (const { from, to } of [edge, beyond]) expect(to - from).toBeLessThan(MINUTE_MS)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Bounds, two by two, of the parts that aren't empty. */
interface SegmentCase {
  readonly length: string
  readonly since: string
  readonly until: string
  readonly hours?: readonly string[]
  readonly minutes?: readonly string[]
  readonly edge?: readonly string[]
  readonly beyond?: readonly string[]
}

/** Windows of any length, often on or near the bounds of minutes and hours. */
const anyWindow: fc.Arbitrary<Window> = fc
  .tuple(
    fc.oneof(fc.integer({ min: -200_000, max: 200_000 }), fc.integer({ min: -1e12, max: 4e12 })),
    fc.oneof(fc.nat(MINUTE_MS), fc.nat(3 * HOUR_MS), fc.nat(40 * DAY_MS)),
    fc.constantFrom(1, MINUTE_MS, HOUR_MS),
    fc.constantFrom(1, MINUTE_MS, HOUR_MS),
    fc.constantFrom(-1, 0, 0, 1),
  )
  .map(([start, length, startStep, endStep, slip]) => {
    const since = Math.floor(start / startStep) * startStep + slip
    return { since, until: Math.max(since, Math.floor((since + length) / endStep) * endStep) }
  })

function at(time: string): number {
  return Date.parse(`2026-01-31T${time.length === 5 ? `${time}:00` : time}Z`)
}

/** The parts that aren't empty, in the order of time, in milliseconds. */
function partsOf(window: Window): (Range & { unit: string })[] {
  const { hours, minutes, edge, beyond } = segmentsOf(window)
  const inMs = (unit: string, scale: number) => (range: Range) => ({
    unit,
    from: range.from * scale,
    to: range.to * scale,
  })
  return [
    ...[hours].map(inMs('hours', HOUR_MS)),
    ...minutes.map(inMs('minutes', MINUTE_MS)),
    inMs('edge', 1)(edge),
    inMs('beyond', 1)(beyond),
  ]
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from)
}

describe('edgesOf', () => {
  const [coarse, fine] = [DAY_MS, 10 * MINUTE_MS]
  const count = (times: readonly number[], { from, to }: Range, width: number): number =>
    times.filter(time => Math.floor(time / width) >= from && Math.floor(time / width) < to).length
  const signed = (times: readonly number[], ranges: readonly SignedRange[], width: number): number =>
    ranges.reduce((sum, range) => sum + range.sign * count(times, range, width), 0)

  test('counts what is in the window once, and nothing else', () => {
    const time = fc.integer({ min: NOON - 3 * DAY_MS, max: NOON + 3 * DAY_MS })
    fc.assert(
      fc.property(time, time, fc.array(time, { maxLength: 60 }), (a, b, times) => {
        const window = { since: Math.min(a, b), until: Math.max(a, b) }
        const { whole, parts, edges } = edgesOf(window, coarse, fine)
        const counted = count(times, whole, coarse) + signed(times, parts, fine) + signed(times, edges, 1)
        expect(counted).toBe(times.filter(moment => moment >= window.since && moment < window.until).length)
      }),
    )
  })

  test('reads no more raw rows than half a bucket at the start, and less than one at the end', () => {
    const time = fc.integer({ min: 0, max: 400 * DAY_MS })
    fc.assert(
      fc.property(time, fc.integer({ min: 0, max: 30 * DAY_MS }), (since, length) => {
        const { parts, edges } = edgesOf({ since, until: since + length }, coarse, fine)
        const [start, end] = edges.map(({ from, to }) => to - from)
        expect(start).toBeLessThanOrEqual(fine / 2)
        expect(end).toBeLessThan(fine)
        const [first, last] = parts.map(({ from, to }) => to - from)
        expect(first).toBeLessThanOrEqual(coarse / fine / 2)
        expect(last).toBeLessThan(coarse / fine)
      }),
    )
  })
})

describe('wholeWindow', () => {
  const widths = fc.constantFrom(1, 60_000, 600_000, 3_600_000)

  test('takes as much of a window as whole buckets make, at each end by its own width', () => {
    fc.assert(
      fc.property(fc.nat(1e10), fc.nat(1e9), widths, widths, (since, length, first, last) => {
        const until = since + length
        const whole = wholeWindow({ since, until }, { since: first, until: last })
        expect(whole.since % first).toBe(0)
        expect(whole.since - since).toBeGreaterThanOrEqual(0)
        expect(whole.since - since).toBeLessThan(first)
        expect(whole.until).toBeGreaterThanOrEqual(whole.since)
        if (whole.until === whole.since) return
        expect(whole.until % last).toBe(0)
        expect(until - whole.until).toBeGreaterThanOrEqual(0)
        expect(until - whole.until).toBeLessThan(last)
      }),
    )
  })
})
