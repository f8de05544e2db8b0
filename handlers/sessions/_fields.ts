import { formed } from '../../src/http/endpoint/fields.ts'

export const providerField = formed('Name of the way to sign in.', /^[a-z0-9][a-z0-9-]{0,31}$/, {
  example: 'sso',
})

const PROBLEM = { type: 'text/html; charset=utf-8', about: 'Why nobody can sign in so, as a page.' } as const

/** What a browser is answered: where it goes on, or a page. */
export const TO_BROWSERS = {
  303: { about: 'Where the browser goes on.', headers: { Location: 'Where it goes on.' } },
  400: PROBLEM,
  403: PROBLEM,
  404: PROBLEM,
  422: PROBLEM,
  429: PROBLEM,
  503: PROBLEM,
} as const
