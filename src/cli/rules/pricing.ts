import type { PricingImport } from '../../models/documents/pricing.ts'
import type { UsedModels } from '../../models/documents/release.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/cost.ts'
import type { Answer } from '../../sdk/call.ts'
import { callJson, goodJson, warningsIn } from '../service/api.ts'
import { readModel } from '../files.ts'
import type { Invocation, Options } from '../arguments/command.ts'
import { type Io, painter, warn } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function importTable(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const table = await readModel(args[0]!, io, 'PricingTable')
  const opened = await api()
  const answer = await opened.send('POST /v1/pricing', {
    body: {
      table,
      replace: options.flag('replace') ?? false,
      ...(options.text('reason') === undefined ? {} : { reason: options.text('reason') }),
    },
  })
  printImport(answer, options, io)
  return 0
}

export async function show({ options, io, api }: Invocation): Promise<number> {
  const path = { provider: options.required('provider'), pricing_version: options.required('version') }
  io.out(pretty(await callJson(await api(), 'GET /v1/pricing/{provider}/{pricing_version}', { path })))
  return 0
}

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

/** Prints an import, and what is odd about the table. Throws what the answer says went wrong. */
export function printImport(answer: Answer, { json }: Options, io: Io): void {
  const imported = goodJson<PricingImport>(answer)
  const { action, provider, pricing_version, import_id } = imported
  const done = action === 'insert' ? 'imported' : 'replaced'
  const text = `${done} ${safe(provider)}/${safe(pricing_version)}  ${safe(import_id)}\n`
  io.out(json ? pretty(imported) : text)
  warn(warningsIn(answer), io)
}
