import type { PricingImport, PricingSummary } from '../../models/documents/pricing.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/bundled_prices.ts'
import { callJson } from '../service/api.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { painter } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function importTable({ args, options, io, api }: Invocation): Promise<number> {
  const table = await readModel(args[0]!, io.cwd, 'PricingTable')
  const imported = await callJson<PricingImport>(await api(), 'POST /v1/pricing', {
    body: {
      table,
      replace: options.flag('replace') ?? false,
      ...(options.text('reason') === undefined ? {} : { reason: options.text('reason') }),
    },
  })
  const done = imported.action === 'insert' ? 'imported' : 'replaced'
  const text = `${done} ${safe(imported.provider)}/${safe(imported.pricing_version)}  ${imported.import_id}\n`
  io.out(options.json ? pretty(imported) : text)
  return 0
}

export async function show({ options, io, api }: Invocation): Promise<number> {
  const path = { provider: options.required('provider'), pricing_version: options.required('version') }
  io.out(pretty(await callJson(await api(), 'GET /v1/pricing/{provider}/{pricing_version}', { path })))
  return 0
}

/** Only bundled tables can be stale: of others nobody but the operator knows how old their rates are. */
export async function check({ options, io, api }: Invocation): Promise<number> {
  const maxAgeDays = options.number('max-age-days') ?? STALE_AFTER_DAYS
  const { pricing } = await callJson<{ pricing: PricingSummary[] }>(await api(), 'GET /v1/pricing')
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
