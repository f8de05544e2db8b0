import type { ListedPrice, PriceList } from './rules_source.ts'

type Json = Readonly<Record<string, unknown>>

/** Readers of price lists, by the name of the list. `today` is an ISO date. */
export const PRICE_LISTS = {
  litellm: litellm,
  'genai-prices': genaiPrices,
} as const satisfies Readonly<
  Record<string, (document: unknown, provider: string, today: string) => PriceList>
>

const MODES: ReadonlySet<unknown> = new Set(['chat', 'responses', 'completion'])

/**
 * `model_prices_and_context_window.json` of LiteLLM: USD per token, by model, and the days on which models end. Prices of batches and of other classes of
 * service are left out.
 */
function litellm(document: unknown, provider: string): PriceList {
  const prices = Object.entries(objectOf(document)).flatMap(([model, value]): ListedPrice[] => {
    const entry = objectOf(value)
    if (entry.litellm_provider !== provider || !MODES.has(entry.mode)) return []
    return [
      {
        model,
        input: textOf(entry.input_cost_per_token),
        output: textOf(entry.output_cost_per_token),
        cached: textOf(entry.cache_read_input_token_cost),
        written: textOf(entry.cache_creation_input_token_cost),
        isBase: Object.keys(entry).some(name => /^(?:in|out)put_cost_per_token_above_/.test(name)),
        ends: textOf(entry.deprecation_date),
      },
    ]
  })
  return { prices, places: 3 }
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
    const rates = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'].map(
      name => price[name],
    )
    const [input, output, cached, written] = rates.map(rate => textOf(baseOf(rate)))
    return { model: String(id), input, output, cached, written, isBase: isTimed || rates.some(isTiered) }
  })
  return { prices, places: -3 }
}

/** Of a dated list the last entry that holds; one for some hours of the day alone never does. */
function inForce(given: unknown, today: string): { readonly price: Json; readonly isTimed: boolean } {
  if (!Array.isArray(given)) return { price: objectOf(given), isTimed: false }
  const entries = (given as unknown[]).map(objectOf)
  const holds = ({ constraint }: Json): boolean => {
    if (constraint == null) return true
    const { start_date } = objectOf(constraint)
    return typeof start_date === 'string' && start_date <= today
  }
  return {
    price: objectOf(entries.findLast(holds)?.prices),
    isTimed: entries.some(({ constraint }) => objectOf(constraint).start_time !== undefined),
  }
}

/** The whole of a request pays a tier's rate; below all tiers it is the base. */
function baseOf(rate: unknown): unknown {
  return isTiered(rate) ? (rate as Json).base : rate
}

function isTiered(rate: unknown): boolean {
  return typeof rate === 'object' && rate !== null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
