import { formed } from '../../src/http/endpoint/fields.ts'

export const providerField = formed('Name of the way to sign in.', /^[a-z0-9][a-z0-9-]{0,31}$/, {
  example: 'sso',
})

/** Where a browser is sent. */
export const ONWARD = {
  303: { about: 'Where the browser goes on.', headers: { Location: 'Where it goes on.' } },
} as const
