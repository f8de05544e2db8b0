import { array, assert, double, integer, maxSafeNat, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import {
  SumTable,
  type PackedRow,
  WIDTH,
  addPacked,
  packedText,
} from '../../../../src/features/segments/rules_tables.ts'

const sum = tuple(maxSafeNat(), integer({ min: 0, max: 40 })).map(([n, shift]) =>
  shift > 20 ? n : n % 2 ** shift,
)
const row = tuple(
  integer({ min: 0, max: 30 }),
  integer({ min: 1, max: 3 }),
  array(sum, { minLength: WIDTH, maxLength: WIDTH }),
  integer({ min: 0, max: 1 }),
).map(([segment, variant, sums, hasFailed]): PackedRow => [
  segment,
  variant,
  ...sums.map((own, index) => (index < 14 || hasFailed === 1 ? own : 0)),
])

test('a text holds what rows hold, to the last bit, and is added to what is there', () => {
  assert(
    property(array(row, { maxLength: 60 }), rows => {
      const ordered = rows.toSorted(([a], [b]) => a - b)
      const [packed, added] = [new SumTable(), new SumTable()]
      const text = packedText(ordered)!
      addPacked(text, packed)
      addPacked(text, packed)
      for (const [segment, variant, ...sums] of [...ordered, ...ordered]) {
        const at = added.at(segment, variant)
        for (const [index, own] of sums.entries()) added.sums[at + index]! += own
      }
      expect(packed.size).toBe(added.size)
      for (const [segment, slots] of added.segments) {
        for (const { variant, at } of slots) {
          const other = packed.at(segment, variant)
          expect(packed.sums.slice(other, other + WIDTH)).toEqual(added.sums.slice(at, at + WIDTH))
        }
      }
    }),
  )
})

const ONE = Array.from({ length: WIDTH }, () => 1)

test('sums past those that are exact are held as the doubles that they are', () => {
  assert(
    property(double({ min: 2 ** 53, max: Number.MAX_VALUE, noNaN: true }), large => {
      const table = new SumTable()
      addPacked(packedText([[1, 1, ...ONE.with(8, large)]])!, table)
      expect(table.sums[8]).toBe(large)
    }),
  )
})

test.each([
  ['a fraction', ONE.with(4, 0.5)],
  ['a sum below 0', ONE.with(5, -1)],
  ['a sum without an end', ONE.with(8, Infinity)],
])('%s is not packed', (_, sums) => {
  expect(packedText([[1, 1, ...sums]])).toBeUndefined()
})
