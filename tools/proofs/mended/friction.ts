import type { Mend } from './mend.ts'

const SERVE = { project: 'cli', file: 'workspace/serve.test.ts' }

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
    undo: [
      { file: 'src/cli/workspace/serve.ts', find: '    await opened.close().catch(() => {})\n', replace: '' },
    ],
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
    test: { project: 'cli', file: 'terminal/stop.test.ts', name: 'a stop that does not get to its end' },
    undo: [{ file: 'src/cli/terminal/stop.ts', find: '      process.exit(1)\n', replace: '' }],
  },
  {
    item: 'C10',
    defect: 'svc release diff read the text of an error to know a service of 0.1.0',
    test: { project: 'cli', file: 'service/remote.test.ts', name: 'a diff of a service of 0.1.0' },
    undo: [
      {
        file: 'src/cli/release/diff.ts',
        find: "String(problem?.loc) === 'body,tails'",
        replace: "problem?.msg?.startsWith('is not a field') === true",
      },
    ],
  },
  {
    item: 'D6',
    defect:
      'generators of clients took a constant true, a choice of texts or a large integer for something else',
    test: { project: 'conformance', file: 'runners/openapi.test.ts', name: 'generators of clients' },
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
    test: { project: 'cli', file: 'audit/verify.test.ts', name: 'is a signed note' },
    undo: [
      {
        file: 'src/cli/audit/checkpoint.ts',
        find: 'signed ? note : `${note}\\n`)',
        replace: '`${note}\\n`)',
      },
    ],
  },
  {
    item: 'D-mcp',
    defect: 'an assistant could make no first promotion where the workspace is strict',
    test: { project: 'cli', file: 'mcp/mcp.test.ts', name: 'can make a first promotion' },
    undo: [
      {
        file: 'src/cli/mcp/tools.ts',
        find: 'inputs: { ...DECISION, first: FIRST }',
        replace: 'inputs: DECISION',
      },
    ],
  },
  {
    item: 'D-mcp',
    defect: 'an assistant that asked for -1 actions was given one',
    test: { project: 'cli', file: 'mcp/mcp.test.ts', name: 'limit' },
    undo: [
      {
        file: 'src/cli/mcp/protocol.ts',
        find: 'if (Number(value) < minimum || Number(value) > maximum)',
        replace: 'if (Number.isNaN(minimum))',
      },
    ],
  },
  {
    item: 'D-ofrep',
    defect: 'a flag had no ETag, so that each poll read it whole',
    test: {
      project: 'conformance',
      file: 'runners/node_sqlite.test.ts',
      name: 'a flag that the caller knows is 304',
    },
    undo: [
      {
        file: 'handlers/deploys/flag.ts',
        find: 'knows(ifNoneMatch, etag)\n      ?',
        replace: 'ifNoneMatch === null\n      ?',
      },
    ],
  },
  {
    item: 'D-ci',
    defect: 'the GitHub action said nothing on the job, nor in its summary, of why it could not decide',
    test: {
      project: 'docs',
      file: 'examples_github.test.ts',
      name: 'says on the job and in the summary why',
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
    test: { project: 'docs', file: 'ci.test.ts', name: 'the component of GitLab' },
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
    test: { project: 'cli', file: 'arguments/help.test.ts', name: 'svc help exit-codes' },
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
    test: { project: 'package', file: 'deployment.test.ts', name: 'has a Prometheus that scrapes' },
    undo: [
      { file: 'deploy/prometheus.yml', find: '[../docs/monitoring/alerts.yml]', replace: '[alerts.yml]' },
    ],
  },
]
