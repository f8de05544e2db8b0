import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, isoTime, parseTimestamp } from '../../../src/base/time.ts'

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

test.for([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T12:00:00+0100', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T12:00:00+01', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T12:00:00-05:30', '2026-01-31T17:30:00.000Z'],
  ['2026-01-31T23:00:00-02:00', '2026-02-01T01:00:00.000Z'],
  ['2026-01-31T12:00:00+23:59', '2026-01-30T12:01:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T23:59:59.999Z', '2000-02-29T23:59:59.999Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['1970-01-01T01:00:00+01:00', '1970-01-01T00:00:00.000Z'],
  ['1969-12-31T23:30:00-01:00', '1970-01-01T00:30:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
] as const)('%s is the instant %s', ([text, iso]) => {
  expect(parseTimestamp(text)).toEqual({ ms: Date.parse(iso), text: iso })
})

test.for([
  ['.1', 100, '.100'],
  [',5', 500, '.500'],
  ['.12', 120, '.120'],
  ['.123', 123, '.123'],
  ['.1234', 123, '.1234'],
  ['.12345', 123, '.12345'],
  ['.123456', 123, '.123456'],
  ['.1234567', 123, '.1234567'],
  ['.12345678', 123, '.12345678'],
  ['.123456789', 123, '.123456789'],
  ['.1230', 123, '.1230'],
  ['.000000001', 0, '.000000001'],
  ['.999999999', 999, '.999999999'],
] as const)('a fraction of %s is %d ms and is written %s', ([fraction, ms, written]) => {
  expect(parseTimestamp(`2026-01-31T12:00:00${fraction}+01:00`)).toEqual({
    ms: Date.UTC(2026, 0, 31, 11) + ms,
    text: `2026-01-31T11:00:00${written}Z`,
  })
})

test.for([
  ['a day that does not exist', ['2026-02-30T12:00:00Z', '2026-02-29T12:00:00Z', '2026-04-31T12:00:00Z']],
  ['a leap day of a century', ['2100-02-29T12:00:00Z', '2100-02-29T12:00:00.000Z', '2100-02-29T12:00Z']],
  ['a field out of range', ['2026-13-01T12:00:00Z', '2026-00-10T12:00:00Z', '2026-01-00T12:00:00Z']],
  ['a time out of range', ['2026-01-31T24:00:00Z', '2026-01-31T12:60:00Z', '2026-01-31T25:00:00Z']],
  ['a leap second', ['2016-12-31T23:59:60Z']],
  ['an offset out of range', ['2026-01-31T12:00:00+24:00', '2026-01-31T12:00:00+01:60']],
  ['an offset in pieces', ['2026-01-31T12:00:00+01:', '2026-01-31T12:00:00+1', '2026-01-31T12:00:00+01:0']],
  ['two offsets', ['2026-01-31T12:00:00Z+01:00', '2026-01-31T12:00:00ZZ', '2026-01-31T12:00:00+01:00Z']],
  ['a date alone', ['2026-01-31', '2026-01-31Z', '2026-01', '2026']],
  ['a time alone', ['12:00:00Z', 'T12:00:00Z']],
  ['an hour without minutes', ['2026-01-31T12Z', '2026-01-31T12']],
  ['an unfinished fraction', ['2026-01-31T12:00:00.Z', '2026-01-31T12:00.5Z', '2026-01-31T12:00:00.']],
  ['a fraction finer than a nanosecond', ['2026-01-31T12:00:00.1234567891Z']],
  ['before 1970', ['1969-12-31T23:59:59.999Z', '1970-01-01T00:59:59+01:00', '0001-01-01T00:00:00Z']],
  ['a year of two digits in disguise', ['0099-01-01T00:00:00Z', '0070-01-01T00:00:00Z']],
  ['past 9999', ['10000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00']],
  ['a negative year', ['-000001-01-01T00:00:00Z', '-2026-01-31T12:00:00Z']],
  ['epoch numbers', ['1769860800', '1769860800000', '0']],
  ['other formats', ['Sat, 31 Jan 2026 12:00:00 GMT', '31.01.2026 12:00', '2026/01/31 12:00:00', 'now']],
  ['blanks around or within', [' 2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z\n', '2026-01-31T12:00:00 Z']],
  ['nothing', ['', ' ', '\0']],
  ['digits of other scripts', ['２０２６-01-31T12:00:00Z']],
] as const)('%s is refused', ([, texts]) => {
  expect(texts.filter(text => parseTimestamp(text) !== undefined)).toEqual([])
})

test('every instant that is written can be read again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_MS }), ms => {
      expect(parseTimestamp(isoTime(ms))).toEqual({ ms, text: isoTime(ms) })
    }),
  )
})

