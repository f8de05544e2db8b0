import { expect, test } from 'vitest'
import { serverLog } from '../../../src/runtime/log.ts'

test.each([
  ['a line break', 'x\n2026-11-20T14:00:00.000Z POST /v1/promote 200 1 ms'],
  ['an escape sequence', 'x\u001B]0;title\u0007\u001B[2J'],
  ['a control character of eight bits', 'x\u009B2J'],
  ['a line separator', 'x\u2028y'],
  ['a pair of its own', 'x request_id=forged'],
])('%s in what a request carried stays within its line and its quotes', (_what, value) => {
  const lines: string[] = []
  serverLog(
    'text',
    line => lines.push(line),
    () => 0,
  ).log('warn', 'odd event', { run_id: value, n: 1 })
  expect(lines).toHaveLength(1)
  // oxlint-disable-next-line eslint/no-control-regex -- these are what must not come through
  expect(lines[0]).toMatch(/^[^\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029]*\n$/)
  expect(lines[0]).toMatch(/^1970-01-01T00:00:00\.000Z warn odd event run_id="x.*" n=1\n$/)
})

test('plain words stand without quotes', () => {
  const lines: string[] = []
  serverLog(
    'text',
    line => lines.push(line),
    () => 0,
  ).log('info', 'done', { request_id: 'a-1.b:c', ms: 2 })
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z info done request_id=a-1.b:c ms=2\n'])
})
