import { expect, test } from 'vitest'
import { isTimeZone, isWithinWeekly, parseWeekly, timeOfWeek } from '../../../src/base/weekly.ts'

const HOUR = 3_600_000

test.each([
  ['mon 00:00', 0],
  ['Tue 01:30', 25.5 * HOUR],
  ['sun 23:59', 7 * 24 * HOUR - 60_000],
  ['fri 24:00', undefined],
  ['fri 16:0', undefined],
  ['friday 16:00', undefined],
  ['16:00', undefined],
] as const)('%s is %s ms into the week', (text, expected) => {
  expect(parseWeekly(text)).toBe(expected)
})

test.each([
  // A Saturday in January, and one in July, when Berlin is two hours ahead.
  ['2026-01-31T12:00:00.000Z', 'UTC', 'sat 12:00'],
  ['2026-01-31T12:00:00.000Z', 'Europe/Berlin', 'sat 13:00'],
  ['2026-07-04T12:00:00.000Z', 'Europe/Berlin', 'sat 14:00'],
  ['2026-02-01T23:30:00.000Z', 'Europe/Berlin', 'mon 00:30'],
  ['2026-02-02T04:30:00.000Z', 'America/New_York', 'sun 23:30'],
] as const)('%s in %s is %s', (at, zone, expected) => {
  expect(timeOfWeek(Date.parse(at), zone)).toBe(parseWeekly(expected))
  expect(timeOfWeek(Date.parse(at) + 1, zone)).toBe(parseWeekly(expected)! + 1)
})

test.each([
  [4, 2, 6, true],
  [2, 2, 6, true],
  [6, 2, 6, false],
  [7, 6, 2, true],
  [1, 6, 2, true],
  [2, 6, 2, false],
] as const)('%s is within %s to %s: %s', (at, from, to, expected) => {
  expect(isWithinWeekly(at, from, to)).toBe(expected)
})

test('a time zone is one that is known', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false])
})
