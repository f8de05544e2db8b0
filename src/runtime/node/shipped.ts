import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { PricingTableInput } from '../../models/documents/pricing.ts'
import { parseYaml } from '../yaml.ts'
import { CODE, ROOT } from '../root.ts'

const PRICES = new URL('prices/', CODE)

export async function bundledTables(): Promise<PricingTableInput[]> {
  return Promise.all(
    ['openai.yaml', 'anthropic.yaml', 'google.yaml'].map(
      async name =>
        (await parseYaml(await readFile(new URL(name, PRICES), 'utf8'), name)) as PricingTableInput,
    ),
  )
}

/** The text of the pricing catalog that ships with them. */
export function bundledCatalog(): Promise<string> {
  return readFile(new URL('catalog.yaml', PRICES), 'utf8')
}

/** The folder of the bundles that `svc demo` shows. */
export function quickstartFolder(): string {
  return fileURLToPath(new URL('examples/quickstart/', ROOT))
}
