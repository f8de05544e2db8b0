import { type Format, percent, usd } from './format.ts'

/** Three digits of an amount: what it takes to tell a cost from its limit at a glance. */
const amount: Format = value => (Math.abs(value) < 1 ? `$${value.toPrecision(3)}` : usd(value))

const milliseconds: Format = value => `${Math.round(value)} ms`

/** What the contract names a figure by, what readers do, and how it is written. */
const FIGURES: Readonly<Record<string, readonly [name: string, format: Format]>> = {
  cost_per_run_usd: ['Cost', amount],
  latency_ms_avg: ['Latency', milliseconds],
  error_rate: ['Errors', percent],
}

const OVER = /^candidate (\w+) (-?[\d.]+) exceeds max (-?[\d.]+)$/

/** A reason of the policy as one reads it at a glance; undefined where its own words are that already. */
export function reasonWords(reason: string): string | undefined {
  const [, name = '', value, limit] = OVER.exec(reason) ?? []
  const known = FIGURES[name]
  if (known === undefined) return undefined
  const [label, format] = known
  const [is, most] = [Number(value), Number(limit)]
  const over = most > 0 ? ` (${Math.round((is / most - 1) * 100)} % over)` : ''
  return `${label} ${format(is)}, limit ${format(most)}${over}`
}
