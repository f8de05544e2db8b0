import { headEvents } from './_heads.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/wire/message.ts'

export default endpoint(
  'GET /v1/stream',
  {
    access: 'read',
    scope: 'shared',
    summary: 'Says when something that governs has changed',
    description:
      'Server-sent events, each with the log_seq of the newest entry of the audit log: one at once, then one within about ' +
      'a second of each change, and a comment every 15 s. It ends after 5 minutes, or with the server: connect again. At ' +
      'most 6 per credential and 200 per process. Workers hold none: 501.',
    answers: {
      200: { type: 'text/event-stream', about: '`data: LOG_SEQ` for each change.' },
      429: 'ErrorText',
      501: 'ErrorText',
    },
  },
  async function stream(_input, context) {
    return plain(headEvents(context), 'text/event-stream')
  },
)
