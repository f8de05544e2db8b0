import { firstFew, similarNames } from '../../base/text.ts'
import { parseDateOrTimestamp } from '../../base/time.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { shifted } from '../../base/numbers.ts'

/** What a price list says of one model: decimal texts in the list's own unit. */
export interface ListedPrice {
  readonly model: string
  readonly input: string | undefined
  readonly output: string | undefined
  readonly cached: string | undefined
  readonly written: string | undefined
  /** Whether it costs more above some length, or at some hour: what is here is its base price. */
  readonly isBase: boolean
  /** The day on which it is switched off, as the list writes it. */
  readonly ends?: string | undefined
}

/** A price list that others keep. */
export interface PriceList {
  readonly prices: readonly ListedPrice[]
  /** Places that the decimal point moves from its unit to USD per 1,000 tokens. */
  readonly places: number
}

export interface Wanted {
  /** Exact names; none for all. */
  readonly models: readonly string[]
  readonly allowFree: boolean
}

/**
 * Entries of a price table. Throws RangeError with a sentence for a model that the list lacks, one without a price, and
 * one that is free, unless that is allowed.
 */
export function entriesOf(
  { prices, places }: PriceList,
  { models, allowFree }: Wanted,
): { entries: PricingEntry[]; warnings: string[] } {
  const listed = new Map(prices.map(price => [price.model, price]))
  const missing = models.filter(model => !listed.has(model))
  if (missing.length > 0) {
    const [meant] = similarNames(missing[0]!, listed.keys(), 1)
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
    throw new RangeError(`the list has no ${firstFew(missing)} of this provider${hint}`)
  }
  const wanted = models.length === 0 ? [...listed.values()] : models.map(model => listed.get(model)!)
  if (wanted.length === 0) throw new RangeError('the list has no models of this provider')
  refuse(wanted, 'has no price for input or output of', ({ input, output }) => !input || !output)
  const entries = wanted.map(price => entryOf(price, places))
  if (!allowFree) {
    const free = new Set(entries.filter(isFree).map(({ model }) => model))
    refuse(wanted, 'says 0 for', ({ model }) => free.has(model), ', or allow it with --allow-free')
  }
  const odd = wanted.filter(({ ends }) => ends !== undefined && !isDay(ends)).map(({ model }) => model)
  const base = wanted.filter(({ isBase }) => isBase).map(({ model }) => model)
  return {
    entries: entries.sort((a, b) => (a.model < b.model ? -1 : 1)),
    warnings: [
      ...(base.length === 0
        ? []
        : [
            `the base price is taken for ${firstFew(base)}, which cost more above some length or at some hour`,
          ]),
      ...(odd.length === 0 ? [] : [`the list has no day such as 2026-01-31 for the end of ${firstFew(odd)}`]),
    ],
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseDateOrTimestamp(text) !== undefined
}

function refuse(
  prices: readonly ListedPrice[],
  what: string,
  isWrong: (price: ListedPrice) => boolean,
  mend = '',
): void {
  const wrong = prices.filter(isWrong).map(({ model }) => model)
  if (wrong.length === 0) return
  throw new RangeError(
    `the list ${what} ${firstFew(wrong)}: name the models that you want with --model${mend}`,
  )
}

function entryOf({ model, input, output, cached, written, ends }: ListedPrice, places: number): PricingEntry {
  return {
    model,
    input_usd_per_1k_tokens: shifted(input!, places),
    output_usd_per_1k_tokens: shifted(output!, places),
    cached_input_usd_per_1k_tokens: cached === undefined ? null : shifted(cached, places),
    ...(written === undefined ? {} : { cache_write_input_usd_per_1k_tokens: shifted(written, places) }),
    ...(ends === undefined || !isDay(ends) ? {} : { retires_on: ends }),
  }
}

function isFree({ input_usd_per_1k_tokens, output_usd_per_1k_tokens }: PricingEntry): boolean {
  return input_usd_per_1k_tokens === 0 || output_usd_per_1k_tokens === 0
}
