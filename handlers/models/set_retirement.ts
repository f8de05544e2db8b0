import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { actorField, formed, key, prose } from '../../src/http/endpoint/fields.ts'
import { warningHeaders } from '../../src/http/endpoint/parameters.ts'
import { json } from '../../src/http/wire/message.ts'
import { unprocessable } from '../../src/base/errors.ts'
import { parseDateOrTimestamp } from '../../src/base/time.ts'
import { nameWarnings, setRetirement } from '../../src/features/retirements/retirements.ts'

export default endpoint(
  'POST /v1/retirements',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Say by hand when a model ends',
    description:
      'It comes before what price lists say, until it is taken back with `retires_on: null`. The header X-Service-Warning names ' +
      'a model that nothing in the ledger has.',
    body: fieldsBody({
      provider: key('Provider, as releases or price tables name it.', { example: 'openai' }),
      model: key('Model name.', { example: 'gpt-4.1-mini' }),
      retires_on: {
        ...formed(
          'Day (UTC) from which on it is off; null takes back what was said before.',
          /^\d{4}-\d\d-\d\d$/,
          {
            example: '2026-10-01',
          },
        ),
        nullable: true,
        keepsNull: true,
      },
      reason: prose('Why, such as where the provider says so; kept in the audit log.'),
      actor: actorField('says so'),
    }),
    recordsActor: true,
    repeatable: true,
    answers: { 200: 'SaidRetirement', 400: 'ErrorText' },
  },
  async function retirementsSet({ body, actor }, context) {
    const retires_on = (body.retires_on as string | null | undefined) ?? null
    if (retires_on !== null && parseDateOrTimestamp(retires_on) === undefined) {
      throw unprocessable([
        {
          loc: ['body', 'retires_on'],
          msg: 'must be a day of the calendar, such as 2026-01-31',
          type: 'value',
        },
      ])
    }
    const warnings = await nameWarnings(context.sql, body.provider, body.model)
    return json(await setRetirement(context, { ...body, retires_on, actor }), 200, warningHeaders(warnings))
  },
)
