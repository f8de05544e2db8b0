import type { PricingEntry, PricingTable } from '../models/documents/pricing.ts'
import { modelNames } from '../spans/provider.ts'

/** A model of a table with the names that gateways call it by. */
type PriceNames = Pick<PricingEntry, 'model' | 'aliases'>

/**
 * The entries of a price table by model. `get` and `has` also take an alias, a name that begins as an alias that ends with
 * `*` (the longest wins), any of these with or without the table's provider in front, and a build of them by its date. What it
 * iterates are the entries by their own names.
 */
export class ModelPrices<E extends PriceNames = PricingEntry> extends Map<string, E> {
  readonly #aliases = new Map<string, E>()
  readonly #prefixes: [prefix: string, entry: E][] = []
  readonly #provider: string
  readonly #found = new Map<string, E | undefined>()

  constructor({ provider, entries }: Pick<PricingTable, 'provider'> & { readonly entries: readonly E[] }) {
    super(entries.map(entry => [entry.model, entry]))
    this.#provider = provider
    for (const entry of entries) {
      for (const alias of entry.aliases ?? []) {
        if (alias.endsWith('*')) this.#prefixes.push([alias.slice(0, -1), entry])
        else this.#aliases.set(alias, entry)
      }
    }
    this.#prefixes.sort(([a], [b]) => b.length - a.length)
    for (const entry of entries) {
      for (const bare of this.#bare(entry.model)) if (!this.#aliases.has(bare)) this.#aliases.set(bare, entry)
    }
  }

  override get(name: string): E | undefined {
    const own = super.get(name)
    if (own !== undefined) return own
    if (!this.#found.has(name)) this.#found.set(name, this.#search(name))
    return this.#found.get(name)
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** The name of a model in the table: of these names the first that is one, or else the first that means one. */
  nameOf(names: readonly string[]): string | undefined {
    const own = names.find(name => super.has(name))
    return own ?? names.map(name => this.get(name)?.model).find(model => model !== undefined)
  }

  #search(name: string): E | undefined {
    for (const each of [name, ...this.#bare(name)].flatMap(buildNames)) {
      const found =
        super.get(each) ??
        this.#aliases.get(each) ??
        this.#prefixes.find(([prefix]) => each.startsWith(prefix))?.[1]
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The name without the table's provider in front, where it is there. */
  #bare(name: string): readonly string[] {
    return modelNames([name], [this.#provider]).slice(1)
  }
}

const DATE =
  /[-@]20\d\d(?:-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/

/**
 * The name of a model, then its name without what providers write around it: `models/` (Google), a version such as `-v1:0` (Bedrock), a
 * date. Shorter numbers stay: davinci-002 is not davinci.
 */
function buildNames(name: string): readonly string[] {
  const build = name.replace(/^models\//, '').replace(/-v\d+:\d+$/, '')
  return [...new Set([name, build, build.replace(/@(?=\d{8}$)/, '-'), build.replace(DATE, '')])]
}

/** Models that have a price: those of a table, or a set of names. */
export interface PricedNames {
  readonly has: (name: string) => boolean
  readonly nameOf?: ModelPrices['nameOf']
}

/** The prices of these models in several tables together; of two that price a model the later one counts. */
export function mergedPrices<R>(
  tables: readonly ReadonlyMap<string, R>[],
  models: ReadonlySet<string>,
): Map<string, R> {
  return new Map(tables.flatMap(table => [...pricesOf(table, models)]))
}

/** The prices of these models, by the names that runs call them by. */
export function pricesOf<R>(prices: ReadonlyMap<string, R>, models: Iterable<string>): Map<string, R> {
  const found = new Map<string, R>()
  for (const model of models) {
    const price = prices.get(model)
    if (price !== undefined) found.set(model, price)
  }
  return found
}
