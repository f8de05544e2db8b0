import { expect, test } from 'vitest'
import { otherModelOf, otherModelText } from '../../../../src/features/live/rules_models.ts'

/** What is found where so many runs came in the last hour, and in each hour of the day before. */
const found = (perHour: number, ...answered: (readonly [name: string, hour: number, day: number])[]) =>
  otherModelOf(
    answered.map(([name, last_hour, last_day]) => ({ name, last_hour, last_day })),
    hours => perHour * hours,
  )

test.each([
  ['two runs', 60, 2, 2],
  ['less than one run in a hundred', 400, 3, 3],
  ['runs of other hours, where the last one has many', 60, 0, 60],
  ['one run in a hundred of a day, where the last hour has few', 20, 4, 4],
] as const)('%s are no finding', (_, perHour, hour, day) => {
  expect(found(perHour, ['m9', hour, day])).toBeUndefined()
})

test('the model that answered most is named, over a day where the last hour has few runs', () => {
  const most = found(60, ['m8', 3, 70], ['m9', 12, 12])!
  expect(most).toEqual({ model: 'm9', runs: 12, of: 60, hours: 1 })
  expect(otherModelText(most)).toBe(
    'm9 answered 12 of 60 runs of the last hour, and the release does not declare it',
  )
  expect(otherModelText(found(20, ['', 0, 480])!)).toBe(
    'another model answered 480 of 480 runs of the last 24 hours, and the release does not declare it',
  )
})
