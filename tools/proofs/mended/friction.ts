import type { Mend } from './mend.ts'

const SERVE = { file: 'workspace/serve.test.ts' }

/** What kept a server from ending, and what misled a reader. */
export const FRICTION_MENDS: readonly Mend[] = [
  {
    item: 'C1',
    defect: 'svc serve went on after a follower of another kind was refused',
    test: { ...SERVE, name: 'a follower of another kind' },
    undo: [
      { file: 'src/runtime/node/open.ts', find: '    await opened.close().catch(() => {})\n', replace: '' },
    ],
  },
  {
    item: 'C1',
    defect: 'svc serve went on after a target of checkpoints was refused',
    test: { ...SERVE, name: 'checkpoints for an address' },
    undo: [{ file: 'src/entry/serve.ts', find: '    await opened.close().catch(() => {})\n', replace: '' }],
  },
  {
    item: 'C1',
    defect: 'a signal before the server was up waited for the lock of the ledger',
    test: { ...SERVE, name: 'stops on the first SIGTERM' },
    undo: [{ file: 'src/cli/terminal/stop.ts', find: '    if (!isUp) process.exit(0)\n', replace: '' }],
  },
  {
    item: 'C1',
    defect: 'a stop had no end where what was under way had none',
    test: { file: 'terminal/stop.test.ts', name: 'a stop that does not get to its end' },
    undo: [{ file: 'src/cli/terminal/stop.ts', find: '      process.exit(1)\n', replace: '' }],
  },
  {
    item: 'D6',
    defect:
      'generators of clients took a constant true, a choice of texts or a large integer for something else',
    test: { file: 'runners/openapi.test.ts', name: 'generators of clients' },
    undo: [
      {
        file: 'src/models/schemas.ts',
        find: '} = withTypes(schema)',
        replace: '} = schema',
      },
    ],
  },
  {
    item: 'D7',
    defect: "svc audit checkpoint > FILE was no note that Go's note.Open takes",
    test: { file: 'features/proofs/cli_verify.test.ts', name: 'is a signed note' },
    undo: [
      {
        file: 'src/features/proofs/cli_prove.ts',
        find: 'signed ? note : `${note}\\n`)',
        replace: '`${note}\\n`)',
      },
    ],
  },
  {
    item: 'D-mcp',
    defect: 'an assistant could make no first promotion where the workspace is strict',
    test: { file: 'mcp/mcp.test.ts', name: 'can make a first promotion' },
    undo: [
      {
        file: 'src/features/mcp/tools.ts',
        find: "...(isFirst && route === 'POST /v1/promote' ? { first: true } : {}),",
        replace: '',
      },
    ],
  },
  {
    item: 'D-mcp',
    defect: 'an assistant that asked for -1 actions was given one',
    test: { file: 'mcp/mcp.test.ts', name: 'limit' },
    undo: [
      {
        file: 'src/features/mcp/mcp.ts',
        find: 'if (Number(value) < minimum || Number(value) > maximum)',
        replace: 'if (Number.isNaN(minimum))',
      },
    ],
  },
  {
    item: 'D-ofrep',
    defect: 'a flag had no ETag, so that each poll read it whole',
    test: {
      file: 'runners/node_sqlite',
      name: 'that the caller knows is 304',
    },
    undo: [
      {
        file: 'handlers/deploys/flag.ts',
        find: 'knows(ifNoneMatch, etag) ?',
        replace: 'ifNoneMatch === null ?',
      },
    ],
  },
  {
    item: 'D-ci',
    defect: 'the GitHub action said nothing on the job, nor in its summary, of why it could not decide',
    test: {
      file: 'ci.test.ts',
      name: 'given no release',
    },
    undo: [
      {
        file: 'examples/ci/action.sh',
        find: 'trap finish EXIT\n',
        replace: 'trap \'printf "::%s::\\n" "$resume"\' EXIT\n',
      },
    ],
  },
  {
    item: 'D-ci',
    defect: 'the component of GitLab ended without a word where the token was not set',
    test: { file: 'ci.test.ts', name: 'the component of GitLab' },
    undo: [
      {
        file: 'templates/gate/template.yml',
        find: 'printenv "$GATE_TOKEN_VARIABLE" || true',
        replace: 'printenv "$GATE_TOKEN_VARIABLE"',
      },
    ],
  },
  {
    item: 'D-ci',
    defect: 'no table said what each command exits with',
    test: { file: 'arguments/help.test.ts', name: 'svc help exit-codes' },
    undo: [
      {
        file: 'src/cli/arguments/parse.ts',
        find: "second === 'exit-codes'",
        replace: "second === 'exit-code'",
      },
    ],
  },
  {
    item: 'D-integrations',
    defect: 'deploy/prometheus.yml named a file of alerts that is elsewhere',
    test: { file: 'deployment.test.ts', name: 'has a Prometheus that scrapes' },
    undo: [
      { file: 'deploy/prometheus.yml', find: '[../docs/monitoring/alerts.yml]', replace: '[alerts.yml]' },
    ],
  },
  {
    item: 'D-K',
    defect: 'svc release list could not be narrowed',
    test: {
      file: 'runners/node_sqlite',
      name: 'lists those of an agent, of an environment',
    },
    undo: [{ file: 'src/ledger/registry/releases.ts', find: '[sql`environment = ${env}`]', replace: '[]' }],
  },
  {
    item: 'D-K',
    defect: 'Ctrl-C in svc demo left its folder',
    test: { file: 'workspace/demo.test.ts', name: 'leaves nothing behind' },
    undo: [
      {
        file: 'src/cli/workspace/demo.ts',
        find: '  const stop = onStop()\n',
        replace:
          '  const stop = { signal: new AbortController().signal, exitCode: () => 130, release: () => {} }\n',
      },
    ],
  },
  {
    item: 'D-K',
    defect: "prices of the user's own brought two notes of the catalog on every diff",
    test: { file: 'release/diff.test.ts', name: 'a catalog that knows neither' },
    undo: [
      {
        file: 'src/cli/release/diff.ts',
        find: '  return isOwn ? [] : catalog.warnings\n',
        replace: '  return isOwn ? catalog.warnings : catalog.warnings\n',
      },
    ],
  },
  {
    item: 'D-K',
    defect:
      'a change of the error rate was written in percent by --by, in pp by reports, and as a fraction by explain',
    test: { file: 'rules/report/report.test.ts', name: 'tells verdict, reasons, figures' },
    undo: [
      {
        file: 'src/base/text.ts',
        find: '.toFixed(1)} points`',
        replace: '.toFixed(1)} pp`',
      },
    ],
  },
  {
    item: 'D-K',
    defect: 'release.yaml of svc init was for its owner alone',
    test: {
      file: 'workspace/init.test.ts',
      name: 'writes a release.yaml that can be registered',
    },
    undo: [{ file: 'src/cli/workspace/init.ts', find: ', true, FOR_ALL)', replace: ', true)' }],
  },
  {
    item: 'D-K',
    defect: 'svc runs export did not say how to get the rest',
    test: { file: 'runs/runs.test.ts', name: 'a truncated page warns' },
    undo: [{ file: 'src/cli/runs/runs.ts', find: 'if (pages <= MOST_STARTS)', replace: 'if (pages > 0)' }],
  },
  {
    item: 'D-slips',
    defect: 'a single release.yaml whose prompts are not in its checksum was validated without a word',
    test: { file: 'release/release.test.ts', name: 'warns of prompts and manifests' },
    undo: [
      {
        file: 'src/cli/release/release_bundle.ts',
        find: '  const mend = isFolder',
        replace: '  if (!isFolder) return\n  const mend = isFolder',
      },
    ],
  },
  {
    item: 'D-slips',
    defect: 'svc --verison was told of commands and not of --version',
    test: { file: 'arguments/help.test.ts', name: 'verison' },
    undo: [{ file: 'src/cli/arguments/parse.ts', find: "['--version', '--help'], 1)", replace: '[], 1)' }],
  },
  {
    item: 'D-slips',
    defect: 'an empty file was called null',
    test: { file: 'cli/rules/policy.test.ts', name: 'refuses a file with a mistake' },
    undo: [
      {
        file: 'src/cli/files.ts',
        find: 'if (document === null) throw',
        replace: 'if (document === undefined) throw',
      },
    ],
  },
  {
    item: 'D-slips',
    defect: 'a diff of a release with itself said nothing of it',
    test: { file: 'release/diff.test.ts', name: 'rates are shown' },
    undo: [
      {
        file: 'src/cli/release/diff.ts',
        find: 'if (ids[0] === ids[1])',
        replace: 'if (ids[0] === undefined)',
      },
    ],
  },
]
