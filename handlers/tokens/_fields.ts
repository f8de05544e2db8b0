import { formed, optional } from '../../src/http/endpoint/fields.ts'
import { parseWindow } from '../../src/rules/window.ts'

/** A name that is put on record, and typed. */
export const nameField = formed(
  'Name of the token; it is put on record for what is done with it.',
  /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/,
  {
    example: 'ci-deploy',
  },
)

export const expiresField = optional(
  formed('How long it is good for: 90d, 24h, 30m. For ever unless given.', /^[1-9]\d{0,4}[dhm]$/, {
    example: '90d',
  }),
)

export const overlapField = optional(
  formed('How long the ones before it stay good; 24h unless given.', /^(?:0|[1-9]\d{0,4})[dhm]$/, {
    example: '24h',
  }),
)

/** A span in ms; null where none is given. */
export function spanOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const window = parseWindow(text, 0)
  return typeof window === 'string' ? 0 : -window.since
}
