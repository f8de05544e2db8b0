import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { attestedCapabilities } from '../../src/features/capabilities/power.ts'
import { attestAction } from '../../src/features/proofs/prove.ts'

export default endpoint({
  route: 'GET /v1/actions/{action_id}/attestation',
  access: 'read',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  summary: 'An action as an in-toto statement',
  description:
    'A SLSA Verification Summary of the decision, for programs that admit or deploy. If the server has a key (SERVICE_SIGNING_KEY), also in a signed DSSE envelope.',
  takes: 'ActionsAttestation',
  answers: { 200: 'Attestation', 400: 'ErrorText', 404: 'ErrorText', 409: 'ErrorText' },
  answer: function actionsAttestation({ path }, context) {
    return attestAction(context, path.action_id, context.version, attestedCapabilities)
  },
})
