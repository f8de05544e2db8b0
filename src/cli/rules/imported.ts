import type { PricingImport } from '../../models/documents/pricing.ts'
import { safe } from '../terminal/text.ts'

export function importedText({ action, provider, pricing_version, import_id }: PricingImport): string {
  const done = action === 'insert' ? 'imported' : 'replaced'
  return `${done} ${safe(provider)}/${safe(pricing_version)}  ${safe(import_id)}\n`
}
