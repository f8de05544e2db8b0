import type { Onward } from '../../src/features/identity/oidc_sign_in.ts'
import type { Reply } from '../../src/http/wire/message.ts'

/** Sends a browser on. Where it was is no business of where it goes. */
export function onward({ location, cookies }: Onward): Reply<string> {
  return { status: 303, headers: { location, 'referrer-policy': 'no-referrer' }, cookies, body: '' }
}
