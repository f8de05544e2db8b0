import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FORMAT_NAMES, nearestFormat, readReport } from '../../../../src/features/scores/rules_formats.ts'
import { csvRows } from '../../../../src/features/scores/rules_text.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

const FOLDER = join(ROOT_PATH, 'test/fixtures/scores')

/** What a runner that was killed leaves behind of a report that holds JSON in a string, here 250 kB. */
const QUOTED = JSON.stringify({
  testCases: [{ output: JSON.stringify({ a: ['"', '\\', 'b'] }).repeat(10_000) }],
})

const TEXTS = {
  ...Object.fromEntries(
    readdirSync(FOLDER).map(file => [file, readFileSync(join(FOLDER, file), 'utf8')] as const),
  ),
  'a string that holds JSON': QUOTED,
  'a CSV in quotes': `id,passed\n${'"a ""b"" c",true\n'.repeat(10_000)}`,
  'lines of JSON': '{"id": "a", "scores": {"x": NaN}}\n'.repeat(5_000),
}

/** Reads a text by each format and returns the most CPU time that one took, ms. */
function longestOf(text: string): number {
  const took = FORMAT_NAMES.map(format => {
    const begun = process.cpuUsage()
    try {
      readReport(format, text)
    } catch (error) {
      expect(error).toSatisfy(each => each instanceof SyntaxError || each instanceof RangeError)
    }
    return process.cpuUsage(begun).user / 1000
  })
  return Math.max(...took)
}

test.each(Object.entries(TEXTS))('%s that is cut off is refused in one pass by every format', (_, text) => {
  const places = Array.from({ length: 4 }, (_unused, place) => Math.floor((text.length * (place + 1)) / 5))
  for (const place of [...places, text.length - 1]) {
    const cut = text.slice(0, place)
    expect(nearestFormat(cut)).toSatisfy(found => found === undefined || FORMAT_NAMES.includes(found.format))
    // It takes about 20 ms. Reading on from each quote took a minute.
    expect(longestOf(cut)).toBeLessThan(5_000)
  }
})

test('a CSV of 100,000 columns is read in one pass', () => {
  const columns = Array.from({ length: 100_000 }, (_, column) => `c${column}`)
  const begun = process.cpuUsage()
  expect(Object.keys(csvRows(`${columns.join(',')}\n${columns.join(',')}`)[0]!)).toHaveLength(100_000)
  expect(() => csvRows(`${columns.join(',')},c7\n`)).toThrow('line 1: two columns are named "c7"')
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(5_000)
})
