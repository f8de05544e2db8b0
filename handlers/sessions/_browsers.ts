import type { Onward } from '../../src/features/identity/oidc_sign_in.ts'
import type { Reply } from '../../src/http/wire/message.ts'

const PROBLEM = {
  type: 'text/html; charset=utf-8',
  about: 'Why this sign-in is not possible, as a page.',
} as const

/** What a browser is answered: where it goes on, or a page. */
export const TO_BROWSERS = {
  303: { about: 'The next address of the browser.', headers: { Location: 'The next address.' } },
  400: PROBLEM,
  403: PROBLEM,
  404: PROBLEM,
  422: PROBLEM,
  429: PROBLEM,
  503: PROBLEM,
} as const

/** Sends a browser on. Where it was is no business of where it goes. */
export function onward({ location, cookies }: Onward): Reply<string> {
  return { status: 303, headers: { location, 'referrer-policy': 'no-referrer' }, cookies, body: '' }
}
