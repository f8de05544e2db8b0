import { counted, firstFew, similarNames } from '../../base/text.ts'
import { parseDateOrTimestamp } from '../../base/time.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { shifted } from '../../base/numbers.ts'

/** What a price list says of one model: decimal texts in the list's own unit. */
export interface ListedPrice {
  /** The name in the list. */
  readonly listed: string
  /** The name that the provider answers by. */
  readonly model: string
  readonly input: string | undefined
  readonly output: string | undefined
  readonly cached: string | undefined
  readonly written: string | undefined
  /** Whether it generates: what makes embeddings has no output that costs. */
  readonly hasOutput: boolean
  /** What it does in place of that, as the list calls it: it can't be in a table. */
  readonly mode?: string | undefined
  /** The fields that price it in the list. */
  readonly fields: readonly string[]
  /** What else it charges for: what is here leaves that out. */
  readonly unheld: readonly string[]
  /** The day on which it is switched off, as the list writes it. */
  readonly ends?: string | undefined
}

/** A price list that others keep. */
export interface PriceList {
  readonly prices: readonly ListedPrice[]
  /** Places that the decimal point moves from its unit to USD per 1,000 tokens. */
  readonly places: number
}

export interface ListFilter {
  /** Names, in the list's spelling or the provider's; none for all. */
  readonly models: readonly string[]
  readonly allowFree: boolean
}

/**
 * Entries of a price table. Of all models of a provider those without a price are left out, and those that are free, unless
 * that is allowed. Throws RangeError with a sentence where a named model is one of these or not in the list, or none is left.
 */
export function entriesOf(
  { prices: given, places }: PriceList,
  { models, allowFree }: ListFilter,
): { entries: PricingEntry[]; warnings: string[] } {
  if (given.length === 0) throw new RangeError('the list has no models of this provider')
  const prices = allowFree ? given : given.map(withoutFreeCache)
  const isUnpriced = ({ input, output }: ListedPrice): boolean => !input || !output
  const isFree = (price: ListedPrice): boolean =>
    !isUnpriced(price) && !allowFree && (isZero(price.input) || (price.hasOutput && isZero(price.output)))
  const isUsable = (price: ListedPrice): boolean => !isUnpriced(price) && !isFree(price)
  const by = (key: 'listed' | 'model'): Map<string, ListedPrice> =>
    new Map([...prices, ...prices.filter(isUsable)].map(price => [price[key], price]))
  const byModel = by('model')
  const named = new Map([...by('listed'), ...byModel])
  const missing = models.filter(model => !named.has(model))
  if (missing.length > 0) {
    const [meant] = similarNames(missing[0]!, named.keys(), 1)
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
    throw new RangeError(`the list has no ${firstFew(missing)} of this provider${hint}`)
  }
  const all = models.length === 0 ? prices : models.map(model => named.get(model)!)
  const wanted = [...new Map(all.map(({ model }) => [model, byModel.get(model)!])).values()]
  const [unpriced, free, usable] = [isUnpriced, isFree, isUsable].map(is => wanted.filter(is)) as [
    ListedPrice[],
    ListedPrice[],
    ListedPrice[],
  ]
  const left = [...unpricedGroups(unpriced), ...groupOf(free, 'at a price of 0 (--allow-free takes them)')]
  if (left.length > 0 && (models.length > 0 || usable.length === 0))
    throw new RangeError(`the list has ${left.join(', and ')}`)
  const uncached = usable.filter(({ cached, hasOutput }) => cached === undefined && hasOutput)
  const odd = usable.filter(({ ends }) => ends !== undefined && !isDay(ends))
  return {
    entries: usable.map(price => entryOf(price, places)).sort((a, b) => (a.model < b.model ? -1 : 1)),
    warnings: [
      ...left.map(what => `left out ${what}`),
      ...groupOf(uncached, 'whose cached input costs what other input costs, for lack of a price of its own'),
      ...unheldWarnings(usable),
      ...(odd.length === 0
        ? []
        : [
            `the list has no date such as 2026-01-31 for the end of ${firstFew(odd.map(({ model }) => model))}`,
          ]),
    ],
  }
}

function groupOf(prices: readonly ListedPrice[], what: string): string[] {
  if (prices.length === 0) return []
  return [`${counted(prices.length, 'model')} ${what}: ${firstFew(prices.map(({ model }) => model))}`]
}

/** What has no price per token or is of no use for runs, with the fields that price it. */
function unpricedGroups(prices: readonly ListedPrice[]): string[] {
  const byMode = Map.groupBy(prices, ({ mode }) => mode)
  return [...byMode].flatMap(([mode, of]) => {
    const fields = [...new Set(of.flatMap(price => price.fields))]
    const by = fields.length === 0 ? '' : ` (priced by ${firstFew(fields)})`
    const what = mode === undefined ? 'without a price per token for input or output' : `for ${mode}`
    return groupOf(of, what).map(text => text + by)
  })
}

/** Names each part of a price that the entries can't hold, once. */
function unheldWarnings(prices: readonly ListedPrice[]): string[] {
  const parts = prices.flatMap(({ model, unheld }) => [...new Set(unheld)].map(part => ({ part, model })))
  const texts = [...Map.groupBy(parts, ({ part }) => part)].map(
    ([part, of]) => `${part} (${firstFew(of.map(({ model }) => model))})`,
  )
  if (texts.length === 0) return []
  return [`the table can't hold these prices, so the price without them counts: ${texts.join(', ')}`]
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseDateOrTimestamp(text) !== undefined
}

/** A list says 0 where the cache has no price of its own. */
function withoutFreeCache({ cached, written, ...price }: ListedPrice): ListedPrice {
  const own = (rate: string | undefined): string | undefined => (isZero(rate) ? undefined : rate)
  return { ...price, cached: own(cached), written: own(written) }
}

function entryOf({ model, input, output, cached, written, ends }: ListedPrice, places: number): PricingEntry {
  return {
    model,
    input_usd_per_1k_tokens: shifted(input!, places),
    output_usd_per_1k_tokens: shifted(output!, places),
    cached_input_usd_per_1k_tokens: shifted(cached ?? input!, places),
    ...(written === undefined ? {} : { cache_write_input_usd_per_1k_tokens: shifted(written, places) }),
    ...(ends === undefined || !isDay(ends) ? {} : { retires_on: ends }),
  }
}

function isZero(rate: string | undefined): boolean {
  return Number(rate) === 0
}
