import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { inVenv, npmPackages, pythonPackages } from '../proofs/packages.ts'

/**
 * Records the reports that evaluation tools write, by running them without a model: `npm run captures:evaluations`.
 * They are in test/fixtures/scores as they were written, without what no import reads and what is long, such as messages
 * and transcripts; versions.json says which version wrote them.
 */
const FIXTURES = join(ROOT_PATH, 'test/fixtures/scores')
const PROGRAMS = join(ROOT_PATH, 'tools/captures/programs')

const VERSIONS = {
  promptfoo: '0.123.1',
  'inspect-ai': '0.3.285',
  deepeval: '4.3.1',
  pytest: '9.2.0',
  'pytest-json-report': '1.5.0',
  braintrust: '0.48.1',
  langsmith: '0.15.1',
  pandas: '3.1.1',
} as const

/** In environments of their own: they bear no other's packages. */
const RAGAS = [
  'ragas==0.4.3',
  'pandas==3.1.1',
  'langchain==0.3.30',
  'langchain-community==0.3.31',
  'langchain-openai==0.3.35',
]
const AZURE = ['azure-ai-evaluation==1.18.10']
const OPENAI = ['openai==3.57.0']

/** Fields that no import reads. */
const NOT_READ = {
  promptfoo: ['gradingResult', 'response', 'config', 'completionDetails', 'assertions'],
  inspect: [
    'messages',
    'output',
    'store',
    'events',
    'attachments',
    'events_data',
    'plan',
    'dataset',
    'packages',
    'history',
    'explanation',
    'uuid',
    'reductions',
  ],
} as const

type Fields = Record<string, unknown>

const folder = mkdtempSync(join(tmpdir(), 'evaluations-'))
cpSync(PROGRAMS, folder, { recursive: true })
const { promptfoo, ...ofPython } = VERSIONS
const node = npmPackages('evaluations', [`promptfoo@${promptfoo}`])
const python = pythonPackages(
  'evaluations',
  Object.entries(ofPython).map(([name, version]) => `${name}==${version}`),
)

run(
  join(node, 'node_modules/.bin/promptfoo'),
  [
    'eval',
    '-c',
    'evaluation_promptfoo.yaml',
    '--no-cache',
    '--repeat',
    '2',
    '-o',
    'promptfoo.json',
    '--no-table',
  ],
  [100],
)
save('promptfoo.json', shortened(json('promptfoo.json'), NOT_READ.promptfoo))

run(inVenv(python, 'python'), ['evaluation_inspect.py', 'logs'])
const log = readdirSync(join(folder, 'logs')).find(name => name.endsWith('.json'))
save('inspect.json', shortened(json(join('logs', log!)), NOT_READ.inspect))

run(inVenv(python, 'python'), ['evaluation_inspect.py', 'zipped', 'eval'])
const zipped = readdirSync(join(folder, 'zipped')).find(name => name.endsWith('.eval'))
cpSync(join(folder, 'zipped', zipped!), join(FIXTURES, 'inspect.eval'))

run(inVenv(python, 'python'), ['evaluation_braintrust.py', 'braintrust.json'])
const rows = json('braintrust.json') as Fields[]
save(
  'braintrust.json',
  rows.map(row => (row.exc_info === null ? row : { ...row, exc_info: 'Traceback (most recent call last)' })),
)
run(inVenv(python, 'python'), ['evaluation_langsmith.py', 'langsmith.csv', 'langsmith_no_index.csv'])
for (const file of ['langsmith.csv', 'langsmith_no_index.csv']) {
  write(file, readFileSync(join(folder, file), 'utf8'))
}

run(inVenv(pythonPackages('ragas', RAGAS), 'python'), ['evaluation_ragas.py', 'ragas.csv'])
write('ragas.csv', readFileSync(join(folder, 'ragas.csv'), 'utf8'))
run(inVenv(pythonPackages('azure', AZURE), 'python'), ['evaluation_azure.py', 'azure.json'])
save('azure.json', json('azure.json'))

run(inVenv(pythonPackages('openai-evals', OPENAI), 'python'), [
  'evaluation_openai.py',
  'openai_page.json',
  'openai.jsonl',
])
for (const file of ['openai_page.json', 'openai.jsonl']) write(file, readFileSync(join(folder, file), 'utf8'))

run(inVenv(python, 'python'), ['evaluation_deepeval.py'])
save('deepeval.json', json('.deepeval/.latest_test_run.json'))

const pytest = [
  '-m',
  'pytest',
  'evaluation_pytest.py',
  '-q',
  '-p',
  'no:cacheprovider',
  '-o',
  'junit_suite_name=refunds',
]
run(
  inVenv(python, 'python'),
  [...pytest, '--json-report', '--json-report-file=pytest.json', '--junitxml=junit.xml'],
  [1],
)
save('pytest.json', { ...(json('pytest.json') as Fields), root: '/tests' })
write(
  'junit.xml',
  readFileSync(join(folder, 'junit.xml'), 'utf8').replaceAll(/hostname="[^"]*"/g, 'hostname="ci"'),
)

const others = Object.fromEntries(
  [RAGAS[0]!, AZURE[0]!, OPENAI[0]!].map(each => each.split('==') as [string, string]),
)
writeFileSync(join(FIXTURES, 'versions.json'), `${JSON.stringify({ ...VERSIONS, ...others }, null, 1)}\n`)
rmSync(folder, { recursive: true })

/** Runs a program in the folder; `codes` are how it may end other than 0: a case that fails is no accident. */
function run(program: string, args: readonly string[], codes: readonly number[] = []): void {
  try {
    execFileSync(program, args, {
      cwd: folder,
      stdio: 'inherit',
      env: {
        ...process.env,
        DEEPEVAL_TELEMETRY_OPT_OUT: 'YES',
        RAGAS_DO_NOT_TRACK: 'true',
        PROMPTFOO_CONFIG_DIR: join(folder, 'promptfoo'),
        PROMPTFOO_DISABLE_TELEMETRY: '1',
        PROMPTFOO_DISABLE_UPDATE: '1',
      },
    })
  } catch (error) {
    const { status } = error as { status?: number }
    if (status === undefined || !codes.includes(status)) throw error
  }
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'))
}

function shortened(value: unknown, without: readonly string[]): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, field: unknown) => (without.includes(name) ? undefined : field)),
  )
}

function save(file: string, value: unknown): void {
  write(file, `${JSON.stringify(value, null, 1)}\n`)
}

function write(file: string, text: string): void {
  const known = text.replaceAll(folder, '/tests')
  for (const path of [homedir(), tmpdir(), ROOT_PATH]) {
    if (known.includes(path)) throw new Error(`${file} names ${path}`)
  }
  mkdirSync(FIXTURES, { recursive: true })
  writeFileSync(join(FIXTURES, file), known)
  process.stdout.write(`${file}: ${known.length} bytes\n`)
}
