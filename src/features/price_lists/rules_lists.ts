import type { ListedPrice, PriceList } from './rules_source.ts'
import type { Fields } from '../../models/checks.ts'

/** Readers of price lists, by the name of the list. `today` is an ISO date. */
export const PRICE_LISTS = {
  litellm: litellm,
  'genai-prices': genaiPrices,
} as const satisfies Readonly<
  Record<string, (document: unknown, provider: string, today: string) => PriceList>
>

const GENERATING: ReadonlySet<unknown> = new Set(['chat', 'responses', 'completion'])

/** `model_prices_and_context_window.json` of LiteLLM: USD per token, by model, and the days on which models end. */
function litellm(document: unknown, provider: string): PriceList {
  const prices = Object.entries(objectOf(document)).flatMap(([listed, value]): ListedPrice[] => {
    const entry = objectOf(value)
    if (entry.litellm_provider !== provider) return []
    const [tier] = Array.isArray(entry.tiered_pricing) ? (entry.tiered_pricing as unknown[]) : []
    const price = { ...objectOf(tier), ...entry }
    const { input, output, ...rates } = ratesOf(
      price,
      ['input_cost_per_token'],
      ['output_cost_per_token'],
      ['cache_read_input_token_cost', 'input_cost_per_token_cache_hit'],
      ['cache_creation_input_token_cost'],
    )
    const hasOutput = entry.mode !== 'embedding'
    const isCounted = GENERATING.has(entry.mode) || !hasOutput
    return [
      {
        listed,
        model: withoutProvider(listed, provider),
        ...rates,
        input: isCounted ? input : undefined,
        output: hasOutput ? output : '0',
        hasOutput,
        mode: isCounted ? undefined : textOf(entry.mode),
        fields: Object.keys(price).filter(name => PRICE.test(name) && costs(price[name])),
        ends: textOf(entry.deprecation_date),
      },
    ]
  })
  return { prices, places: 3 }
}

/** Without the prefix by which LiteLLM routes: `vertex_ai/` of the provider `vertex_ai-language-models` too. */
function withoutProvider(model: string, provider: string): string {
  const prefix = model.slice(0, model.indexOf('/'))
  const isOwn = prefix !== '' && `${provider}-`.startsWith(`${prefix}-`)
  return isOwn ? model.slice(prefix.length + 1) : model
}

/** `prices/new_data/v2/data.json` of genai-prices: USD per million tokens, by provider. It has no days on which models end. */
function genaiPrices(document: unknown, provider: string, today: string): PriceList {
  const list = Array.isArray(document) ? (document as unknown[]) : objectOf(document).providers
  const found = (Array.isArray(list) ? (list as unknown[]) : [])
    .map(objectOf)
    .find(({ id }) => id === provider)
  const models = Array.isArray(found?.models) ? (found.models as unknown[]) : []
  const prices = models.map(objectOf).map(({ id, prices: given }): ListedPrice => {
    const { price, isTimed } = inForce(given, today)
    const rates = ratesOf(price, ['input_mtok'], ['output_mtok'], ['cache_read_mtok'], ['cache_write_mtok'])
    return {
      listed: String(id),
      model: String(id),
      hasOutput: true,
      fields: Object.keys(price).filter(name => costs(price[name])),
      ...rates,
      unheld: isTimed ? [...rates.unheld, OFF_PEAK] : rates.unheld,
    }
  })
  return { prices, places: -3 }
}

type RateNames = readonly string[]

/** Of a LiteLLM or genai-prices field; Databricks' own units are no money. */
const PRICE = /^(?!.*_dbu_).*(?:cost|pricing|_mtok$|_kcount$)/

const LONG = 'long context'
const OFF_PEAK = 'off-peak hours'

/** Parts of a price that a table has no field for: the first that fits a field's name. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/audio/, 'audio'],
  [/image|video|character/, 'images and video'],
  [/reasoning/, 'reasoning'],
  [/_(?:batches|priority|flex|balanced|ultrafast|decisions)$/, 'batches and service tiers'],
  [/_above_\d+hr|_write_\dh/, 'cache of an hour or more'],
  [/_above_|tiered/, LONG],
  [/_per_|citation|_kcount$/, 'requests, searches and time'],
  [/off_peak/, OFF_PEAK],
]

/** The part that a field prices, or its own name. */
function partOf(name: string): string {
  return PARTS.find(([pattern]) => pattern.test(name))?.[1] ?? name
}

/** Whether a price, or one within it, is more than 0. */
function costs(value: unknown): boolean {
  return typeof value === 'string' ? Number(value) > 0 : Object.values(objectOf(value)).some(costs)
}

/** The four rates that a table holds, each by the first of its names that is there, and what else has a price. */
function ratesOf(price: Fields, ...names: readonly [RateNames, RateNames, RateNames, RateNames]) {
  const rates = names.map(of => of.map(name => price[name]).find(rate => rate != null))
  const [input, output, cached, written] = rates.map(rate => textOf(baseOf(rate)))
  const others = Object.entries(price).filter(
    ([name, rate]) => !names.some(of => of.includes(name)) && PRICE.test(name) && costs(rate),
  )
  const isOther = ([name, rate]: readonly [string, unknown]): boolean =>
    rate !== (name.startsWith('output') ? output : input)
  const unheld = others.filter(isOther).map(([name]) => partOf(name))
  return { input, output, cached, written, unheld: rates.some(isTiered) ? [...unheld, LONG] : unheld }
}
/** Returns the last entry of a dated list that holds, or one that costs more for some hours: a table has one price for all hours. */
function inForce(given: unknown, today: string): { readonly price: Fields; readonly isTimed: boolean } {
  if (!Array.isArray(given)) return { price: objectOf(given), isTimed: false }
  const entries = (given as unknown[]).map(objectOf)
  const holds = ({ constraint }: Fields): boolean => {
    if (constraint == null) return true
    const { start_date } = objectOf(constraint)
    return typeof start_date === 'string' && start_date <= today
  }
  const timed = entries.filter(({ constraint }) => objectOf(constraint).start_time !== undefined)
  const prices = [entries.findLast(holds), ...timed].map(entry => objectOf(entry?.prices))
  const inputOf = ({ input_mtok }: Fields): number => Number(textOf(baseOf(input_mtok)) ?? 0)
  return {
    price: prices.reduce((dearest, price) => (inputOf(price) > inputOf(dearest) ? price : dearest)),
    isTimed: timed.length > 0,
  }
}

/** The whole of a request pays a tier's rate; below all tiers it is the base. */
function baseOf(rate: unknown): unknown {
  return isTiered(rate) ? (rate as Fields).base : rate
}

function isTiered(rate: unknown): boolean {
  return typeof rate === 'object' && rate !== null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
