import { badRequest } from '../../base/errors.ts'
import { IDLE, type Runner } from '../../runtime/again.ts'
import type { Services } from '../../runtime/services.ts'

/** Throws 400 where service.yaml refers to a secret that the environment lacks: nobody could sign in. */
export function checkLogins({ workspace: { auth }, secret }: Services): Runner {
  const issuers = auth === 'named' ? [] : (auth?.oidc ?? [])
  for (const [index, { login }] of issuers.entries()) {
    const name = login?.client_secret_ref
    if (name === undefined || secret(name) !== undefined) continue
    throw badRequest(
      `service.yaml: auth.oidc[${index}].login.client_secret_ref names ${name}, which is not set in the environment.`,
    )
  }
  return IDLE
}
