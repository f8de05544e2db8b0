import { unprocessable } from '../../src/base/errors.ts'
import type { Context } from '../../src/http/context.ts'
import { KNOWN } from '../../src/models/accept/release.ts'
import type { Release } from '../../src/models/documents/release.ts'
import { unknownFieldText, unknownFields } from '../../src/models/unknown_fields.ts'
import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { checksum, document, label, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/message.ts'
import { registerRelease } from '../../src/ledger/registry/releases.ts'

export default endpoint(
  'POST /v1/releases',
  {
    access: 'write',
    summary: 'Register a release',
    description:
      'Makes a new immutable release from the parsed release.yaml and the checksum of its bundle, which the ' +
      'caller computes (docs/checksum.md). The same bundle may be registered again. Fields that ' +
      'no release has are kept and named in warnings, or refused where the workspace is strict.',
    body: fieldsBody({
      artifact: document('Release', 'The parsed release.yaml; kept as it is.'),
      checksum: checksum('SHA-256 of the canonical bundle: 64 lowercase hex characters.'),
      environment: optional(label('Label; the default environment of the workspace unless given.')),
    }),
    answers: { 200: 'Registered' },
  },
  async function releasesRegister({ body, actor }, context) {
    const strays = strayFields(body.artifact, context.workspace)
    const registered = await registerRelease(context, { ...body, actor })
    return json({ ...registered, warnings: [...strays, ...registered.warnings] })
  },
)

/** What to say of fields that no release has: they are kept, but a slip such as `temprature` would do nothing. */
function strayFields(artifact: Release, { strict }: Context['workspace']): string[] {
  const paths = unknownFields(artifact, KNOWN)
  if (strict && paths.length > 0) {
    throw unprocessable(
      paths.map(path => ({
        loc: ['body', 'artifact', ...path.split('.')],
        msg: unknownFieldText(path, KNOWN, 'not a field of a release (this workspace is strict)'),
        type: 'unknown_field',
      })),
    )
  }
  return paths.map(path =>
    unknownFieldText(path, KNOWN, 'not a field of a release: it is kept, but nothing reads it'),
  )
}
