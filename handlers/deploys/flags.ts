import { sha256 } from '../../src/base/bytes.ts'
import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { readPointers } from '../../src/features/deploys/pointer.ts'
import { knows } from './_etag.ts'
import { asFlagError, environmentIn, flagOf } from './_flags.ts'

export default endpoint(
  'POST /ofrep/v1/evaluate/flags',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'All promoted releases of an environment as OpenFeature flags',
    description:
      'The bulk evaluation of the OpenFeature Remote Evaluation Protocol 0.3.0, which providers of browsers ask: a flag ' +
      'for each agent. Writes nothing. An `If-None-Match` with the `ETag` of before is answered by 304 until something ' +
      'else is promoted.',
    body: uncheckedBody('FlagQuestion'),
    answers: {
      200: 'Flags',
      304: { about: 'What the caller knows is promoted still.' },
      400: 'FlagsError',
    },
    refusal: error => asFlagError(error, {}),
  },
  async function evaluateFlags({ body, ifNoneMatch }, { sql, workspace, caller: { scope } }) {
    const environment = environmentIn(body) ?? workspace.default_environment
    const flags = (await readPointers(sql, environment, scope)).map(flagOf)
    const etag = `"${await sha256(JSON.stringify(flags))}"`
    return knows(ifNoneMatch, etag)
      ? { status: 304, headers: { etag }, body: '' }
      : json({ flags }, 200, { etag })
  },
)
