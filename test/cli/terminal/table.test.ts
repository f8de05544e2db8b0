import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Layout, aligned } from '../../../src/cli/terminal/table.ts'
import { atTerminal, twoReleases } from '../../support/processes/cli.ts'

describe('columns', () => {
  const LINES = [
    ['id', 'name', 'reason'],
    ['rel_0123456789ab', 'a', 'the one and only'],
  ]

  test.each<[room: number | undefined, shown: string]>([
    [undefined, 'id                name  reason\nrel_0123456789ab  a     the one and only\n'],
    [40, 'id                name  reason\nrel_0123456789ab  a     the one and only\n'],
    [33, 'id                name  reason\nrel_0123456789ab  a     the one …\n'],
    [32, 'id                name  reason\nrel_0123456789ab  a     the one…\n'],
    [31, 'id                name\nrel_0123456789ab  a\n'],
    [10, 'id\nrel_0123456789ab\n'],
  ])('in %j cells', (room, shown) => {
    expect(aligned(LINES, [{ whole: true }], room)).toBe(shown)
  })

  test('of the highest rank are left out first', () => {
    expect(aligned(LINES, [{ rank: 2 }, { rank: 0 }, { rank: 1 }], 15)).toBe(
      'name  reason\na     the one …\n',
    )
  })

  test('are right-aligned where they are numbers, and count what East Asian scripts take', () => {
    expect(aligned([['名前', '1'], ['a', '100']], [{}, { right: true }])).toBe('名前    1\na     100\n') // prettier-ignore
    expect(aligned([['名前名前名前']], [{}], 8)).toBe('名前名…\n')
  })

  test('fit any room that holds the first of them', () => {
    const layout = fc.record({ whole: fc.boolean(), right: fc.boolean(), rank: fc.nat(9) })
    const lines = fc.integer({ min: 1, max: 6 }).chain(columns => {
      const cell = fc.string({ unit: fc.constantFrom('a', 'b ', '漢', 'é'), maxLength: 30 })
      const line = fc.array(cell, { minLength: columns, maxLength: columns })
      return fc.array(line, { minLength: 1, maxLength: 4 })
    })
    fc.assert(fc.property(lines, fc.array(layout, { maxLength: 6 }), fc.integer({ min: 60, max: 90 }), fits))
  })
})

function fits(lines: readonly string[][], layouts: readonly Layout[], room: number): void {
  for (const line of aligned(lines, layouts, room).split('\n')) {
    const cells = [...line].length + (line.match(/漢/g)?.length ?? 0)
    expect(cells).toBeLessThanOrEqual(room)
  }
}

test('every listing has a heading at a terminal, and fits 60 columns', async () => {
  const { workspace, baseline, candidate } = await twoReleases()
  const { folder, ok } = workspace
  const decision = ['--env', 'local', '--window', '1h', '--reason', 'a reason that is told at some length']
  await ok('release', 'promote', baseline, ...decision)
  await ok('release', 'promote', candidate, ...decision)
  const url = 'https://hooks.example.com/a/path/of/some/length'
  const events = ['--event', 'promote.succeeded', '--event', 'rollback.succeeded']
  const added = await ok('webhook', 'add', '--url', url, ...events, '--description', 'the one that deploys')
  const [webhook] = added.split('\n')
  const shown = {
    history: await atTerminal(60, folder, 'release', 'history'),
    releases: await atTerminal(60, folder, 'release', 'list'),
    promoted: await atTerminal(60, folder, 'release', 'promoted'),
    webhooks: await atTerminal(60, folder, 'webhook', 'list'),
    runs: await atTerminal(60, folder, 'runs', 'list', baseline, '--window', '1h'),
    diff: await atTerminal(60, folder, 'release', 'diff', baseline, candidate, '--window', '1h'),
  }
  expect(shown.history.split('\n')[0]).toBe('seq  when (UTC)        action   result      release')
  expect(shown.history).toContain(`promote  passed      ${candidate}\n`)
  expect(shown.releases.split('\n')[0]).toMatch(/^release +agent +version +env +registered \(UTC\)$/)
  expect(shown.promoted).toMatch(new RegExp(`^agent .*\nbot +local +${candidate} +2 `))
  expect(shown.webhooks).toMatch(new RegExp(`^webhook +url +events.*\n${webhook} +https://hoo`))
  expect(shown.runs).toMatch(/^timestamp +run_id +tenant/)
  for (const [name, text] of Object.entries(shown)) {
    // The heading of a diff and what the policy says of it are sentences, which a terminal wraps.
    const lines = name === 'diff' ? text.split('\n').slice(2, 10) : text.split('\n')
    for (const line of lines) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(60)
  }
})