test('a time is written as Date writes it, whatever was written before', () => {
  const near = fc.integer({ min: -3, max: 3 })
  const ofDays = fc.tuple(fc.integer({ min: -800_000, max: 3_000_000 }), near)
  const time = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    ofDays.map(([day, ms]) => day * 24 * HOUR_MS + ms),
    fc.double({ min: -2e12, max: 2e12, noNaN: true }),
    fc.constantFrom(0, -0, 0.5, -0.5, 8.64e15, -8.64e15),
  )
  fc.assert(
    fc.property(time, near, (ms, later) => {
      for (const own of [ms, Math.max(-8.64e15, Math.min(8.64e15, ms + later)), ms])
        expect(isoTime(own)).toBe(new Date(own).toISOString())
    }),
    { numRuns: 2000 },
  )
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1]) {
    expect(() => isoTime(none)).toThrow(RangeError)
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
  }
})

test('what looks like an instant is read as Date reads it, which is asked to write it again', () => {
  const number = (digits: number, max: number): fc.Arbitrary<string> =>
    fc.integer({ min: 0, max }).map(value => `${value}`.padStart(digits, '0'))
  const date = fc.tuple(
    fc.integer({ min: 1968, max: 2110 }).map(String),
    number(2, 13),
    fc.oneof(number(2, 32), fc.constantFrom('28', '29', '30', '31')),
  )
  const time = fc.tuple(number(2, 25), number(2, 61), number(2, 61))
  fc.assert(
    fc.property(date, time, number(3, 999), fc.boolean(), (day, clock, fraction, isFine) => {
      const whole = `${day.join('-')}T${clock.join(':')}`
      const [text, iso] = [
        `${whole}${isFine ? `.${fraction}` : ''}Z`,
        `${whole}.${isFine ? fraction : '000'}Z`,
      ]
      const ms = Date.parse(iso)
      const isInstant = ms >= 0 && isoTime(ms) === iso
      expect(parseTimestamp(text)).toEqual(isInstant ? { ms, text: iso } : undefined)
    }),
    { numRuns: 2000 },
  )
})

test.for(['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.789Z'])(
  '%s with a letter in any place is refused',
  text => {
    const changed = Array.from(text, (_, place) => `${text.slice(0, place)}x${text.slice(place + 1)}`)
    expect(changed.filter(other => parseTimestamp(other) !== undefined)).toEqual([])
  },
)

test('the text of an instant reads as the same instant, down to the nanosecond', () => {
  const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_MS }), fraction, (ms, digits) => {
      const instant = parseTimestamp(`${isoTime(ms).slice(0, 19)}.${digits}Z`)!
      expect(parseTimestamp(instant.text)).toEqual(instant)
      expect(instant.text).toContain(`.${digits}`)
    }),
  )
})

test('an offset moves the clock, not the instant', () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  const separator = fc.constantFrom(':', '')
  fc.assert(
    fc.property(fc.integer({ min: 2 * HOUR_MS * 24, max: 4e12 }), offset, separator, (ms, minutes, colon) => {
      const local = isoTime(ms + minutes * MINUTE_MS).slice(0, -1)
      const sign = minutes < 0 ? '-' : '+'
      const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(n =>
        `${n}`.padStart(2, '0'),
      )
      expect(parseTimestamp(`${local}${sign}${h}${colon}${m}`)).toEqual({ ms, text: isoTime(ms) })
    }),
  )
})

test('instants without an offset are ordered as their texts are', () => {
  const instants = fc.integer({ min: 0, max: LAST_MS })
  fc.assert(
    fc.property(instants, instants, (a, b) => {
      expect(isoTime(a) < isoTime(b)).toBe(a < b)
    }),
  )
})
