import type { WhoAmI } from './models.ts'

/** What a caller is known by, in words. */
export const SOURCES: Readonly<Record<NonNullable<WhoAmI['caller']>['source'], string>> = {
  token: 'a named token',
  oidc: 'a token of an identity provider',
  shared: 'a token of the server, which proves no name',
  cli: 'the command line on its own ledger',
  nobody: 'no token, from this machine',
}
