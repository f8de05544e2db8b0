import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const page = (name: string): string => readFileSync(join(ROOT_PATH, 'docs', name), 'utf8')
const numberIn = (text: string, pattern: RegExp): number =>
  Number(pattern.exec(text)![1]!.replaceAll(',', ''))

test('the table of runs a day follows from what was measured', () => {
  const scale = page('project/scale.md')
  const events = {
    'events, SQLite': {
      bytes: numberIn(scale, /disk per event, at 10 M \| ([\d,]+) bytes/),
      rate: numberIn(scale, /ingest, ledger of 10 M events \| ([\d,]+) events/),
    },
    'events, PostgreSQL': {
      bytes: numberIn(scale, /disk per event, at 10 M \| [^|]+\| ([\d,]+) bytes/),
      rate: numberIn(scale, /ingest, ledger of 10 M events \| [^|]+\| ([\d,]+) events/),
    },
  }
  const bytes = numberIn(scale, /a \[aggregate\][^|]+\| ([\d.]+) bytes/)
  const seconds = numberIn(scale, /import of an aggregate \| ([\d.]+) µs/) / 1e6
  const engine = numberIn(scale, /of a million runs[^|]+\| ([\d.]+) s/) / 1e6
  const [releases, models, reads] = [
    numberIn(scale, /of (\d+) releases/),
    numberIn(scale, /with (\d+) models/),
    numberIn(scale, /read (\d+) times/),
  ]
  const aggregates = releases * models * 24 * 60 + releases * 24 * 6
  const rows = [...scale.matchAll(/^\| 10\^(\d+) \|(.+)\|$/gm)].map(([, power, rest]) => [
    10 ** Number(power),
    ...rest!.split('|').map(aggregate => aggregate.trim()),
  ]) as [number, string, string, string, string][]
  expect(rows.map(([runs]) => Math.log10(runs))).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
  for (const [runs, sent, disk, busy, cores] of rows) {
    const event = events[sent as keyof typeof events]
    const isAggregates = sent === 'aggregates'
    const kept = 30 * (isAggregates ? aggregates * bytes : runs * event.bytes)
    const took = isAggregates ? reads * aggregates * seconds : runs / event.rate
    expect([disk, busy, cores]).toEqual([
      kept < 1e9 ? `${Math.round(kept / 1e6)} MB` : `${rounded(kept / 1e9)} GB`,
      rounded(took),
      isAggregates ? String(Number(((runs * engine * reads) / 86_400).toPrecision(2))) : '',
    ])
  }
})

/** With one decimal below ten. */
function rounded(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}
