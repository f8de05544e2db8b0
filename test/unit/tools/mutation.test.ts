import { globSync, readFileSync } from 'node:fs'
import type { MutantResult } from '@stryker-mutator/api/core'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { AREAS } from '../../../tools/mutation/areas.ts'
import { EXPLAINED } from '../../../tools/mutation/explained/explained.ts'
import { reported } from '../../../tools/mutation/survivors.ts'

const FILE = 'src/rules/webhook_target.ts'
const TEXT = readFileSync(ROOT_PATH + FILE, 'utf8')
const [LINE, COMPARED] = [TEXT.slice(0, TEXT.indexOf('parts[6] !== 0')).split('\n').length, 'parts[6] !== 0']
const COLUMN = TEXT.split('\n')[LINE - 1]!.indexOf(COMPARED) + 1

function mutant(replacement: string, status: MutantResult['status']): MutantResult {
  return {
    id: '1',
    fileName: ROOT_PATH + FILE,
    mutatorName: 'ConditionalExpression',
    location: {
      start: { line: LINE, column: COLUMN },
      end: { line: LINE, column: COLUMN + COMPARED.length },
    },
    replacement,
    status,
  }
}

test('a survivor with a reason is proven, and one without is named', () => {
  const texts = new Map([[FILE, TEXT]])
  const ends = (replacement: string): readonly string[] =>
    reported([mutant(replacement, 'Survived'), mutant('false', 'Killed')], texts).lines
  expect(ends('true').filter(line => line.includes(COMPARED))).toEqual([])
  expect(ends('(parts[6] === 0)')[0]).toBe(
    `survived: line ${LINE} of ${FILE} reachedThrough: parts[6] !== 0 → (parts[6] === 0)`,
  )
  expect(ends('true').at(-1)).toBe(
    '1 killed, 0 by time, 1 survived, 0 not covered: 50.0 % killed; 1 of 1 explained',
  )
})

test('a reason for what is killed, or for no mutant, is named', () => {
  const { lines, isProven } = reported([mutant('true', 'Killed')], new Map([[FILE, TEXT]]))
  expect(isProven).toBe(false)
  expect(lines).toContain(`explained, and killed or gone: ${FILE} reachedThrough: parts[6] !== 0 → true`)
})

test('areas and reasons are of files that there are', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT_PATH })
  const sources = Object.values(AREAS).flatMap(area => area.sources)
  expect(sources.filter(source => !files.some(file => file.startsWith(source)))).toEqual([])
  expect(Object.keys(EXPLAINED).filter(name => !files.includes(name.split(' ')[0]!))).toEqual([])
})
