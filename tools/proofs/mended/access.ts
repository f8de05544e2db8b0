import type { Mend } from './mend.ts'

/** Stale baselines, actors on record, and friction that misleads. */
export const ACCESS_MENDS: readonly Mend[] = [
  {
    item: 'A12',
    defect: 'A decision replaces a release that came live since the caller looked',
    test: {
      file: 'runners/node_sqlite',
      name: 'where it expects nothing is 412',
    },
    undo: [
      {
        file: 'src/ledger/assess/assess.ts',
        find: '  refuseStale(proposal, live, target.agent_id)\n',
        replace: '',
      },
    ],
  },
  {
    item: 'A12',
    defect: 'A confirmation replaces a release that came live since the confirmer looked',
    test: {
      file: 'runners/node_sqlite',
      name: 'is checked at a request and at each of its confirmations',
    },
    undo: [
      {
        file: 'src/ledger/decide/confirm.ts',
        find: '    expected_baseline_release_id,\n    first: true,\n',
        replace: '    first: true,\n',
      },
    ],
  },
  {
    item: 'A12',
    defect: 'The dialog sends what the board has by then, not what was looked at',
    test: {
      file: 'web/decisions',
      name: 'is not made over a release that came live since one looked',
    },
    undo: [
      {
        file: 'src/web/decide/reviewed.tsx',
        find: '  return { live, instead: hasMoved ? now : undefined, review }\n',
        replace: '  return { live: now, review }\n',
      },
    ],
  },
  {
    item: 'A13',
    defect: 'POST /v1/scores does not record who imported',
    test: {
      file: 'runners/node_sqlite',
      name: 'is recorded by every route that declares it',
    },
    undo: [
      { file: 'handlers/runs/import_scores.ts', find: '    recordsActor: true,\n', replace: '' },
      {
        file: 'handlers/runs/import_scores.ts',
        find: '  async function scoresImport({ body, actor }, context) {\n    return json(await importScores(context, body, actor))\n',
        replace:
          "  async function scoresImport({ body }, context) {\n    return json(await importScores(context, body, { name: 'http', source: 'body' }))\n",
      },
    ],
  },
  {
    item: 'A13',
    defect:
      'Clients go by lists of routes of their own, which fall behind: a POST that only reads is not repeated',
    test: { file: 'sdk/transport', name: 'a request whose answer was lost is sent again' },
    undo: [
      {
        file: 'src/sdk/routes.ts',
        find: "  'POST /v1/policy/test': { readsOnly: true },\n",
        replace: "  'POST /v1/policy/test': {},\n",
      },
    ],
  },
  {
    item: 'C2',
    defect: 'Where nobody is named, a long check shows no progress',
    test: { file: 'workspace/doctor', name: 'says at a terminal how far it is' },
    undo: [
      {
        file: 'src/cli/service/open.ts',
        find: '      }\n      return api.send(route, call, onProgress)\n',
        replace: '      }\n      return api.send(route, call)\n',
      },
    ],
  },
  {
    item: 'DD',
    defect: 'A pipeline that runs again registers another release and leaves its evidence behind',
    test: {
      file: 'runners/node_sqlite',
      name: 'gives the release that the same bundle',
    },
    undo: [
      {
        file: 'src/ledger/registry/releases.ts',
        find: '    if (known !== undefined) {\n',
        replace: '    if (known !== undefined && !reuse) {\n',
      },
    ],
  },
  {
    item: 'DD',
    defect: 'A bundle with the same checksum and other files passes for the one that was registered',
    test: { file: 'runners/node_sqlite', name: 'goes by the files' },
    undo: [
      {
        file: 'src/ledger/registry/releases.ts',
        find: ' AND ${hasFiles(ledger.sql.dialect, files)}\n',
        replace: '\n',
      },
    ],
  },
  {
    item: 'DD',
    defect: 'A release is reused though its price table was replaced',
    test: {
      file: 'runners/node_sqlite',
      name: 'makes a new one where the price table is not what it was',
    },
    undo: [
      {
        file: 'src/ledger/registry/releases.ts',
        find: "      AND coalesce(pricing_checksum, '') = coalesce((SELECT p.new_checksum FROM (${prices}) p), '')\n",
        replace: '',
      },
    ],
  },
  {
    item: 'DE',
    defect: 'A release of a further agent can not be scaffolded',
    test: { file: 'release/init', name: 'scaffolds further agents' },
    undo: [
      {
        file: 'src/entry/commands/release.ts',
        find: "    name: 'release init',\n",
        replace: "    name: 'release scaffold',\n",
      },
    ],
  },
  {
    item: 'DF',
    defect: 'The SDK sends a latency of 840.5 ms, and the service refuses the event',
    test: { file: 'sdk/event_queue', name: 'rounds latencies' },
    undo: [
      {
        file: 'src/sdk/chunks.ts',
        find: 'latency_ms: Math.round(latency) }',
        replace: 'latency_ms: latency }',
      },
    ],
  },
  {
    item: 'DG',
    defect: "The receiver of docs/webhooks.md doesn't deploy after a forced rollback",
    test: { file: 'docs/webhooks', name: 'the receiver of docs/webhooks.md' },
    undo: [
      {
        file: 'docs/webhooks.md',
        find: ", 'rollback.succeeded', 'rollback.forced']\n",
        replace: ", 'rollback.succeeded']\n",
      },
    ],
  },
  {
    item: 'DH',
    defect: 'The first token locks senders out before anybody is told',
    test: { file: 'token/create', name: 'says what the first one closes' },
    undo: [
      {
        file: 'src/features/tokens/cli_token.ts',
        find: "    if (options.flag('yes') !== true && !(await confirmed('Make it?', io))) {\n",
        replace: "    if (args[0] === undefined && !(await confirmed('Make it?', io))) {\n",
      },
    ],
  },
]
