import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/runtime/root.ts'
import { COMPILED } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'

const fileOf = (path: string): string => fileURLToPath(new URL(`bench/${path}`, ROOT))

/** These run in the process of the bench itself, or with one server. */
const CHOSEN = scaled(['reads', 'gate'], [])

test('every scenario of the benchmarks runs, and a quick run keeps no figures', async () => {
  const before = readFileSync(fileOf('results.json'), 'utf8')
  const child = spawn(process.execPath, [fileOf('run.ts'), '--quick', ...CHOSEN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...COMPILED },
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ])
  expect([code, stderr]).toEqual([0, ''])
  const { figures } = JSON.parse(before) as { figures: { scenario: string }[] }
  const kept = [...new Set(figures.map(({ scenario }) => scenario))]
  expect(stdout.match(/^\w+(?=: )/gm)).toEqual(expect.arrayContaining(scaled(CHOSEN, kept)))
  expect(stdout).toMatch(/^ {2}diff, 1,000 per side +\d+\.\d\d ms +\d\.\d cores busy$/m)
  expect(stdout).not.toMatch(/MISS|NaN/)
  expect(readFileSync(fileOf('results.json'), 'utf8')).toBe(before)
})
