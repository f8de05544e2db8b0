import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import type { PricingSummary } from '../../models/documents/pricing.ts'
import { bundledTables } from '../../runtime/node/shipped.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { quoted } from '../terminal/text.ts'
import { type PricedModel, exampleModel, releaseTemplate } from '../workspace/release_template.ts'

/** Writes a release.yaml to fill in for a further agent, named after its folder, at prices that are imported. */
export async function initRelease({ args, io, api }: Invocation): Promise<number> {
  const folder = args[0]!
  if (/\.ya?ml$/i.test(folder)) {
    throw badRequest(`${folder}: give a folder for release.yaml.`)
  }
  const path = join(folder, 'release.yaml')
  const file = resolve(io.cwd, path)
  const priced = await pricesOf(await api())
  const text = releaseTemplate(file, priced)
  try {
    await makeFolder(dirname(file))
    await writeFile(file, text, { flag: 'wx' })
  } catch (failure) {
    const error = failure as NodeJS.ErrnoException
    if (error.code === 'EEXIST') throw badRequest(`${path} exists already; it is not changed.`)
    throw badRequest(`${path} can't be written: ${reasonOf(error)}.`, error)
  }
  io.out(`wrote ${path}\n`)
  io.err(`svc: fill it in, then register it with \`svc release register ${quoted(folder)}\`\n`)
  return 0
}

async function firstBundled(tables: readonly PricingSummary[]): Promise<PricingSummary | undefined> {
  const [first] = await bundledTables()
  return tables.find(({ provider }) => provider === first?.provider)
}

/** A table and a model of it: the newest table that was imported by hand, else the one that `svc init --release` takes. */
async function pricesOf(api: Api): Promise<PricedModel | undefined> {
  const { pricing } = await callJson(api, 'GET /v1/pricing')
  const byTime = pricing.toSorted((a, b) => Date.parse(b.imported_at) - Date.parse(a.imported_at))
  const table = byTime.find(({ bundled }) => !bundled) ?? (await firstBundled(byTime)) ?? byTime[0]
  if (table === undefined) return undefined
  const { provider, pricing_version } = table
  const path = { provider, pricing_version }
  const { entries } = await callJson(api, 'GET /v1/pricing/{provider}/{pricing_version}', {
    path,
  })
  return { ...path, model: exampleModel(entries) }
}
