import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, formed, names, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { createToken } from '../../src/ledger/tokens/tokens.ts'
import { ROLES } from '../../src/models/names.ts'
import { expiresField, nameField, spanOf } from './_fields.ts'

export default endpoint(
  'POST /v1/tokens',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Make a named credential; it is shown only this once',
    description:
      'From the first one on, until all are revoked, the service takes a token for reads and changes. What is done with ' +
      'it is on record under its name.',
    body: fieldsBody({
      name: nameField,
      role: choice(
        'What it is good for: `read`; `ingest`, which sends run events and reads nothing; `write`, which reads, registers, ' +
          'promotes and rolls back; `admin`, all.',
        ROLES,
      ),
      agents: optional(
        names('The agents that it is good for; all unless given.', { example: ['support-bot'] }),
      ),
      environments: optional(
        names('The environments that it is good for; all unless given.', { example: ['prod'] }),
      ),
      source: optional(
        formed(
          'The only source whose cells it may send, of the role `ingest`: it is good for nothing else then.',
          /^[a-z0-9][a-z0-9_.-]{0,63}$/,
          { example: 'clickhouse-eu' },
        ),
      ),
      expires: expiresField,
    }),
    recordsActor: true,
    answers: { 200: 'CreatedToken', 400: 'ErrorText' },
  },
  async function tokensCreate({ body, actor }, context) {
    const { name, role, agents = null, environments = null, source = null, expires } = body
    const token = { name, role, agents, environments, source, validMs: spanOf(expires), actor }
    return json(await createToken(context, token))
  },
)
