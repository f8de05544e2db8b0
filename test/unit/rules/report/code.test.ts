import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { code } from '../../../../src/rules/report/report.ts'

describe('a name in Markdown', () => {
  test.each([
    ['1.4.0', '`1.4.0`'],
    ['|<img src=x onerror=alert(1)>', '`|<img src=x onerror=alert(1)>`'],
    ['@everyone [a](b) #1', '`@everyone [a](b) #1`'],
    ['a`b', '`` a`b ``'],
    ['```', '```` ``` ````'],
    ['`', '`` ` ``'],
    ['', '(blank)'],
    [' ', '(blank)'],
    [
      'a\nb\r# c',
      String.raw`\u000ab`
        .replace('', '`a')
        .replace('b', String.raw`b\u000d# c`)
        .concat('`'),
    ],
    ['\u202Eevil', '`\\u202eevil`'],
    ['x'.repeat(1000), `\`${'x'.repeat(80)}…\``],
    ['😀'.repeat(81), `\`${'😀'.repeat(80)}…\``],
  ])('%j is %j', (text, written) => {
    expect(code(text)).toBe(written)
  })

  test('is one code span, whatever it holds, and short', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('`', '\\', '|', '<', 'a', ' ', '\n', '*'), maxLength: 90 }),
        text => {
          const written = code(text)
          expect(written).not.toMatch(/[\n\r]/)
          if (written === '(blank)') return
          const fence = /^`+/.exec(written)![0]
          const inner = written.slice(fence.length, -fence.length)
          expect(written.endsWith(fence)).toBe(true)
          // A run of as many backticks would end it early (CommonMark, 6.1).
          for (const [run] of inner.matchAll(/`+/g)) expect(run.length).not.toBe(fence.length)
          expect(inner).not.toMatch(/^`|`$/)
          expect(written.length).toBeLessThan(800)
        },
      ),
    )
  })
})
