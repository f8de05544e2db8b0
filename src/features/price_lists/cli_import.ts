import { createHash } from 'node:crypto'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { PricingEntry, PricingTable } from '../../models/documents/pricing.ts'
import { changesOf } from '../../rules/changes.ts'
import { parseDecimals } from '../../base/numbers.ts'
import { PRICE_LISTS } from './rules_lists.ts'
import { entriesOf } from './rules_source.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { MAX_REPORT_BYTES, readText } from '../../cli/files.ts'
import { callJson, goodJson } from '../../cli/service/api.ts'
import { confirmed } from '../../cli/terminal/io.ts'
import { counted, safe } from '../../cli/terminal/text.ts'
import { call } from '../../cli/service/run.ts'
import { IMPORTED, LIST_OPTIONS } from '../../cli/rules/pricing.ts'

type Format = keyof typeof PRICE_LISTS
type Api = Awaited<ReturnType<Invocation['api']>>

/** Makes a table of a price list that others keep, shows what it changes, and stores it once that is confirmed. */
export async function importFromList(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const format = formatOf(options.required('from'))
  const { provider, version } = {
    provider: options.text('provider'),
    version: options.text('version'),
  }
  if (provider === undefined || version === undefined)
    throw badRequest('--from needs --provider and --version.')
  const text = await readText(args[0]!, io, MAX_REPORT_BYTES)
  const { entries, warnings } = readList(args[0]!, text, format, provider, {
    models: options.all('model'),
    allowFree: options.flag('allow-free') ?? false,
  })
  const opened = await api()
  const before = await tableBefore(opened, provider, version)
  const changes = changesOf(before?.entries ?? [], entries)
  const than = before === undefined ? 'no table' : `${before.provider}/${before.pricing_version}`
  if (!options.json) for (const line of changes) io.out(`${safe(line)}\n`)
  for (const warning of warnings) io.err(`svc: ${safe(warning)}\n`)
  io.err(`svc: ${counted(entries.length, 'model')}, ${changes.length} other than in ${safe(than)}\n`)
  if (
    options.flag('yes') !== true &&
    !(await confirmed(`Import as ${safe(provider)}/${safe(version)}?`, io))
  ) {
    io.err('svc: nothing was imported\n')
    return 1
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  const table = { provider, pricing_version: version, entries, source: { format, sha256 } }
  return call('POST /v1/pricing', { as: LIST_OPTIONS, takes: () => ({ table }), ...IMPORTED })(invocation)
}

function formatOf(name: string): Format {
  if (Object.hasOwn(PRICE_LISTS, name)) return name as Format
  throw badRequest(`--from must be one of ${Object.keys(PRICE_LISTS).join(', ')}.`)
}

function readList(
  path: string,
  text: string,
  format: Format,
  provider: string,
  wanted: Parameters<typeof entriesOf>[1],
): { entries: PricingEntry[]; warnings: string[] } {
  try {
    const today = new Date().toISOString().slice(0, 10)
    return entriesOf(PRICE_LISTS[format](parseDecimals(text), provider, today), wanted)
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`${path} is not valid JSON: ${error.message}.`, error)
    if (error instanceof RangeError) throw badRequest(`${path}: ${error.message}.`, error)
    throw error
  }
}

/** The table that is replaced, or else the newest one of the provider. */
async function tableBefore(api: Api, provider: string, version: string): Promise<PricingTable | undefined> {
  const { pricing } = await callJson(api, 'GET /v1/pricing')
  const own = pricing.filter(table => table.provider === provider)
  const newest = own.toSorted((a, b) => (a.imported_at < b.imported_at ? 1 : -1))[0]
  const found = own.find(table => table.pricing_version === version) ?? newest
  if (found === undefined) return undefined
  try {
    const path = { provider, pricing_version: found.pricing_version }
    return goodJson(await api.send('GET /v1/pricing/{provider}/{pricing_version}', { path }))
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined
    throw error
  }
}
