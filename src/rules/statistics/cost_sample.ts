import { type ClusterSum, ExactSum, type Moments, NO_MOMENTS, type Sample, type UsageCell, centredProduct, getOrAdd, mergeMoments, orNothing, pairIndex, sampled, sortedByKey, sumOfParts } from './samples.ts'

/**
 * USD per run under any prices: for rates w and tokens τ the mean is w·mean(τ) and the spread wᵀMw, M from the sums of
 * products. `usdPerToken` has the rates of each model in the cells' order of kinds; a model without is a mistake.
 */
export function costSample(
  cells: readonly UsageCell[],
  usdPerToken: ReadonlyMap<string, readonly number[]>,
): Sample {
  const rates = (model: string): readonly number[] => {
    const found = usdPerToken.get(model)
    if (found === undefined) throw new Error(`no price for the model ${model}`)
    return found
  }
  let whole: ModelTotal[] | undefined
  const totals = (own: readonly UsageCell[]): ModelTotal[] =>
    own === cells ? (whole ??= totalsOf(own)) : totalsOf(own)
  return sampled(
    cells,
    own => costMoments(totals(own), rates),
    own => costByCluster(totals(own), rates),
  )
}

/** The exact sums of each model, in an order of their own. */
function totalsOf(cells: readonly UsageCell[]): ModelTotal[] {
  const models = new Map<string, ModelTotal>()
  for (const cell of cells) {
    const { model, is_further_model = false } = cell
    const kinds = cell.token_sums.length
    getOrAdd(
      models,
      `${is_further_model ? 1 : 0} ${model}`,
      () => new ModelTotal(model, kinds, is_further_model),
    ).add(cell)
  }
  return sortedByKey(models).map(([, total]) => total)
}

function costMoments(totals: readonly ModelTotal[], rates: (model: string) => readonly number[]): Moments {
  const of = (isFurther: boolean): Moments[] =>
    totals.filter(total => total.isFurther === isFurther).map(total => total.cost(rates(total.model)))
  const own = of(false).reduce(mergeMoments, NO_MOMENTS)
  const further = of(true)
  return further.length === 0 ? own : sumOfParts(own.n, [own, ...further])
}

function costByCluster(
  totals: readonly ModelTotal[],
  rates: (model: string) => readonly number[],
): Map<string, ClusterSum> {
  const clusters = new Map<string, ClusterSum>()
  for (const total of totals) {
    const { isFurther } = total
    const usd = rates(total.model)
    for (const [key, { runs, sums }] of sortedByKey(total.clusters())) {
      const { n, sum } = clusters.get(key) ?? { n: 0, sum: 0 }
      const cost = sums.reduce((paid, kind, index) => paid + kind.rounded * usd[index]!, 0)
      clusters.set(key, { n: isFurther ? n : n + runs.rounded, sum: sum + cost })
    }
  }
  return clusters
}

/** The exact sums of one model's cells. */
class ModelTotal {
  readonly model: string
  readonly isFurther: boolean
  readonly #kinds: number
  readonly #cells: UsageCell[] = []
  readonly #runs = new ExactSum()
  readonly #sums: readonly ExactSum[]
  readonly #products: readonly ExactSum[]

  constructor(model: string, kinds: number, isFurther: boolean) {
    this.model = model
    this.isFurther = isFurther
    this.#kinds = kinds
    this.#sums = zeros(kinds)
    this.#products = zeros((kinds * (kinds + 1)) / 2)
  }

  add(cell: UsageCell): void {
    const { runs, token_sums, token_products } = cell
    this.#cells.push(cell)
    this.#runs.add(runs)
    token_sums.forEach((sum, kind) => this.#sums[kind]!.add(sum))
    token_products.forEach((sum, pair) => this.#products[pair]!.add(sum))
  }

  clusters(): Map<string, { readonly runs: ExactSum; readonly sums: readonly ExactSum[] }> {
    const clusters = new Map<string, { readonly runs: ExactSum; readonly sums: readonly ExactSum[] }>()
    for (const { cluster, runs, token_sums } of this.#cells) {
      const own = getOrAdd(clusters, cluster, () => ({ runs: new ExactSum(), sums: zeros(this.#kinds) }))
      own.runs.add(runs)
      token_sums.forEach((sum, kind) => own.sums[kind]!.add(sum))
    }
    return clusters
  }

  cost(usd: readonly number[]): Moments {
    const n = this.#runs.rounded
    if (n === 0) return NO_MOMENTS
    const sums = this.#sums.map(sum => sum.exact)
    let [mean, m2, squares] = [0, 0, 0]
    for (const [i, sum] of sums.entries()) {
      mean += (Number(sum) / n) * usd[i]!
      for (let j = i; j < sums.length; j++) {
        const product = this.#products[pairIndex(i, j, this.#kinds)]!.exact
        const weight = (i === j ? 1 : 2) * usd[i]! * usd[j]!
        m2 += weight * centredProduct(n, sum, sums[j]!, product)
        squares += weight * Number(product)
      }
    }
    return { n, mean, m2: orNothing(m2, squares) }
  }
}

function zeros(count: number): ExactSum[] {
  const sums: ExactSum[] = []
  while (sums.length < count) sums.push(new ExactSum())
  return sums
}
