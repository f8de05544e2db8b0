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
      'caller computes (docs/checksum.md). The same bundle may be registered again.',
    body: fieldsBody({
      artifact: document('Release', 'The parsed release.yaml; kept as it is.'),
      checksum: checksum('SHA-256 of the canonical bundle: 64 lowercase hex characters.'),
      environment: optional(label('Label; the default environment of the workspace unless given.')),
    }),
    answers: { 200: 'Registered' },
  },
  async function releasesRegister({ body }, context) {
    return json(await registerRelease(context, body))
  },
)
