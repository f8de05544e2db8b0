import type { Mend } from './mend.ts'

/** Defects that attacks found. */
export const SECURITY_MENDS: readonly Mend[] = [
  {
    item: 'F1',
    defect: 'A token that names no key made the keys of its issuer count as out of reach',
    test: {
      file: 'access/oidc.test.ts',
      name: 'are not doubted because somebody sends a token that names no key, of which there are two',
    },
    undo: [
      {
        file: 'src/features/identity/oidc_keys.ts',
        find: '        if (!(error instanceof UnreachableIssuer)) throw error\n        failed = { at: now, error }',
        replace:
          '        if (error instanceof errors.JWKSNoMatchingKey) throw error\n' +
          '        failed = { at: now, error: new UnreachableIssuer(issuer, error) }\n        throw failed.error',
      },
    ],
  },
  {
    item: 'F3',
    defect: 'A token whose sub has half a surrogate pair made decisions that never verify',
    test: { file: 'access/oidc.test.ts', name: 'of a name with half a surrogate pair' },
    undo: [
      {
        file: 'src/base/text.ts',
        find: '  if (!text.isWellFormed()) return true\n  // Made',
        replace: '  // Made',
      },
    ],
  },
  {
    item: 'F2',
    defect: 'Of a trigger whose statement spells its table in another way nothing was told',
    test: {
      file: 'databases/schema.test.ts',
      name: 'the trigger of somebody else is told',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'mayChange && made.has(`table ${table}`)',
        replace: 'mayChange && made.has(`table ${/ ON (?:\\w+\\.)?(\\w+) /.exec(String(statement))?.[1]}`)',
      },
    ],
  },
  {
    item: 'F2',
    defect: 'On PostgreSQL a trigger was taken for the one of its name on another table',
    test: {
      file: 'databases/schema.test.ts',
      name: 'what somebody else put on a table is told: trigger actions_no_change on run_events',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: "kind === 'trigger' ? `trigger ${name} on ${table}` : ",
        replace: "kind === 'trigger' && table === '' ? '' : ",
      },
    ],
  },
  {
    item: 'F2',
    defect: 'On PostgreSQL a trigger was taken for ours that calls a function of our name in another schema',
    test: {
      file: 'databases/schema.test.ts',
      name: 'is not ours: trigger actions_no_change on actions',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'sortedEvents(flat(part))',
        replace: "sortedEvents(flat(part.replace(/FUNCTION \\w+\\./, 'FUNCTION ')))",
      },
    ],
  },
  {
    item: 'F7',
    defect: 'NOT NULL and CHECK could be edited out of a table of SQLite',
    test: {
      file: 'databases/schema.test.ts',
      name: 'each column and constraint of each table is compared',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'if (there.length === parts.length &&',
        replace: "if (key.startsWith('table ') || there.length === parts.length &&",
      },
    ],
  },
  {
    item: 'F7',
    defect: 'Nor were the columns and constraints of a table of PostgreSQL compared',
    test: {
      file: 'databases/schema.test.ts',
      name: 'each column that may not be null, and each constraint, is compared',
    },
    undo: [
      {
        file: 'src/ledger/doctor/schema.ts',
        find: 'if (there.length === parts.length &&',
        replace: "if (key.startsWith('table ') || there.length === parts.length &&",
      },
    ],
  },
  {
    item: 'F4',
    defect: 'A body of a million different names of fields kept everybody waiting for seconds',
    test: { file: 'base/json_pieces.test.ts', name: 'more names' },
    undo: [
      {
        file: 'src/base/json_pieces.ts',
        find: '  names: 20_000,',
        replace: '  names: Number.POSITIVE_INFINITY,',
      },
    ],
  },
  {
    item: 'F4',
    defect: 'Nor was it bounded how many labels events have together',
    test: { file: 'base/json_pieces.test.ts', name: 'wide objects' },
    undo: [
      {
        file: 'src/base/json_pieces.ts',
        find: '  wide: 200_000,',
        replace: '  wide: Number.POSITIVE_INFINITY,',
      },
    ],
  },
  {
    item: 'F4',
    defect: 'A list of half a million entries was made before it was refused',
    test: { file: 'base/json_pieces.test.ts', name: 'more items than a document may have' },
    undo: [
      {
        file: 'src/base/json_pieces.ts',
        find: 'if (inner.commas >= (isName ? fields : items)) {',
        replace: 'if (isName && inner.commas >= fields) {',
      },
    ],
  },
  {
    item: 'F4',
    defect: 'Long JSON was parsed in one go',
    test: { file: 'base/json_pieces.test.ts', name: 'others go on between them' },
    undo: [
      {
        file: 'src/base/json_pieces.ts',
        find: 'if (at - this.#pieceAt < this.#pieceChars) continue',
        replace: 'continue',
      },
    ],
  },
  {
    item: 'F4',
    defect: 'Empty scopes of two bytes each were gathered by the million',
    test: { file: 'otlp/decode.test.ts', name: 'scopes of a resource' },
    undo: [
      {
        file: 'src/features/traces/protobuf.ts',
        find: '      list.hold()\n      scopes.push',
        replace: '      scopes.push',
      },
    ],
  },
  {
    item: 'F4',
    defect:
      'Requests that were busy at once went on one behind the other, without a turn for those that were not',
    test: { file: 'runtime/turns.test.ts', name: 'several that are busy take turns' },
    undo: [
      {
        file: 'src/runtime/node/open.ts',
        find: '      if (waiting.push(begin) === 1) setImmediate(next)',
        replace: '      setImmediate(begin)',
      },
    ],
  },
  {
    item: 'F4',
    defect: 'Any number of large bodies was in hand at once',
    test: { file: 'connections/large_bodies.test.ts', name: 'two are in hand at once' },
    undo: [
      {
        file: 'src/http/endpoint/endpoint.ts',
        find: 'await roomFor(request, body, admitted)',
        replace: 'roomFor.bind(undefined, request, body, admitted)',
      },
    ],
  },
  {
    item: 'F5',
    defect: 'A 503 for a token did not count for the limit of its address',
    test: {
      file: 'access/oidc.test.ts',
      name: 'that can not be verified now counts for its address, too',
    },
    undo: [
      {
        file: 'src/http/access/access.ts',
        find: '    } catch (error) {\n      limitStranger(request, facts)',
        replace:
          '    } catch (error) {\n      if (error instanceof ServiceError && error.status < 500) limitStranger(request, facts)',
      },
    ],
  },
  {
    item: 'F5',
    defect: 'Pages, and paths and methods that there are none of, were not limited',
    test: { file: 'node_sqlite', name: 'hold for what no endpoint answers' },
    undo: [
      {
        file: 'src/http/router.ts',
        find: "  router.all('*', ({ original }: Dispatched, context: Context) => limitStranger(original, context))\n",
        replace: '',
      },
    ],
  },
  {
    item: 'F5',
    defect:
      'A client behind a proxy that sets X-Real-IP alone had a new limit with each X-Forwarded-For of its own',
    test: {
      file: 'node_sqlite',
      name: 'go by the header alone that the workspace names',
    },
    undo: [
      {
        file: 'src/http/access/loopback.ts',
        find: 'clientHeader == null ? forwardedClients(request) : clientsIn(clientHeader, request)',
        replace: 'forwardedClients(request)',
      },
    ],
  },
  {
    item: 'F8',
    defect:
      'Webhooks could be sent to link-local addresses through a prefix of 56 or 64 bits of a local NAT64',
    test: {
      file: 'rules/webhook_target.test.ts',
      name: 'a local translation, by whatever prefix of its network is always refused',
    },
    undo: [
      {
        file: 'src/rules/webhook_target.ts',
        find: '  if (isLocalTranslation(address)) return',
        replace: '  if (false) return',
      },
    ],
  },
  {
    item: 'F9',
    defect:
      'A token could have a name that is on record for callers without one, or that looks like another token',
    test: {
      file: 'node_sqlite',
      name: 'is not made where it would pass for something else',
    },
    undo: [
      {
        file: 'src/rules/token_grant.ts',
        find: '  if (reserved !== undefined) {',
        replace: '  if (reserved === name && reserved === undefined) {',
      },
      {
        file: 'src/rules/token_grant.ts',
        find: '  return similar === undefined',
        replace: '  return similar !== null',
      },
    ],
  },
  {
    item: 'F9',
    defect: 'Headers of more proxies passed for requests of this machine',
    test: { file: 'node_sqlite', name: 'client-ip' },
    undo: [{ file: 'src/http/access/loopback.ts', find: "  'client-ip',\n", replace: '' }],
  },
  {
    item: 'F9',
    defect: 'In the fallback text of Slack what others wrote was markup',
    test: { file: 'chat/chat.test.ts', name: 'for Slack has what it says' },
    undo: [{ file: 'src/features/chat/rules_body.ts', find: '    mrkdwn: false,\n', replace: '' }],
  },
  {
    item: 'F9',
    defect: 'A folder of profiles that everybody can write was read',
    test: {
      file: 'features/profiles/cli_profile.test.ts',
      name: 'refuses a folder that others can write',
    },
    undo: [
      {
        file: 'src/cli/service/profiles.ts',
        find: '(statSync(folder).mode & 0o022) !== 0',
        replace: 'folder === ""',
      },
    ],
  },
  {
    item: 'F9',
    defect: 'A role for the agents * opened nothing, without a word',
    test: {
      file: 'arguments/bad_input.test.ts',
      name: 'warns of a role of an identity provider',
    },
    undo: [
      {
        file: 'src/runtime/documents.ts',
        find: '  for (const problem of literalStars(config)) log',
        replace: '  for (const problem of literalStars({ ...config, auth: null })) log',
      },
    ],
  },
  {
    item: 'H11',
    defect: 'One costly read too many could begin while one that waited took over',
    test: { file: 'http/limit_concurrency.test.ts', name: 'begins when another has ended' },
    undo: [
      {
        file: 'src/base/shares.ts',
        find: '      this.#parts.add(part)\n',
        replace: '      queueMicrotask(() => this.#parts.add(part))\n',
      },
    ],
  },
  {
    item: 'H11',
    defect: 'On Workers each request had a limit of costly reads of its own',
    test: {
      file: 'http/limit_concurrency.test.ts',
      name: 'of one request counts for the others of an isolate',
    },
    undo: [
      {
        file: 'src/ledger/world/memo.ts',
        find: 'limitedRuns: { ...limited, waiting: new Map() }',
        replace: 'limitedRuns: { shares: new Map(), lapseMs: limited.lapseMs, waiting: new Map() }',
      },
    ],
  },
  {
    item: 'H8',
    defect: 'Whoever asked whether D1 takes writes had it write each time',
    test: { file: 'sql/d1.test.ts', name: 'has D1 write once a second' },
    undo: [
      {
        file: 'src/sql/d1.ts',
        find: 'await writes.check()',
        replace: 'await again(() => all([WRITE_NOTHING]))',
      },
    ],
  },
  {
    item: 'H12',
    defect: 'In Workers a stream that was cancelled before its first read never closed its ledger',
    test: { file: 'worker/closing.test.ts', name: 'or when it is cancelled behind 0 reads' },
    undo: [
      {
        file: 'src/runtime/worker/closing.ts',
        find: '          await iterator.return?.()\n        } finally {\n          await closeOnce()\n',
        replace: '          await iterator.return?.()\n        } finally {\n          await closed\n',
      },
    ],
  },
]
