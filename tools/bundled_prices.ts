import { readFileSync, writeFileSync } from 'node:fs'
import { parseDocument, stringify } from 'yaml'
import { parseDecimals, shifted } from '../src/base/numbers.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

/**
 * Renews the price tables that ship:
 *   node tools/bundled_prices.ts FILE DATE
 * FILE is `{source, models}` in JSON, a model as `{provider, model, input_usd_per_1m_tokens, output_usd_per_1m_tokens,
 * cached_input_usd_per_1m_tokens, cache_write_input_usd_per_1m_tokens, tiered, deprecated}`; DATE is when they were in
 * force. The catalog's versions and tariffs follow: a slot's tariff is the median of its models' prices.
 */
const [file, date] = process.argv.slice(2)
if (file === undefined || !/^\d{4}-\d\d-\d\d$/.test(date ?? '')) {
  throw new Error('usage: node tools/bundled_prices.ts FILE DATE')
}

interface Listed {
  readonly provider: string
  readonly model: string
  readonly tiered: boolean
  readonly [rate: `${string}_usd_per_1m_tokens`]: string | null
}

const { source, models } = parseDecimals(readFileSync(file, 'utf8')) as {
  source: string
  models: readonly Listed[]
}
const VERSION = `svc-bundled-${date}`
const RATES = ['input', 'output', 'cached_input', 'cache_write_input'] as const

for (const [provider, listed] of Map.groupBy(models, ({ provider: name }) => name)) {
  const entries = listed
    .toSorted((a, b) => (a.model < b.model ? -1 : 1))
    .map(entry => ({ model: entry.model, ...ratesOf(entry) }))
  const text = stringify({ provider, pricing_version: VERSION, entries })
  writeFileSync(`${ROOT_PATH}src/prices/${provider}.yaml`, headOf(listed) + text)
  process.stdout.write(`${provider}: ${entries.length} models\n`)
}

renewCatalog()

/** The rest of the catalog, and its comments, stay. */
function renewCatalog(): void {
  const path = `${ROOT_PATH}src/prices/catalog.yaml`
  const document = parseDocument(readFileSync(path, 'utf8'))
  const { mappings, tariffs } = document.toJS() as {
    mappings: readonly { provider: string; model: string; catalog_slot_id: string }[]
    tariffs: Readonly<Record<string, object>>
  }
  document.set('catalog_version', VERSION)
  for (const [index, { provider, model }] of mappings.entries()) {
    document.setIn(['mappings', index, 'pricing_version'], VERSION)
    if (!models.some(entry => entry.provider === provider && entry.model === model)) {
      throw new Error(`the catalog maps ${provider} ${model}, of which the file says nothing`)
    }
  }
  for (const slot of Object.keys(tariffs)) {
    const members = mappings.filter(({ catalog_slot_id }) => catalog_slot_id === slot)
    const listed = models.filter(entry =>
      members.some(({ provider, model }) => provider === entry.provider && model === entry.model),
    )
    for (const rate of RATES.slice(0, 3)) {
      const prices = listed.map(entry => ratesOf(entry)[`${rate}_usd_per_1k_tokens`])
      const middle = median(prices.filter(price => price !== undefined))
      document.setIn(['tariffs', slot, `${rate}_usd_per_1k_tokens`], Number(middle.toPrecision(12)))
    }
  }
  writeFileSync(path, document.toString({ lineWidth: 110 }))
}

function median(prices: readonly number[]): number {
  const sorted = prices.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}

/** Cached input costs what other input costs where the list has no price of its own for it: it isn't free. */
function ratesOf(entry: Listed): Record<string, number> {
  const { input_usd_per_1m_tokens: input, cached_input_usd_per_1m_tokens: cached } = entry
  const listed: Listed = { ...entry, cached_input_usd_per_1m_tokens: cached ?? input ?? null }
  const given = RATES.map(rate => [rate, listed[`${rate}_usd_per_1m_tokens`]] as const)
  return Object.fromEntries(
    given.flatMap(([rate, text]) => (text == null ? [] : [[`${rate}_usd_per_1k_tokens`, shifted(text, -3)]])),
  )
}

function headOf(listed: readonly Listed[]): string {
  const tiered = listed.filter(entry => entry.tiered).map(({ model }) => model)
  const lines = [
    `List prices of ${listed[0]!.provider} models, USD per 1,000 tokens, as of ${date}; illustrative.`,
    `Source: ${source.split(';')[0]}, which states USD per 1,000,000 tokens.`,
    ...(tiered.length === 0
      ? []
      : ['Base prices of models that cost more above some length:', ...wrapped(tiered)]),
  ]
  return lines.map(line => `# ${line}\n`).join('')
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = ['']
  for (const name of names) {
    const last = lines.at(-1)!
    if (last.length + name.length > 100) lines.push(name)
    else lines[lines.length - 1] = last === '' ? name : `${last}, ${name}`
  }
  return lines
}
