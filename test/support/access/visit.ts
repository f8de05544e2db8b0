import { csrfOf } from '../../../src/features/identity/known.ts'
import { issuersOf, rolesHash } from '../../../src/features/identity/oidc_tokens.ts'
import { openSession } from '../../../src/features/identity/sessions.ts'
import type { Granted } from '../services/credentials.ts'
import type { TestService } from '../services/service.ts'
import { type Visitor, visitorOf } from './visitor.ts'

/**
 * A person who has signed in already, with a role and scope. No provider takes part: the service has to trust one for logins.
 */
export async function visit(service: TestService, { role, agents, environments }: Granted): Promise<Visitor> {
  const visitor = visitorOf(service)
  const { context } = service
  const [issuer] = issuersOf(context.workspace)
  const { credential } = await openSession(context, {
    kind: 'browser',
    person: {
      issuer: issuer!.issuer,
      subject: 'u-1',
      name: 'ann',
      role,
      agents: agents ?? null,
      environments: environments ?? null,
      roles_hash: await rolesHash(issuer!),
    },
    proof: `nonce ${role}`,
    idle_ms: 7_200_000,
    lasts_ms: 43_200_000,
  })
  visitor.cookies.set('__Host-service-session', credential)
  visitor.cookies.set('__Host-service-csrf', (await csrfOf(context, credential))!)
  return visitor
}
