import type { PricingImport } from '../../models/documents/pricing.ts'
import type { Answer } from '../../sdk/call.ts'
import type { Options } from '../arguments/command.ts'
import { goodJson } from '../service/api.ts'
import type { Io } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

/** Prints an import, and what is odd about the table. Throws what the answer says went wrong. */
export function printImport(answer: Answer, { json }: Options, io: Io): void {
  const imported = goodJson<PricingImport>(answer)
  const { action, provider, pricing_version, import_id } = imported
  const done = action === 'insert' ? 'imported' : 'replaced'
  const text = `${done} ${safe(provider)}/${safe(pricing_version)}  ${safe(import_id)}\n`
  io.out(json ? pretty(imported) : text)
  tellWarnings(answer, io)
}

/** The warnings that a service sends in a header: the body is the stored document. */
export function tellWarnings({ headers }: Answer, io: Io): void {
  const warning = headers.get('x-service-warning')
  if (warning !== null) io.err(`svc: warning: ${safe(warning)}\n`)
}
