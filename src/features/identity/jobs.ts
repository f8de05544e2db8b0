import { badRequest } from '../../base/errors.ts'
import { IDLE, type Runner } from '../../runtime/again.ts'
import type { Services } from '../../runtime/services.ts'
import { ownName } from './oidc_client.ts'
import { issuersOf } from './oidc_tokens.ts'

/**
 * Throws 400 where service.yaml refers to a secret that the environment lacks, or to an issuer that writes itself otherwise:
 * nobody could sign in. An issuer that does not answer now is believed.
 */
export async function checkLogins({ workspace, secret, log }: Services): Promise<Runner> {
  const issuers = issuersOf(workspace)
  for (const [index, { login }] of issuers.entries()) {
    const name = login?.client_secret_ref
    if (name === undefined || secret(name) !== undefined) continue
    throw badRequest(
      `service.yaml: auth.oidc[${index}].login.client_secret_ref names ${name}, which is not set in the environment.`,
    )
  }
  const ownNames = await Promise.all(issuers.map(({ issuer }) => ownName(issuer)))
  for (const [index, { issuer }] of issuers.entries()) {
    const own = ownNames[index]
    if (own === undefined) log('warn', 'an issuer was not reached at the start', { issuer })
    else if (own !== issuer) throw badRequest(`service.yaml: auth.oidc[${index}].issuer ${mend(issuer, own)}`)
  }
  return IDLE
}

function mend(issuer: string, own: string): string {
  return own.includes('{')
    ? `${issuer} is a provider for several tenants, each with an issuer of its own: list ${own} for each tenant.`
    : `is ${issuer}, and its tokens name ${own}: write it exactly like that.`
}
