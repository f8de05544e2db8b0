import type { UsedModels } from '../../models/documents/release.ts'
import type { PricingImport, PricingSummary } from '../../models/documents/pricing.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/bundled_prices.ts'
import { callJson } from '../service/api.ts'
import { readModel } from '../files.ts'
import { type Invocation, wholeNumber } from '../arguments/command.ts'
import { painter } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function importTable(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  if (options.text('from') !== undefined) {
    return (await import('./price_lists.ts')).importFromList(invocation)
  }
  const table = await readModel(args[0]!, io.cwd, 'PricingTable')
  const imported = await callJson<PricingImport>(await api(), 'POST /v1/pricing', {
    body: {
      table,
      replace: options.flag('replace') ?? false,
      ...(options.text('reason') === undefined ? {} : { reason: options.text('reason') }),
    },
  })
  const done = imported.action === 'insert' ? 'imported' : 'replaced'
  io.out(`${done} ${safe(imported.provider)}/${safe(imported.pricing_version)}  ${imported.import_id}\n`)
  return 0
}

export async function show({ options, io, api }: Invocation): Promise<number> {
  const path = { provider: options.required('provider'), pricing_version: options.required('version') }
  io.out(pretty(await callJson(await api(), 'GET /v1/pricing/{provider}/{pricing_version}', { path })))
  return 0
}

/** Only bundled tables can be stale: of others nobody but the operator knows how old their rates are. */
export async function check({ args, options, io, api }: Invocation): Promise<number> {
  if (args.length > 0) return checkReleases(args, await api(), io)
  const maxAgeDays = wholeNumber(options, 'max-age-days') ?? STALE_AFTER_DAYS
  const { pricing } = await callJson<{ pricing: PricingSummary[] }>(await api(), 'GET /v1/pricing')
  const bundled = pricing.filter(table => table.bundled)
  const paint = painter(io)
  for (const { provider, pricing_version, age_days } of bundled) {
    const state = isStale(age_days, maxAgeDays) ? paint('yellow', 'STALE') : paint('green', 'OK')
    const age = age_days === null ? 'its version names no date' : `${age_days} days old`
    io.out(`${state}\t${safe(provider)}/${safe(pricing_version)}\t${age} (stale after ${maxAgeDays})\n`)
  }
  if (bundled.length === 0) io.err('svc: no bundled price tables are imported\n')
  return options.flag('fail') === true && bundled.some(table => isStale(table.age_days, maxAgeDays)) ? 1 : 0
}

/** Says which models of the last 7 days a release's price table lacks; 1 where there are any. */
async function checkReleases(
  ids: readonly string[],
  api: Awaited<ReturnType<Invocation['api']>>,
  io: Invocation['io'],
): Promise<number> {
  const paint = painter(io)
  let isLacking = false
  for (const release_id of ids) {
    const { provider, pricing_version, models } = await callJson<UsedModels>(
      api,
      'GET /v1/releases/{release_id}/models',
      { path: { release_id }, query: { window: '7d' } },
    )
    const table = `${safe(provider)}/${safe(pricing_version)}`
    for (const { model, runs, priced } of models) {
      const state = priced ? paint('green', 'OK') : paint('yellow', 'UNPRICED')
      io.out(`${state}\t${safe(release_id)}\t${safe(model)}\t${runs} runs\t${table}\n`)
      isLacking ||= !priced
    }
    if (models.length === 0) io.err(`svc: ${safe(release_id)} has no runs in the last 7 days\n`)
  }
  return isLacking ? 1 : 0
}
