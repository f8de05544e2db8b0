import type { PricingImport } from '../../models/documents/pricing.ts'
import type { UsedModels } from '../../models/documents/release.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/cost.ts'
import { callJson } from '../service/api.ts'
import { call } from '../service/run.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { painter } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

/** Options of `svc pricing import` that make a table of a price list, and are not sent. */
export const LIST_OPTIONS = {
  from: null,
  provider: null,
  version: null,
  model: null,
  'allow-free': null,
  yes: null,
} as const

/** How an import is printed, and what is odd about the table. */
export const IMPORTED = {
  warns: true,
  text: ({ action, provider, pricing_version, import_id }: PricingImport): string =>
    `${action === 'insert' ? 'imported' : 'replaced'} ${safe(provider)}/${safe(pricing_version)}  ${safe(import_id)}\n`,
} as const

export const importTable = call('POST /v1/pricing', {
  as: LIST_OPTIONS,
  takes: async ({ args, io }) => ({ table: await readModel(args[0]!, io, 'PricingTable') }),
  ...IMPORTED,
})

export const show = call('GET /v1/pricing/{provider}/{pricing_version}', {
  as: { version: 'pricing_version' },
  text: pretty,
})

/** Only bundled tables can be stale: of others nobody but the operator knows how old their rates are. */
export async function check(invocation: Invocation): Promise<number> {
  if (invocation.args.length > 0) return checkReleases(invocation)
  const { options, io, api } = invocation
  const maxAgeDays = options.number('max-age-days') ?? STALE_AFTER_DAYS
  const { pricing } = await callJson(await api(), 'GET /v1/pricing')
  const bundled = pricing
    .filter(table => table.bundled)
    .map(table => ({ ...table, stale: isStale(table.age_days, maxAgeDays) }))
  const paint = painter(io)
  const lines = bundled.map(({ provider, pricing_version, age_days, stale }) => {
    const state = stale ? paint('yellow', 'STALE') : paint('green', 'OK')
    const age = age_days === null ? 'its version names no date' : `${age_days} days old`
    return `${state}\t${safe(provider)}/${safe(pricing_version)}\t${age} (stale after ${maxAgeDays})\n`
  })
  io.out(options.json ? pretty({ max_age_days: maxAgeDays, pricing: bundled }) : lines.join(''))
  if (bundled.length === 0) io.err('svc: no bundled price tables are imported\n')
  return options.flag('fail') === true && bundled.some(({ stale }) => stale) ? 1 : 0
}

/** Says which models of the last 7 days a release's price table lacks, a line for each, whatever providers runs name; 1 where there are any. */
async function checkReleases({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const releases: UsedModels[] = []
  for (const release_id of args) {
    const request = { path: { release_id }, query: { window: '7d' } }
    releases.push(await callJson(opened, 'GET /v1/releases/{release_id}/models', request))
  }
  const paint = painter(io)
  const lines = releases.flatMap(({ release_id, provider, pricing_version, models }) =>
    Array.from(Map.groupBy(models, ({ model }) => model).values(), of => {
      const { model, priced } = of[0]!
      const runs = of.reduce((sum, each) => sum + each.runs, 0)
      const state = priced ? paint('green', 'OK') : paint('yellow', 'UNPRICED')
      const table = `${safe(provider)}/${safe(pricing_version)}`
      return `${state}\t${safe(release_id)}\t${safe(model)}\t${runs} runs\t${table}\n`
    }),
  )
  io.out(options.json ? pretty({ releases }) : lines.join(''))
  for (const { release_id, models } of releases) {
    if (models.every(({ runs }) => runs === 0))
      io.err(`svc: ${safe(release_id)} has no runs in the last 7 days\n`)
  }
  return releases.some(({ models }) => models.some(({ priced }) => !priced)) ? 1 : 0
}
