import { unprocessable } from '../../src/base/errors.ts'
import { isDisguised } from '../../src/base/text.ts'
import type { Called, Context } from '../../src/http/access/context.ts'
import type { Release } from '../../src/models/documents/release.ts'
import { Release as shape } from '../../src/models/shapes/release.ts'
import {
  type KnownFields,
  knownOf,
  unknownFieldText,
  unknownFields,
} from '../../src/models/unknown_fields.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { requireEnvironment } from '../../src/http/endpoint/scope.ts'
import { outOfScope } from '../../src/ledger/world/scope.ts'
import { coversAgent } from '../../src/ledger/world/scope.ts'
import { registrationWarnings } from '../../src/features/capabilities/power.ts'
import { registerRelease } from '../../src/ledger/registry/releases.ts'

export default endpoint({
  route: 'POST /v1/releases',
  access: 'write',
  scope: 'checked',
  summary: 'Register a release',
  description:
    'Makes a new immutable release from the parsed release.yaml and the checksum of its bundle, which the caller computes (docs/project/checksum.md). The same bundle can be registered again: as another release, or with `reuse` as the same one. Unknown fields are stored and named in warnings; a strict workspace refuses them.',
  takes: 'ReleasesRegister',
  recordsActor: true,
  answers: { 200: 'Registered', 400: 'ErrorText' },
  answer: async function releasesRegister({ body, actor }, context) {
    requirePlace(body, context)
    const unknown = unknownFieldWarnings(body.artifact, context.workspace)
    const odd = oddParts(body.artifact, context.workspace)
    const registered = await registerRelease(context, { ...body, actor }, context.caller.scope)
    return { ...registered, warnings: [...unknown, ...odd, ...registered.warnings] }
  },
})

/** Throws 403 where the caller is not for the agent or the environment, 422 for an agent that may pass for another. */
function requirePlace(
  { artifact, environment }: { readonly artifact: Release; readonly environment?: string | undefined },
  context: Called,
): void {
  const { scope } = context.caller
  const { agent_id } = artifact.spec.agent
  if (isDisguised(agent_id)) {
    const loc = ['body', 'artifact', 'spec', 'agent', 'agent_id']
    const msg = 'must not contain control or invisible characters, nor begin or end with a blank'
    throw unprocessable([{ loc, msg, type: 'text' }])
  }
  requireEnvironment(scope, { environment }, context)
  if (!coversAgent(scope, agent_id)) throw outOfScope(scope, `not for agent ${JSON.stringify(agent_id)}`)
}

/** What to say of fields that no release has: they are kept, but a slip such as `temprature` would do nothing. */
function unknownFieldWarnings(artifact: Release, { strict }: Context['workspace']): string[] {
  const known = knownOf(shape) as KnownFields
  const paths = unknownFields(artifact, known)
  if (strict && paths.length > 0) {
    throw unprocessable(
      paths.map(path => ({
        loc: ['body', 'artifact', ...path.split('.')],
        msg: unknownFieldText(path, known, 'not a field of a release (this workspace is strict)'),
        type: 'unknown_field',
      })),
    )
  }
  return paths.map(path =>
    unknownFieldText(path, known, 'not a field of a release: it is stored, but nothing reads it'),
  )
}

/** What is odd about the capabilities of an artifact. */
function oddParts(artifact: Release, { strict }: Context['workspace']): readonly string[] {
  const found = registrationWarnings(artifact)
  if (strict && found.length > 0) {
    throw unprocessable(
      found.map(text => ({
        loc: ['body', 'artifact'],
        msg: `${text} (this workspace is strict)`,
        type: 'contradiction',
      })),
    )
  }
  return found
}
